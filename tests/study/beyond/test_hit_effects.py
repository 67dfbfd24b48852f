"""The model with effects of HITs: by dense least squares, and in made campaigns."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from study.beyond import hit_effects
from study.beyond.hit_effects import Effects, clustered_p, fit
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
    return values.assign(raw=values["z"], z_by_hit=values["z"])


def dense(values):
    """Fit the model by indicators of everything; return residuals and the inverse."""
    kinds = [np.eye(values[name].max() + 1)[values[name]] for name in KINDS]
    design = np.hstack(kinds)
    effects, _, rank, _ = np.linalg.lstsq(design, values["z"], rcond=1e-10)
    residual = values["z"] - design @ effects
    inverse = np.linalg.pinv(design.T @ design, rcond=1e-10, hermitian=True)
    return effects, residual.to_numpy(), design @ inverse, rank


KINDS = ("system", "segment", "hit")


def fitted(values, unit="hit"):
    system, z, segment, units = hit_effects.columns_of(values, unit)
    return fit(system, z, Effects(segment, units))


def test_scores_are_those_of_dense_least_squares():
    values = campaign(hits=24, of_hit=1.0)
    effects, *_ = dense(values)
    score = fitted(values).score
    assert score == pytest.approx(effects[:6] - effects[:6].mean(), abs=1e-8)
    assert score.sum() == pytest.approx(0, abs=1e-8)


def test_rounding_of_what_effects_leave_hardly_moves_scores(monkeypatch):
    """The mean of the systems is undetermined: its eigenvalue is rounding alone.

    Where it was taken for a number, scores moved by hundredths.
    """
    values = campaign(hits=60)
    exact = fitted(values).score
    removed = Effects.removed

    def rounded(effects, columns):
        noise = np.random.default_rng(2).normal(size=columns.shape)
        return removed(effects, columns) + 3e-8 * noise

    monkeypatch.setattr(Effects, "removed", rounded)
    assert fitted(values).score == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("clusters", [["hit"], ["worker", "document"]])
def test_variances_are_those_of_the_clustered_sandwich(clusters):
    values = campaign(hits=24, of_hit=1.0)
    effects, residual, weight, rank = dense(values)
    added = (weight[:, 0] - weight[:, 1]) * residual
    factor = len(values) / (len(values) - rank)

    def clustered(names):
        sums = pd.Series(added).groupby([values[name] for name in names]).sum()
        return (sums**2).sum() * len(sums) / (len(sums) - 1) * factor

    each = [clustered([name]) for name in clusters]
    expected = max(each)
    if len(clusters) == 2:
        expected = max(expected, sum(each) - clustered(clusters))
    fewest = min(values[name].nunique() for name in clusters)
    t = (effects[0] - effects[1]) / np.sqrt(expected)
    p, variance = clustered_p(fitted(values), values[clusters].to_numpy().T)
    assert variance[0] == pytest.approx(expected, rel=1e-6)
    assert p[0] == pytest.approx(2 * stats.t.sf(abs(t), fewest - 1), rel=1e-6)


def test_divided_orders_agree_better_where_levels_of_hits_are_taken_out():
    values = campaign(hits=200, of_hit=4.0)
    table = hit_effects.divided(values, 5, 3)
    assert [*table.index] == [*hit_effects.SCORES]
    assert table.loc["model", "r"] > 0.9 > table.loc["no HIT effects", "r"]
    assert table.loc["model", "tau"] > table.loc["z by worker", "tau"]


def test_divided_orders_agree_alike_without_levels_of_hits():
    table = hit_effects.divided(campaign(hits=200), 5, 3)
    assert (table["r"] > 0.8).all() and np.ptp(table["r"]) < 0.1


def test_false_pairs_by_document_need_errors_clustered_by_document():
    clusters = {"hit": ["hit"], "two": ["worker", "document"]}
    values = campaign(hits=160, of_cell=0.5)
    table = hit_effects.false_pairs(values, "hit", "document", clusters, 60, 2)
    assert table["hit"].mean() > 0.12 > 0.08 > table["two"].mean()


@pytest.mark.slow
def test_false_pairs_by_hit_are_at_their_level():
    values = campaign(hits=160, of_hit=1.0)
    clusters = {"hit": ["hit"]}
    table = hit_effects.false_pairs(values, "hit", "hit", clusters, 60, 2)
    assert 0.02 < table["hit"].mean() < 0.08


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
