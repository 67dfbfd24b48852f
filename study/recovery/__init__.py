"""Single judgements, recovered from published segment means.

WMT18 and WMT20 published, per system and segment, the mean raw score, the mean z-score
and the number of judgements, but not the judgements. Because z-scores were printed with
fifteen digits, and each worker's mean and standard deviation had seven, these means
prove most of the single scores. `recover.recover` finds them by the steps
`recover.STEPS`, and gives every segment a status, such as proven.

The package uses published means only. Its workers have no names: a worker is a mean
and a standard deviation, which nothing links to a person or to another data set, and
the recovered judgements are not published. That is in order: they serve to recompute
rankings (Knowles 2021).
"""
