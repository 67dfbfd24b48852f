"""Comparing protocols: measures by hand, and simulated campaigns beside others."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from examples import PAPER, drawn, rng
from study import campaigns
from study.data import sources
from study.data.simulation import calibrated, simulate_campaign
from study.knowles2021 import section_8 as paper
from study.knowles2021 import section_8_pictures
from study.knowles2021.section_5_2 import perturb
from study.scoreboard import scoreboard
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.assessments import encode

EMBEDDED = sources.Source("embedded", "00000000")
SMALL = calibrated("SR+DC", systems=5, documents=40, judgements=3000, workers=15)
QUIET = dict.fromkeys(
    ["residual", "leniency", "log_scale", "segment", "system_segment"], 0.0
) | dict.fromkeys(["worker_hit", "unsteady", "sitting", "worker_output", "slope"], 0.0)


def run(design, seed=1):
    return simulate_campaign(design, rng(seed))


def test_designs_cost_the_same_and_differ_in_the_protocol_only():
    varied = {"protocol", "normalise", "calibration_hit", "document", "system_document"}
    cost = {"SR+DC, calibration HIT on top": 3000 + 60 * 15}
    for label, design in paper.protocol_designs(SMALL, calibration=60).items():
        third = 1000 if label.endswith("a third") else 3000
        assert design.judgements == cost.get(label, third)
        changed = design._asdict().items() - SMALL._asdict().items()
        assert {*dict(changed)} <= {*varied, "judgements"}, label


def test_the_distance_is_that_of_the_ranking_and_the_truth():
    made = run(SMALL._replace(calibration_hit=60, leniency=30.0), seed=3)
    common = made.coded.hit == made.coded.hits.index("calibration")
    for design, scales_from in ((made, common), (run(SMALL), None)):
        ranked = rank_campaign(design.coded, scales_from=scales_from, **PAPER)
        truth = design.truth[ranked.names].to_numpy()
        wrong = np.triu(truth[:, None] < truth, 1).sum()
        assert paper.measure(design)["distance"] == pytest.approx(10 * wrong)


def test_reversals_are_those_of_the_battery():
    coded = encode(drawn(7))
    removals = perturb(coded, humans=["HUMAN"])
    kendall = removals.set_index("kind").loc["remove", "kendall"]
    assert paper.reversed_by_removals(coded).tolist() == kendall.tolist()
    assert kendall.any()


def test_noise_free_campaigns_are_ranked_right_where_all_see_all_systems():
    base = SMALL._replace(**QUIET, **paper.FLAT, mean=50.0, system=20.0)
    for name in ("SR-DC", "SR+DC all systems per HIT", "SR+DC balanced"):
        metrics = paper.measure(run(base._replace(protocol=name), seed=5))
        assert [metrics[name] for name in paper.METRICS] == [0, 0, 0]


def leniency_errors(**changes):
    made = run(SMALL._replace(**changes))
    return paper.leniency_errors(made, paper.true_leniency(made))


def test_leniency_is_known_exactly_from_a_common_hit_without_noise():
    # One output of one quality: a worker's mean differs from the truth by the same for
    # all.
    silent = QUIET | paper.FLAT | {"system": 0.0, "mean": 50.0, "leniency": 5.0}
    silent |= {"softness": 1e-6, "softness_low": 1e-6, "calibration_hit": 60}
    assert leniency_errors(**silent)["common"] < 0.5  # scores are whole numbers
    errors = leniency_errors(calibration_hit=60)
    assert 0 < errors["common"] < errors["own"]
    assert leniency_errors() == {}


def test_true_leniency_is_the_mean_over_hits_and_slopes():
    # Scores that do not bend: noise has no part in the mean, and a slope has its own.
    base = SMALL._replace(**QUIET, **paper.FLAT, mean=50.0, human_quality=20.0)
    base = base._replace(softness=1e-6, softness_low=1e-6, system=5.0)
    made = run(base._replace(slope=0.5, worker_hit=3.0, sitting=2.0, leniency=5.0))
    world = made.world
    system = np.broadcast_to(world.system[:, None], world.quality.shape).ravel()[::23]
    expected = 50 + world.leniency + (1 + world.slope) * system.mean()
    assert paper.true_leniency(made).to_numpy() == pytest.approx(expected)


def test_differences_by_hand():
    values = {"seed": range(3), "a": [1.0, 2.0, 3.0], "b": [2.0, 3.1, 3.9]}
    table = pd.DataFrame(values).melt("seed", var_name="protocol")
    table = table.assign(world="w", metric="reversed")
    pairs = [("a", "b"), ("a", "a")]
    row, same = paper.protocol_differences(table, pairs).to_dict("records")
    assert row["difference"] == pytest.approx(-1) and row["clear"] and not row["alike"]
    assert row["error"] == pytest.approx(np.std([1, 1.1, 0.9], ddof=1) / np.sqrt(3))
    assert same["alike"] and not same["clear"]


def test_simulated_worlds_are_repeatable_and_decide_every_row(monkeypatch):
    size = {"systems": 4, "documents": 25, "judgements": 1500, "workers": 6}
    monkeypatch.setattr(paper, "calibrated", lambda style: calibrated(style, **size))
    table = paper.simulate_worlds(range(2), calibration=40)
    alone = paper.simulate_worlds([1], calibration=40)
    pd.testing.assert_frame_equal(
        table[table["seed"] == 1].reset_index(drop=True), alone
    )
    facts = paper.simulation_values(table)
    notebooks = ("33-simulation", "67-humans-or-chance")
    boards = [
        scoreboard.compare("knowles2021", name, facts, source=EMBEDDED)
        for name in notebooks
    ]
    board = pd.concat(boards).set_index("id").loc[[*facts]]
    assert len(board) == 5 and board["reproduced"].str.startswith("SIMULATED").all()
    assert set(board["status"]) <= {"in-simulation", "holds-partly", "does-not-hold"}
    assert board["reason"].str.count("yes|no").ge(2).all()


# --- Beside real campaigns ------------------------------------------------------------


def test_hit_covariances_by_hand():
    rows = pd.DataFrame(
        [
            # worker, hit, document, system, z; both systems have mean 0
            ["w", 1, "d", "A", 3.0],
            ["w", 1, "d", "A", 1.0],  # one sitting of mean 2
            ["w", 1, "e", "B", 1.0],
            ["w", 1, "e", "A", -1.0],  # shares the document of one, the system of one
            ["w", 2, "f", "B", -1.0],
            ["v", 3, "d", "A", -3.0],
        ],
        columns=["worker", "hit", "document", "system", "z"],
    )
    table = paper.hit_covariances(rows).sort_values("hits")
    assert table.to_numpy().tolist() == [[0, 0, 1], [2 * 1, 1, 2]]  # v, w


def test_who_makes_it_by_hand():
    sizes = np.zeros(600)
    sizes[[3, 5, 8, 13, 21, 34]] = 60, 20, 10, 10, 10, -10
    table = pd.DataFrame({"products": sizes, "pairs": 2.0, "hits": 1})
    table.loc[[3, 5, 34], "hits"] = 2
    numbers = [100 / 1200, 80 / 100, 1.1, 1.1, 10]
    assert paper.who_makes_it(table).tolist() == pytest.approx(numbers)
    shares = paper.who_makes_it(table.assign(products=-sizes)).iloc[1:-1]
    assert len(shares) == 3 and shares.isna().all()  # of a sum below 0


def test_a_few_workers_make_more_of_it_where_some_are_unsteady():
    def three_percent(**changes):
        design = calibrated("SR+DC", **changes)
        coded = [run(design, seed).coded for seed in range(4)]
        judged = [paper.outputs_judged(campaign, ()) for campaign in coded]
        workers = pd.concat([paper.hit_covariances(rows) for rows in judged])
        return paper.who_makes_it(workers)

    few = three_percent()
    alike = three_percent(**paper.EQUAL)
    assert few["HIT, 3 % of workers"] > alike["HIT, 3 % of workers"] + 0.15
    assert few["HIT, middle worker"] < 0.6 * alike["HIT, middle worker"]


def test_simulated_campaigns_are_beside_others():
    pairs = [pair for pair in paper.crowd_campaigns(EMBEDDED) if pair[1] != "qa-qd"]
    releases = campaigns.load_all(EMBEDDED, pairs)
    table = paper.simulated_beside_real(releases, seeds=range(2)).set_index(
        ["style", "number"]
    )
    hit = table.loc[("SR-DC", "worker x HIT")]
    assert hit["component"] and hit["simulated"] > hit["real"]  # stand-ins have none
    row = table.loc[("SR-DC", "mean")]
    error = np.hypot(row["real_error"], row["simulated_error"])
    assert row["apart"] == pytest.approx((row["simulated"] - row["real"]) / error)
    assert not row["component"]


# --- What notebook 33 shows -----------------------------------------------------------


def test_hits_hold_every_system_or_few():
    base = SMALL._replace(systems=9)
    full, few = (
        paper.hit_contents(base._replace(protocol=name), rng(1))
        for name in ("SR-DC", "SR+DC")
    )
    assert full["HITs with every system"] == 1 and full["systems"] == 9
    assert few["systems"] < 9 and few["documents"] < full["documents"]


def test_one_removal_is_the_ranking_without_its_best():
    made = run(SMALL)
    table = paper.one_removal(made)
    assert table["all systems"].is_monotonic_decreasing
    assert (table["without the best"] == "").tolist() == [True, *[False] * 4]
    reversed_ = paper.reversed_by_removals(made.coded)
    assert table["pairs reversed by its removal"].sum() == reversed_.sum()


def worlds(**values):
    """Rows of `simulate_worlds` in the world of documents, a list of seeds' values."""
    rows = pd.DataFrame(values).melt(ignore_index=False, var_name="protocol")
    rows = rows.rename_axis("seed").reset_index()
    return rows.assign(world="documents")


