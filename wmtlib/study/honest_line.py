"""Do significance lines say what they promise? Notebook 62.

A test at 5 % should call two equal systems apart once in twenty times. Here real campaigns are
shuffled until no difference between systems is true, and every rule by which campaigns draw, or
drew, their lines is applied to them.

- Assessments: the systems' means are taken out; then, within each document, the systems present
  change their names at random. A block, one system's outputs of one document, moves as a whole.
  Where documents are not named, the same is done within each HIT.
- Relative rankings: of every pair of systems, each judge's wins less losses, with the mean of the
  pair taken out; the sign of all that a judge said is drawn at random. What judges disagree about
  stays, and no difference between systems does.

`CRITERIA` was written before any of this was computed for more than one pair of systems. Known
were: a trial from outside on WMT24 (t-tests of segments called 24-27 % of equal pairs apart, the
signed-rank test of z-scores 21-22 %, t-tests of document means 4-5 %; 75 of 207 significant pairs
disappeared with documents as the unit); and, for twelve campaigns as they are, how many pairs
three weightings of the documents call apart, from which the weights of
`cluster_lines.unit_differences` were chosen.
"""

ALPHA = 0.05
HIGHEST = 0.06
CRITERIA = {
    "size": (
        "In every protocol the unit test calls at most 6 % of equal pairs apart at 5 %, and the"
        " 95 % interval of that share, over shuffles, holds 5 % or lies below it."
    ),
    "tables": (
        "After correction (Benjamini-Hochberg) at most 5 % of the shuffled tables of a protocol"
        " have a false pair, or Wilson's interval of the share holds 5 %; and the same of tables"
        " with a false line."
    ),
    "judges": (
        "Judges matter in a protocol of assessments if, with names exchanged judge by judge, the"
        " unit test by documents calls more than 6 % of pairs apart and the interval lies above"
        " 5 %. Then the answer needs the larger of the two p-values, by documents and by judges."
    ),
    "change": (
        "Of the pairs that the rule of the campaign calls apart, a share goes when the unit is what"
        " was collected. It is large if the 95 % interval of its mean over campaigns lies above"
        " 20 %, small if the interval lies below 10 %; by protocol."
    ),
    "removal": (
        "The lines of Knowles (2021) change less often when a system is removed if they are drawn"
        " by documents: the 95 % interval of the mean difference of shares, over language pairs,"
        " lies below 0."
    ),
}
