"""WMT16's official rankings: the published procedure again, and what other methods make of it.

The tests were fixed, in words and numbers, before anything was computed for them. Known was that
TrueSkill and Bradley-Terry predict the judgements of WMT10-12 equally well (notebook 23).

The order of a method is that of its scores on all official comparisons of a task; the order of
TrueSkill is that of its mean over runs. The distance of two orders is the share of pairs of
systems that they order differently. The unit of resampling is the ranking, what one judge said of
one segment. The tasks are the 12 language pairs of news; the IT task has two or four systems.
"""

CRITERIA = {
    "main": (
        "Expected wins, the official method of WMT12, in place of TrueSkill changes the orders less"
        " than other rankings of the same campaign would. For each task: the distance between the"
        " two methods' orders, minus the mean distance between expected wins of 1000 bootstrap"
        " samples of rankings and of all of them. Holds if the 95 % t interval of the mean over the"
        " 12 tasks lies below 0, does not hold if it lies above; otherwise open."
    ),
    "second": (
        "TrueSkill and Bradley-Terry (Davidson) predict equally well. For each task: the difference"
        " of their perplexities on a test set of whole segments, after training on 2000 other"
        " comparisons. Holds if the 95 % t interval of the mean over the 12 tasks lies within 0.01"
        " of 0, does not hold if it lies outside; otherwise open."
    ),
    "third": (
        "No other method moves a system across a line between printed clusters. Holds if MFAS,"
        " expected wins, Bradley-Terry (Davidson and Rao-Kupper) and IRT-Gaussian order all pairs"
        " of systems of different printed clusters as printed, in all 17 tasks; otherwise the pairs"
        " that are not are counted, with the share of bootstrap samples that turn them too."
    ),
}
