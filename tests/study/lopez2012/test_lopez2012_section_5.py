"""Section 5 of Lopez (2012): facts of the tasks."""

from itertools import combinations, permutations

from study.lopez2012 import section_5


def test_facts_of_a_task_against_plain_loops(found):
    label = "2011 Czech-English individual"
    facts = section_5.describe_tasks(found).loc[label]
    counts = found.machines(label)
    margins = counts.margins
    cycles = sum(
        margins.loc[a, b] > 0 and margins.loc[b, c] > 0 and margins.loc[c, a] > 0
        for a, b, c in permutations(counts.systems, 3)
    )
    assert facts["cycles"] == cycles / 3
    pairs = [*combinations(counts.systems, 2)]
    both = counts.wins + counts.wins.T + counts.ties
    met = [both.loc[pair] for pair in pairs]
    assert facts[["least_met", "most_met"]].tolist() == [min(met), max(met)]
    assert facts["even"] == sum(margins.loc[pair] == 0 for pair in pairs)
    assert facts["met_often"] == sum(number >= 10 for number in met)


def test_sums_are_those_that_the_paper_prints(found):
    table = section_5.sums_beside(found)
    assert [*table] == ["MFAS", "Eq. 1", "Eq. 2", "Eq. 3"]
    assert table.loc["ours"].astype(str).tolist() == table.loc["printed"].tolist()


def test_violated_edges_weigh_what_the_best_orders_violate(found):
    edges = section_5.violated_edges(found)
    weights = edges.groupby("label")["weight"].sum()
    mfas = found.weights["mfas"]
    assert weights.to_dict() == mfas[mfas > 0].to_dict()
