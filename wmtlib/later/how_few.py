"""How few judgements decide who is first? Notebook 61.

The two questions that are tested were fixed, in words and numbers, before anything was computed
for them. Known was an earlier greedy count by single comparisons: at most 20 in 21 of 45 tasks.

Tasks are all relative-ranking tasks of WMT10, WMT11, WMT12 and WMT16 with two systems or more that
the source holds; the method is expected wins, the unit of removal the ranking, the unit of
collection. "Fewest" is the upper end wherever an interval is all that is proven.
"""

FEW = 0.01  # share of a task's rankings that is called few
UNSURE = 0.05  # share of bootstrap samples with another winner from which a winner is unsure
CRITERIA = {
    "main": (
        "In more than half of the tasks the winner's lead ends when at most 1 % of the rankings are"
        " removed. Holds if the whole 95 % interval (Wilson, over tasks) of that share of tasks is"
        " above 1/2, does not hold if all of it is below; otherwise open."
    ),
    "second": (
        "Few is what resampling says already: of the tasks in which at most 1 % suffice, 90 % or"
        " more have another winner, or none alone, in at least 5 % of 1000 bootstrap samples of"
        " rankings. Holds if they do, does not hold otherwise; the share with its Wilson interval."
    ),
}
