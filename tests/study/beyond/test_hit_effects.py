"""The model with random effects of HITs: dense, by hand, and in made campaigns."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from study.beyond import hit_effects
from study.beyond.hit_effects import SITTING, Fits, Precision, clustered_p, scores
from wmtlib.core.assessments import encode


def campaign(seed=1, *, hits=120, of_hit=0.0, of_cell=0.0, systems=6):
    """Draw judgements of two systems in each HIT, three documents of four segments.

    Annotators have two HITs. Variances: 1 of a judgement, `of_hit` of a HIT, `of_cell`
    of a document and system, alike in all HITs.
    """
    rng = np.random.default_rng(seed)
    documents = 20
    cell = rng.normal(0, np.sqrt(of_cell), (documents, systems))
    rows = []
    for hit in range(hits):
        shift = rng.normal(0, np.sqrt(of_hit))
        pair = rng.permutation(systems)[:2]
        for document in rng.permutation(documents)[:3]:
            for system in pair:
                mean = 0.4 * system + shift + cell[document, system]
                for segment in range(4):
                    z = mean + rng.normal()
                    rows.append(
                        (hit // 2, hit, document, 4 * document + segment, system, z)
                    )
    columns = ["worker", "hit", "document", "segment", "system", "z"]
    values = pd.DataFrame(rows, columns=columns)
    values = values.sort_values("document", ignore_index=True)
    sitting = values.groupby(SITTING).ngroup()
    return values.assign(raw=values["z"], z_by_hit=values["z"], sitting=sitting)


VARIANCE = {"segment": 0.3, "hit": 0.5, "sitting": 0.2, "residual": 1.0}


def covariance(values, variance):
    """Return V of the values, dense."""
    total = variance["residual"] * np.eye(len(values))
    for name in ("segment", "hit", "sitting"):
        code = values[name].to_numpy()
        total += variance[name] * (code[:, None] == code)
    return total


def least_squares(values, variance):
    """Return (X' V^-1 X)^-1 X' V^-1 z, dense."""
    marks = np.eye(6)[values["system"]]
    weighted = np.linalg.solve(covariance(values, variance), marks)
    return np.linalg.solve(marks.T @ weighted, weighted.T @ values["z"])


def centred(score):
    return score - score.mean()


def fits(values, variance=VARIANCE):
    """Fit the systems as they are; values are sorted by document."""
    systems = values["system"].to_numpy()[None]
    return Fits(Precision(values, variance), systems, values["z"].to_numpy())


@pytest.mark.parametrize("without", [[], ["hit"], ["segment", "hit", "sitting"]])
def test_scores_are_those_of_dense_generalised_least_squares(without):
    """With the variance 0 an effect is not in the model."""
    values = campaign(hits=24, of_hit=1.0)
    variance = VARIANCE | dict.fromkeys(without, 0.0)
    expected = centred(least_squares(values, variance))
    assert scores(values, variance) == pytest.approx(expected, abs=1e-5)


def test_scores_of_residuals_alone_are_means():
    values = campaign(hits=24)
    alone = dict.fromkeys(VARIANCE, 0.0) | {"residual": 2.0}
    means = centred(values.groupby("system")["z"].mean().to_numpy())
    assert scores(values, alone) == pytest.approx(means, abs=1e-6)


def test_scores_change_neither_with_the_unit_nor_with_the_level_of_z():
    values = campaign(hits=24, of_hit=1.0)
    expected = scores(values, VARIANCE)
    quadruple = {name: 4 * value for name, value in VARIANCE.items()}
    assert scores(values, quadruple) == pytest.approx(expected, abs=1e-12)
    moved = values.assign(z=2 * values["z"] + 3)
    assert scores(moved, quadruple) == pytest.approx(2 * expected, abs=1e-4)


def test_fits_are_those_of_dense_generalised_least_squares():
    values = campaign(hits=24, of_hit=1.0)
    expected = least_squares(values, VARIANCE)
    assert fits(values).score[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("unit", ["hit", "worker", "document"])
def test_cr3_is_the_jackknife_that_leaves_clusters_out(unit):
    values = campaign(hits=24, of_hit=1.0)
    every = least_squares(values, VARIANCE)
    left = [
        every - least_squares(values[values[unit] != cluster], VARIANCE)
        for cluster in values[unit].unique()
    ]
    number, of = fits(values).covariances(values[unit].to_numpy())
    assert number == len(left)
    expected = np.transpose(left) @ left * (number - 1) / number
    assert of[1, 0] == pytest.approx(expected, rel=1e-8)


def test_cr1_is_the_sandwich_of_clusters():
    """By definition where V has no terms between clusters, here HITs."""
    values = campaign(hits=24, of_hit=1.0)
    variance = VARIANCE | {"segment": 0.0}
    marks = np.eye(6)[values["system"]]
    weighted = np.linalg.solve(covariance(values, variance), marks)
    inverse = np.linalg.inv(marks.T @ weighted)
    residual = values["z"] - marks @ least_squares(values, variance)
    added = pd.DataFrame(weighted * residual.to_numpy()[:, None])
    sums = added.groupby(values["hit"].to_numpy()).sum().to_numpy() @ inverse
    number, of = fits(values, variance).covariances(values["hit"].to_numpy())
    expected = sums.T @ sums * number / (number - 1)
    assert of[0, 0] == pytest.approx(expected, rel=1e-8)


def test_p_is_that_of_a_t_test_with_clustered_errors():
    values = campaign(hits=24, of_hit=1.0)
    fitted = fits(values)
    hit = values["hit"].to_numpy()
    difference = np.array([1, -1, 0, 0, 0, 0])
    variance = fitted.covariances(hit)[1][:, 0] @ difference @ difference
    t = fitted.score[0] @ difference / np.sqrt(variance)
    p = clustered_p(fitted, hit)
    assert p[:, 0, 0] == pytest.approx(2 * stats.t.sf(abs(t), 24 - 1), rel=1e-9)


def test_variances_elsewhere_are_those_of_other_years():
    made = {f"wmt21 {k}": campaign(k, hits=40) for k in (1, 2)}
    made |= {f"wmt22 {k}": campaign(k, hits=40, of_hit=1.0) for k in (3, 4)}
    known = hit_effects.variances_elsewhere(made)
    assert known["wmt21 1"] == known["wmt21 2"]
    assert known["wmt21 1"]["hit"] > 0.5 > 0.2 > known["wmt22 3"]["hit"]
    assert known["wmt22 3"]["residual"] == pytest.approx(1, abs=0.2)


def test_variances_of_a_single_year_are_those_of_all():
    made = {f"wmt21 {k}": campaign(k, hits=40, of_hit=1.0) for k in (1, 2)}
    assert hit_effects.variances_elsewhere(made)["wmt21 1"]["hit"] > 0.5


def test_divided_orders_agree_better_where_levels_of_hits_are_taken_out():
    values = campaign(hits=200, of_hit=4.0)
    each = hit_effects.divided(values, VARIANCE | {"hit": 4.0}, 5, 3)
    assert [*each["score"]] == [*hit_effects.SCORES] * 5
    table = each.groupby("score")[["tau", "r"]].mean()
    assert table.loc["random effects", "r"] > 0.95 > table.loc["no HIT effects", "r"]
    assert table.loc["random effects", "tau"] > table.loc["no HIT effects", "tau"]


def test_divided_orders_agree_alike_without_levels_of_hits():
    table = hit_effects.divided(campaign(hits=200), VARIANCE, 5, 3)
    r = table.groupby("score")["r"].mean()
    assert (r > 0.8).all() and np.ptp(r) < 0.1


@pytest.mark.slow
def test_false_pairs_are_at_their_level():
    values = campaign(hits=160, of_hit=1.0)
    table = hit_effects.false_pairs(values, VARIANCE, ["hit"], 60, 2)
    share = table.groupby("errors")["rejected"].mean()
    assert 0.02 < share["CR3"] <= share["CR1"] < 0.08


def test_false_pairs_are_too_many_if_errors_go_beyond_hits():
    """What all HITs say of a system in a document moves together."""
    values = campaign(hits=160, of_cell=0.5)
    table = hit_effects.false_pairs(values, VARIANCE, ["document"], 40, 2)
    assert (table.groupby("errors")["rejected"].mean() > 0.12).all()


def assessments(hits):
    """Two annotators with two HITs each; the scores of a HIT are far from another's."""
    rows = [
        (f"w{worker}", hits[hit], system, f"s{k}", 20 + 40 * hit + 3 * k + len(system))
        for worker in range(2)
        for hit in range(2)
        for k, system in enumerate(["a", "bb", "a", "bb"])
    ]
    columns = ["worker", "hit", "system", "segment", "score"]
    return encode(pd.DataFrame(rows, columns=columns))


def test_values_by_hit_standardise_what_one_worker_did_in_one_hit():
    values = hit_effects.values_by_hit(assessments(["h0", "h1"]))
    of_hit = values.groupby("hit")["z_by_hit"]
    assert values["hit"].nunique() == 4  # a HIT of two workers is two
    assert of_hit.mean().abs().max() < 1e-12
    assert of_hit.std().to_numpy() == pytest.approx(1)
    assert values.groupby("hit")["z"].mean().abs().min() > 0.5


def test_values_by_hit_leaves_out_campaigns_without_names_of_hits():
    assert hit_effects.values_by_hit(assessments(["", ""])) is None
    assert len(hit_effects.values_by_hit(assessments(["", "h1"]))) == 8


def test_the_busiest_worker_is_shown_by_hit():
    values = hit_effects.values_by_hit(assessments(["h0", "h1"]))
    more = values[values["worker"] == 1].assign(hit=9, raw=50.0, z=0.5)
    table = hit_effects.hits_of_busiest(pd.concat([values, more]))
    assert table.index.tolist() == ["HIT 1", "HIT 2", "HIT 3"]
    assert table.loc["HIT 3", ["judgements", "systems", "raw"]].tolist() == [8, 2, 50]


def test_an_output_that_is_judged_again_counts_once():
    values = hit_effects.values_by_hit(assessments(["h0", "h1"]))
    values = values.assign(document=0)
    again = values.head(1).assign(raw=values["raw"][0] + 8)
    once = hit_effects.once_an_output(pd.concat([values, again], ignore_index=True))
    assert len(once) == len(values)
    assert once["raw"].sum() == pytest.approx(values["raw"].sum() + 4)
    of_worker = once.groupby("worker")["z"]
    assert of_worker.mean().abs().max() < 1e-12 and of_worker.std().max() < 1.0001


def made_halves():
    """Two campaigns of two divisions; by HIT orders agree better by .2 and by .4."""
    rows = [
        (label, division, score, 0.5 + gain * (score == "z by HIT"))
        for label, gain in (("a", 0.2), ("b", 0.4))
        for division in range(2)
        for score in hit_effects.SCORES
    ]
    halves = pd.DataFrame(rows, columns=["label", "division", "score", "tau"])
    return halves.assign(r=halves["tau"])


def test_gains_are_means_over_campaigns(ax):
    table = hit_effects.gains(made_halves(), "tau")
    row = table.set_index(["score", "less"]).loc[("z by HIT", "z by worker")]
    assert row["more"] == pytest.approx(0.3) and row["better_in"] == 2
    assert row["verdict"] == "open"  # of two campaigns
    assert row["error"] == 0
    hit_effects.draw_gains(table.assign(protocol="DA SR+DC"), [ax])
    second = ax.get_yticklabels()[1].get_text()
    assert second == "z-scores by HIT\nover z-scores by annotator"


def test_a_level_is_held_up_to_6_percent(ax):
    kinds = [("DA SR+DC", "CR1", "hit"), ("DA SR-DC", "CR1", "document")]
    rows = [
        (*kind, label, share)
        for kind, shares in zip(kinds, ([0.04, 0.06], [0.08, 0.09]), strict=True)
        for label in "ab"
        for share in shares
    ]
    columns = ["protocol", "errors", "block", "label", "rejected"]
    table = hit_effects.levels(pd.DataFrame(rows, columns=columns))
    assert table["rejected"].tolist() == pytest.approx([0.05, 0.085])
    assert table["holds"].tolist() == [True, False]
    hit_effects.draw_levels(table, ax)
    first = ax.get_yticklabels()[0].get_text()
    assert first == "whole documents, by HIT, CR1"
