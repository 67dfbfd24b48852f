"""Which test holds its level where documents and judges both have effects? Notebook 62.

The larger of two p-values, by documents and by judges, is not a test at 5 % if a
difference of two systems varies from document to document and from judge to judge at
once: each of the two tests sees one of the variances. Here differences are drawn from

    C(j, d) = n(j, d) [effect + judge(j) + document(d) + noise(j, d)]

with effect = 0, and every candidate is applied to them.

Settings: 6, 9, 12, 20, 40, 60 judges; 20, 60, 100, 200 documents; every document judged
by all judges ("crossed"), by three of them ("partly") or by one ("nested"); n equal, or
1 to 10 times a share of the judge that grows linearly ("unequal"); normal effects, or
exponential ones (skewness 2); judges and documents adding the same to the variance of
the sum, or the judges nearly all of it.

Criteria, written before the simulation was run:

- A test *holds* in a setting if it calls at most 6 % of equal pairs apart at 5 %, or if
  6 % lies within two standard errors of the share.
- Its *fewest units* are the least of the numbers above from which on, with any number
  of documents that is as large, it holds in every setting.
- The test with the smallest number of fewest units is the default; of several the one
  with more power, on average over the settings where all of them hold, at an effect of
  three standard errors of the sum. If none holds for exponential effects, the one whose
  worst share is the least, and that share is told to users.
- Fewer units are refused. The same rule gives the fewest units of the sign-flip test by
  one unit, with 6 to 200 units and n equal or unequal.
- Lognormal effects (skewness 6) are shown and do not decide: of the real campaigns'
  pairs the skewness of a unit's differences is .4 to 1.3 in the median of a protocol,
  2.2 at its 90th percentile in DA by documents, 3.3 to 3.5 in DA of single sentences,
  1.1 to 2.1 in ESA and MQM (known beforehand, and in part due to unequal n).

Candidates: `larger` of two sign-flip tests, the default before; the two-way clustered
variance V(documents) + V(judges) - V(cells), at least the larger of the first two
(Cameron, Gelbach and Miller 2011), with t of min(judges, documents) - 1 degrees of
freedom: `null` of sums as they are, `two-way` of residuals times G / (G - 1),
`jackknife` of the sums that remain without each unit (CV3; MacKinnon, Nielsen and Webb
2023), `effective` the same with degrees of freedom from the effective number of units
(Carter, Schnepel and Steigerwald 2017); `skewed` corrects that for skewness (Hall
1992); `sum` leaves V(cells) in.

Known before: a trial from outside found 7.5 to 11.6 % for `larger` and 1 to 4 % for
`null` in 12 to 60 judges and 60 to 100 documents, crossed, and 7 to 16 % for the
sign-flip test of 6 to 20 skewed units.
"""
