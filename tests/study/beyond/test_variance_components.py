"""Variance components: known ones come back; plans by hand."""

import numpy as np
import pandas as pd
import pytest

from study.beyond import variance_components

TRUE = {
    "document": 0.2,
    "document x system": 0.15,
    "segment": 0.0,
    "segment x system": 0.1,
    "sitting": 0.3,
    "worker": 0.05,
    "worker x HIT": 0.12,
    "worker's slope": 0.09,
    "worker x system": 0.1,
    "residual": 0.5,
}


def made(seed=1, documents=400, systems=6, workers=60, segments=4, sittings=8):
    """Draw documents and systems, judged by two workers, with variances `TRUE`.

    A worker's sittings are in HITs of so many, in the order of the documents.
    """
    rng = np.random.default_rng(seed)
    shape = documents, systems, 2, segments
    document, system, sitting, segment = np.indices(shape).reshape(4, -1)
    chosen = rng.integers(workers // 2, size=shape[:3])
    chosen[..., 1] += workers // 2
    worker = chosen[document, system, sitting]
    blocks = pd.Series(chosen.ravel())
    number = blocks.groupby(blocks).cumcount().to_numpy().reshape(chosen.shape)
    hit = worker + workers * (number // sittings)[document, system, sitting]
    mean = np.linspace(-1, 1, systems)
    mean *= np.sqrt(0.5 / np.mean(mean**2))

    def effect(name, *shape):
        return rng.normal(0, np.sqrt(TRUE[name]), shape)

    z = mean[system] + effect("document", documents)[document]
    z += effect("document x system", documents, systems)[document, system]
    output = document, system, segment
    z += effect("segment x system", documents, systems, segments)[output]
    z += effect("sitting", *shape[:3])[document, system, sitting]
    z += effect("worker", workers)[worker]
    z += effect("worker x HIT", hit.max() + 1)[hit]
    z += effect("worker's slope", workers)[worker] * mean[system]
    z += effect("worker x system", workers, systems)[worker, system]
    z += effect("residual", len(z))
    columns = {"document": document, "system": system, "worker": worker, "hit": hit}
    columns |= {"segment": document * segments + segment, "z": z}
    return pd.DataFrame(columns)


def test_components_have_the_true_values_in_their_intervals():
    table = variance_components.components([made(1), made(2)], resamples=100, seed=4)
    error = table[1:].std()
    for name, true in TRUE.items():
        assert table.loc[0, name] == pytest.approx(true, abs=4 * error[name] + 0.005)
        assert error[name] < 0.05
    assert table.loc[0, "pairs"] == 2 * 400 * 6


@pytest.mark.slow
def test_components_are_unbiased_and_their_errors_right_with_few_documents():
    few = [made(seed, documents=40, workers=16) for seed in range(24)]
    fits = [variance_components.components([z], resamples=40, seed=1) for z in few]
    found = pd.concat([fit[:1] for fit in fits])[[*TRUE]]
    bias = found.mean() - pd.Series(TRUE)
    # The estimated means take a part in 16 of worker x system.
    assert (bias.abs() <= 3.5 * found.sem() + 0.01).all(), bias
    errors = pd.concat([fit[1:].std() for fit in fits], axis=1).mean(axis=1)
    ratio = (errors / found.std())[["document", "sitting", "worker x HIT"]]
    # Documents and workers are drawn apart, which is too wide for the sitting.
    assert ratio.between(0.75, 1.8).all(), ratio


@pytest.mark.parametrize("named", [True, False])
def test_components_leave_out_the_hit_where_nothing_tells_it_from_the_worker(named):
    values = made(sittings=10_000) if named else made().drop(columns="hit")
    table = variance_components.components([values], resamples=20, seed=4)
    assert table["worker x HIT"].isna().all()
    shared = TRUE["worker"] + TRUE["worker x HIT"] * (1 if named else 1 / 10)
    assert table.loc[0, "worker"] == pytest.approx(shared, abs=0.12)
    other = variance_components.components([values, made()], resamples=1, seed=4)
    assert other["worker x HIT"].isna().all() != named


def test_sittings_of_a_hit_share_worker_and_hit_without_the_model():
    values = made(workers=100)
    centred = values["z"] - values.groupby("system")["z"].transform("mean")
    keys = variance_components.EFFECTS["sitting"]
    mean = values.assign(y=centred).groupby(keys)["y"].mean().reset_index()
    pairs = mean.merge(mean, on="worker", suffixes=("", "_2"))
    pairs = pairs.query("document < document_2 and system != system_2")
    product = pairs["y"] * pairs["y_2"]
    share = product.groupby(pairs["hit"] == pairs["hit_2"]).mean()
    table = variance_components.components([values], resamples=1, seed=1).loc[0]
    assert share[True] == pytest.approx(table["worker"] + table["worker x HIT"], 0.15)
    assert share[False] == pytest.approx(table["worker"], abs=0.02)


def plan(**numbers):
    """A plan of one of each effect, but for those given."""
    counted = variance_components.EFFECTS.keys() - {"document", "segment"}
    return dict.fromkeys(counted - {"worker's slope"}, 1) | numbers


def test_plan_variance_by_hand():
    fit = pd.DataFrame([TRUE, TRUE | {"worker": -0.04, "document x system": -1}])
    first, second = variance_components.plan_variance(fit, plan())
    assert first == pytest.approx(0.15 + 0.1 + 0.3 + 0.5 + (0.05 + 0.12) + 0.1)
    assert second == pytest.approx(0.1 + 0.3 + 0.5 + (0.12 - 0.04) + 0.1)
    # A second document: of another worker; of the same HIT; of another HIT.
    other = dict.fromkeys(plan(), 2)
    alone = {"worker": 1, "worker x system": 1}
    for counts, shared in ((other, 0), (other | alone | {"worker x HIT": 1}, 0.27)):
        found = variance_components.plan_variance(fit, counts)[0]
        assert found == pytest.approx((first - shared) / 2 + shared)
    found = variance_components.plan_variance(fit, other | alone)[0]
    assert found == pytest.approx((first - 0.15) / 2 + 0.15)


def test_plan_variance_is_nan_where_merged_effects_part():
    fit = pd.DataFrame([TRUE | {"segment x system": np.nan, "worker x HIT": np.nan}])
    merged = variance_components.plan_variance(fit, plan())[0]
    assert merged == pytest.approx(0.15 + 0.3 + 0.5 + 0.05 + 0.1)
    for number in ({"residual": 2}, {"sitting": 2}):
        parted = variance_components.plan_variance(fit, plan(**number))
        assert parted.isna().all()


def test_components_leave_out_segment_x_system_where_no_output_is_shared():
    values = made()
    other = values["segment"] % 2 == (values["worker"] >= 30)
    table = variance_components.components([values[other]], resamples=5, seed=4)
    assert table["segment x system"].isna().all()
    assert table.loc[0, "residual"] == pytest.approx(0.6, abs=0.05)
    assert table.loc[0, "sitting"] == pytest.approx(0.3, abs=0.1)


def test_components_are_nan_without_double_judgements():
    values = made()
    alone = values[values["worker"] < 30]
    table = variance_components.components([alone], resamples=5, seed=4)
    assert table[[*TRUE]].isna().all(axis=None) and (table["pairs"] == 0).all()


def fitted():
    """The true variances, as seen and three times drawn anew."""
    return pd.DataFrame([TRUE] * 4)


def test_shares_of_the_occasion_by_hand():
    row = variance_components.with_shares(fitted()).loc[0]
    assert row["occasion"] == pytest.approx(0.3 + 0.05 + 0.12)
    assert row["share of the occasion"] == pytest.approx(0.47 / (0.47 + 0.15))
    assert row["part of the HIT"] == pytest.approx(0.17 / 0.47)
    unnamed = fitted().assign(**{"worker x HIT": np.nan})
    row = variance_components.with_shares(unnamed).loc[0]
    assert row["occasion"] == pytest.approx(0.35) and np.isnan(row["part of the HIT"])


def test_effects_are_drawn_in_words(ax):
    table = variance_components.with_ends({"DA SR+DC": fitted()})
    assert table.loc[("high", "document"), "DA SR+DC"] == pytest.approx(0.2)
    variance_components.draw_effects(table, {"DA SR+DC": ax})
    words = [label.get_text() for label in ax.get_yticklabels()]
    assert words[:2] == ["document", "segment"] and "annotator in a HIT" in words


def test_a_second_document_of_another_annotator_is_worth_two(ax):
    plans = {"other": (2, 2, 2, 2, 2, 2), "same HIT": (2, 2, 2, 2, 1, 1)}
    fits, length = {"DA SR+DC": fitted()}, {"DA SR+DC": 4.0}
    table = variance_components.worth_of_plans(fits, length, plans)
    assert table.loc[0, ["worth", "low", "high"]].tolist() == pytest.approx([2, 2, 2])
    shared, own = 0.05 + 0.12 + 0.1, 0.15 + 0.1 / 4 + 0.3 + 0.5 / 4
    by_hand = (own + shared) / (own / 2 + shared)
    assert table.loc[1, "worth"] == pytest.approx(by_hand)
    variance_components.draw_plans(table, ax)
    assert ax.get_yticklabels()[1].get_text() == "same HIT"
