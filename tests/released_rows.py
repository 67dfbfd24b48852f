"""Judgements in the released layout, written by hand."""

from wmtlib.errors import Origin
from wmtlib.files import released_judgements
from wmtlib.files.released_judgements import RELEASED

HERE = Origin("here.csv")


def line(worker, system, sid, score, item="SYSTEM", pair="en de", hit="H1", rid="3", time="9"):
    source, target = pair.split()
    fields = [hit, worker, source, target, "ad", "0", system, rid, item, sid, score, time]
    return " ".join(map(str, fields))


def file(*lines):
    return "\n".join([" ".join(RELEASED), *lines, ""]).encode()


def released(*lines):
    return released_judgements.read_released(file(*lines), HERE)
