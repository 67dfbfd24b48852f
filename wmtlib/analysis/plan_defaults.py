"""What `plan` takes if nothing else is said; by itself, as the command line loads nothing else."""

MORE, CHANCE = 100, 0.8  # judgements that are planned; the chance that is aimed at
RESAMPLES = 1000
