"""Would a second campaign print the same again? Notebook 63.

A campaign is divided at random into two halves. Each half is ranked and cut as if it
were a campaign, and what the one prints is looked for in the other.

- Judges are divided; where a campaign has fewer than twenty, their sittings are: a
  judge's HIT, a judge's block of a document, or a judge's run of consecutive segments.
- *Again*: a winner, if the other half has the same first system; a pair called apart,
  if the other half calls it apart in the same direction; a line, if the other half has
  one below the same systems; a cluster, if the other half has the same one.
- *Order*: a pair called apart that the other half has in the same order, called apart
  or not.
- The rate of a campaign: of all that is printed in all halves, the share that stands
  again in the other half. Intervals are over campaigns (a language pair of a year).
- The floor: the same of equal systems, whose names are exchanged at random in every
  document (HIT, or ranking).

Criteria, written before any campaign was divided:

- *Main test*, the only one: of the lines that the campaigns' own rules draw, all
  protocols together, most stand again if the 95 % interval of the mean rate lies above
  1/2; most do not if it lies below; otherwise it is open.
- All else is described, with intervals, and not tested: winners, pairs, order,
  clusters; the unit test; single protocols; quarters beside halves.

Known before: notebook 62 (which pairs go with the unit test, how often rules call equal
systems apart), notebook 61 (how often bootstrap samples have another winner), and that
two halves of one sitting agree far better (.47) than two sittings of the same outputs
(.035) in campaigns of documents.
"""
