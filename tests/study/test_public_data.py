"""The tables of what is public."""

from wmtlib.study import public_data
from wmtlib.study.releases import sources

EMBEDDED = sources.Source("embedded", "00000000")


def test_every_public_task_is_counted_once():
    counted = public_data.tasks_by_level()
    assert counted.loc["wmt12"].tolist() == [8, 0, 0]
    assert counted.loc["wmt20"].sum() == 18 + counted.loc["wmt20", "nothing"]
    assert not counted.isna().any().any()


def test_the_density_is_comparisons_for_each_compared_pair():
    tasks = public_data.tasks_with_density(EMBEDDED).set_index("label")
    row = tasks.loc["2012 Czech-English"]
    assert row["comparisons_per_pair"] == row["comparisons"] / (6 * 5 / 2)
