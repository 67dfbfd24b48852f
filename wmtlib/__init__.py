"""Human rankings of machine translation systems, reproduced from raw judgements."""

__version__ = "0.1.0"
