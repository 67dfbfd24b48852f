"""The examples of `examples.py`, for the tests that still ask for them here."""

from examples import *  # noqa: F403