def test_gains_by_hit_are_taken_seed_by_seed():
    values = {
        "SR+DC": [5.0, 6.0, 7.0],
        "SR+DC, by HIT": [3.0, 5.0, 4.0],
        "SR+DC, equal HITs": [5.0, 5.0, 5.0],
        "SR+DC, by HIT, equal HITs": [4.0, 4.0, 4.0],
    }
    table = worlds(**values)
    tables = [table.assign(metric=name) for name in ("distance", "reversed")]
    gain = paper.gain_by_hit(pd.concat(tables))
    assert gain["metric"].tolist() == ["distance"] * 3 + ["reversed"] * 3
    assert gain["difference"].tolist()[:3] == [-2, -1, -1]
    half = 1.96 * 1 / np.sqrt(3)
    assert gain["high"].tolist()[:3] == pytest.approx([-2 + half, -1, -1 + half])


def test_calibration_takes_its_share_of_the_judgements():
    common, own = (
        worlds(**{"SR+DC, calibration HIT": values}).assign(metric=metric)
        for metric, values in (("common", [2.0, 4.0]), ("own", [5.0, 7.0]))
    )
    [row] = paper.leniency_table(pd.concat([common, own]), calibration=50).to_dict(
        "records"
    )
    design = calibrated("SR+DC")
    assert [row["calibration HIT"], row["own HIT"]] == [3, 6]
    assert row["share of cost"] == 50 * design.workers / design.judgements


