"""How stable is a ranking, by the protocol that made it? What is tested over campaigns.

The measure is Kendall's tau between the rankings of two random halves of a campaign's documents
(segments where documents are not known), each cut at `SIZE` judgements a system, as the protocol
ranks, human translations not among the ranked; the mean over splits is one number a campaign. The
unit of every interval and test is the campaign (a year and language pair), never the split.

The main test, named before any of these numbers was computed, is `MAIN`: campaigns with marked
errors (ESA 2024 and MQM 2021) against direct assessment with document context (SR+DC, 2020-22), the
protocol that they took the place of. Its criterion: one is more stable if Welch's 95 % interval of
the difference of means leaves out 0; the two are alike if the 90 % interval lies within
`EQUIVALENCE` of 0 (two systems that change places among nine are 2/36 of a tau); otherwise the data
cannot tell. `SIZE` is the largest of 50, 100, 200, 400 and 800 that halves of all campaigns of ESA
and MQM hold; it was read off the numbers of judgements. `OTHERS` are corrected together (Holm).

Confounded with the protocol are the year, the language pairs, the number of systems, how far apart
they are, the annotators and the design of the tasks. No regression can part what the noise of a
protocol and the spread of its systems do to tau: both act through their ratio alone.
"""

SIZE = 100  # judgements a system in each half
HOURS = 1.0  # of annotation a system in each half
EQUIVALENCE = 0.05  # of tau
MARKED = ("ESA", "MQM")
# Measure, halves of what, protocols, and the protocols they are held against.
MAIN = ("tau", "document", MARKED, ("SR+DC",))
OTHERS = (
    ("tau", "document", MARKED, ("SR-DC",)),
    ("tau", "document", MARKED, ("RR",)),
    ("tau", "document", ("SR+DC",), ("SR-DC",)),
    ("tau", "document", ("SR-DC",), ("RR",)),
    ("tau", "annotator", MARKED, ("SR+DC",)),
    ("lines that agree", "document", MARKED, ("SR+DC",)),
    ("tau by the hour", "document", ("ESA",), ("SR+DC",)),
    ("tau by the hour", "document", ("ESA",), ("RR",)),
)
