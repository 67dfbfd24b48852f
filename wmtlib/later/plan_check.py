"""Does `wmtlib plan` keep its promises? WMT's campaigns, planned from half of their judges.

Campaigns are all tasks of relative rankings of WMT10 (experts and crowd), WMT11, WMT12 and WMT16,
and all language pairs of direct assessment whose single judgements are released, with at least
`JUDGES` judges. The unit is what the command takes: the judge, or worker. Judges are split in two
halves at random, `SPLITS` times; `analysis.plan` sees the first half, and `more` is the number of
judgements in the second. A pair of neighbours of the first half is *apart in the whole* by the same
test on all judgements. The human reference of WMT10 and WMT11 is left out.

Everything below was written before any of it was computed. Intervals: campaigns are resampled, with
all their pairs and splits, 95 % unless said otherwise.
"""

JUDGES = 10  # a campaign of fewer gives no halves that can be resampled
SPLITS = 3  # random halves of every campaign
PROMISED = 0.8
BOUND = 0.05  # a chance that is off by less is right for all purposes of planning
CRITERIA = {
    "main": (
        "Of the pairs of neighbours that are given a chance of at least 80 %, the share that is"
        " apart in the whole. Holds if the whole interval is at 0.8 or above, does not hold if all"
        " of it is below; otherwise open."
    ),
    "calibration": (
        "Over all pairs: mean chance less share apart. Right if the 90 % interval lies within"
        " 0.05 of zero, wrong if the 95 % interval leaves out zero, otherwise open; if both, it is"
        " off by little."
    ),
    "open pairs": "The same over the pairs that are not apart in the first half.",
    "naive": (
        "Over the pairs that are not apart in the first half: mean chance if the difference found"
        " were the true one, less the share apart. It promises too much if the 95 % interval is"
        " above zero."
    ),
    "file order": (
        "The main question with the judges in the order of the file instead of at random: those"
        " who come first until they hold half of the judgements. The same criterion."
    ),
}