def test_pictures_have_words_and_both_styles():
    beside = pd.DataFrame(
        {
            "number": ["mean", "HIT covariance"] * 2,
            "style": ["SR-DC"] * 2 + ["SR+DC"] * 2,
            "component": False,
            "apart": [0.5, 1.0, -1.0, np.nan],
        }
    )
    fig, axes = plt.subplots(1, 3)
    section_8_pictures.real_and_simulated(beside, axes[:2])
    assert [label.get_text() for label in axes[1].get_yticklabels()] == ["mean score"]
    assert axes[1].lines[0].get_xdata().tolist() == [0.5]
    plt.close(fig)


def test_each_proposal_is_a_row_of_each_metric():
    rows = [
        [metric, protocol, "documents", 1.0, 0.1]
        for metric in paper.METRICS
        for protocol in section_8_pictures.PROTOCOLS
    ]
    columns = ["metric", "protocol", "world", "difference", "error"]
    fig, axes = plt.subplots(1, 3)
    section_8_pictures.proposals(pd.DataFrame(rows, columns=columns), axes)
    labels = [label.get_text() for label in axes[2].get_yticklabels()]
    assert labels == [*section_8_pictures.PROTOCOLS.values()]
    plt.close(fig)


def test_what_hits_hold_is_drawn_in_words():
    rows = [
        [metric, protocol, world, float(seed)]
        for metric in paper.METRICS
        for protocol in section_8_pictures.HOLDS
        for world in paper.WORLDS
        for seed in (1, 3)
    ]
    metrics = pd.DataFrame(rows, columns=["metric", "protocol", "world", "value"])
    fig, axes = plt.subplots(1, 2)
    section_8_pictures.composition(metrics, axes)
    labels = [label.get_text() for label in axes[0].get_yticklabels()]
    assert labels == [*section_8_pictures.HOLDS.values()]
    assert axes[1].lines[0].get_xdata().tolist() == 6 * [2]
    [legend] = fig.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        *section_8_pictures.LIKE.values()
    ]
    plt.close(fig)


def test_a_third_of_the_cost_is_compared_with_a_third():
    assert section_8_pictures.COMPARED[0] == ("SR-DC", "SR+DC")
    third = "SR+DC, same documents, a third"
    assert dict(section_8_pictures.COMPARED)[third] == "SR+DC, a third"
