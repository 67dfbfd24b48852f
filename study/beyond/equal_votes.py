"""Votes of systems that do not differ: relative rankings, and an arena. Notebook 62.

Who judged what stays as it was, and no system is better than another:

- *by judge*: of each pair the mean is taken out of the votes, and the sign of all that
  a judge said is drawn at random. What judges disagree about stays.
- *by sentence* (or prompt): the same of all that was said of a sentence. What suits one
  system more than another in a sentence stays.
- *by both*: no choice of signs keeps both. Two votes of a judge, and two on a sentence,
  would have the same sign, and then all votes would. So votes are drawn anew, as
  `drawn_votes` has it, with judges and sentences that count for as much as `likeness`
  finds in the task.

Criteria, written before any votes were drawn, beside those of the notebook:

- *size* and *tables*, as for assessments, in each of the three: the unit test is here
  the test by judges and sentences at once.
- *sentences matter* in votes if, drawn by sentence, the test by judges alone calls more
  than 6 % of equal pairs apart at 5 %, and the interval lies above 5 %; *judges
  matter*, if the test by sentences alone does so, drawn by judge. Of the crowd of 2010
  and the combinations of 2011 the same is asked by name.
- *calibrated*: in votes that are drawn anew `likeness` gives, averaged over the tasks
  of a campaign, what it gives in the real ones: the two differ by less than a tenth, or
  by less than two standard errors over tasks.

Known before, from outside: drawn by sentence, the test by judges calls 6.2 % apart in
WMT10-12 (standard error .4), 9.2 % (1.1) for the crowd, 9.4 % (1.9) for combinations and
10.3 % (2.4) in Haitian Creole; in llmfao the variance of a model's score is by judges
4.0 times, by prompts 8.6 times that of single votes. The test by both called 0 to 2 %
apart in simulated votes; sets of ranks, names exchanged within judges or sentences, .4
and 1.5 % of pairs.
"""
