"""Who was shown first: planted boards, each with what must and must not be said."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from examples import data_error
from wmtlib.bradley_terry import FAINT, PRIOR, Advantage, advantage, first_shown
from wmtlib.core.counts import tally, without
from wmtlib.core.sampling import resampler
from wmtlib.files.forms import count
from wmtlib.files.read import read
from wmtlib.methods import rank
from wmtlib.models import LINKS
from wmtlib.removals import stability
from wmtlib.report.answers import answer_ranking

SYSTEMS = np.array([*"pqrstu"], dtype=object)  # best first, a third of a log-odds apart


def board(number=3000, *, side=0.0, ties=0.15, last_first=0.5, spread=0.0, judges=60):
    """Votes of judges for whom being shown first is worth `side`, more or less.

    Parameters
    ----------
    last_first : float
        How often u, the worst, is shown first where it is compared.
    spread : float
        Deviation of the judges' own sides.
    """
    rng = np.random.default_rng(33)
    pairs = np.array([rng.permutation(6)[:2] for _ in range(number)])
    to_turn = (pairs == 5).any(axis=1)
    to_turn &= (pairs[:, 0] == 5) != (rng.random(number) < last_first)
    pairs[to_turn] = pairs[to_turn, ::-1]
    judge = rng.integers(judges, size=number)
    shown = side + spread * rng.normal(size=judges)[judge]
    is_first = rng.random(number) < special.expit(np.diff(pairs).ravel() / 3 + shown)
    a, b = SYSTEMS[pairs].T
    winner = np.where(is_first, a, b)
    winner[rng.random(number) < ties] = "tie"
    return pd.DataFrame({"a": a, "b": b, "winner": winner, "judge": judge})


def sorted_by_name(votes):
    """The same votes, as though they had been stored with the columns sorted."""
    names = np.sort(votes[["a", "b"]].to_numpy(str), axis=1)
    return votes.assign(a=names[:, 0], b=names[:, 1])


def winner_first(votes):
    is_second = votes["winner"] == votes["b"]
    a = votes["a"].where(~is_second, votes["b"])
    return votes.assign(a=a, b=votes["b"].where(~is_second, votes["a"]))


def compared(votes):
    return read(votes).comparisons


@pytest.mark.parametrize(
    ("votes", "said", "noted"),
    [
        (board(), "", ""),
        (board(side=0.5), r"win more .* a term for it turns no pair; .*-side'", ""),
        (board(side=-0.5), "win less than their share: by -0.5", ""),
        (board(side=1, last_first=0.95), r"\(.*'u > t'", ""),
        (board(last_first=0.95), "", ""),
        (board(side=0.02, number=9000), "", ""),  # too small to matter
        (board(side=1, number=12), "", ""),
        (board(ties=1), "", "all winners stand on one side"),
        (sorted_by_name(board(side=1)), "", "as columns sorted by name do"),
        (winner_first(board(side=1)), "", "as they do where the winner is first"),
        # Single votes are sure of it; the judges differ, and eight say nothing.
        (board(spread=1, judges=8), "", ""),
        (board(spread=1, judges=8).drop(columns="judge"), "win (more|less)", ""),
    ],
    ids=[
        "none",
        "balanced",
        "second favoured",
        "the worst first",
        "the worst first, no side",
        "tiny",
        "few votes",
        "ties alone",
        "sorted by name",
        "winner first",
        "judges differ",
        "the same without judges",
    ],
)
def test_answer_ranking_of_planted_boards(votes, said, noted):
    answer = answer_ranking(read(votes), ["soccer"])
    lines = [line for line in answer.warnings if "shown first win" in line]
    assert len(lines) == bool(said) and all(re.search(said, line) for line in lines)
    notes = [note for note in answer.notes if "Who was shown first" in note]
    assert len(notes) == bool(noted) and all(noted in note for note in notes)


def test_rank_with_a_side_puts_the_worst_last():
    votes = board(side=1, last_first=0.95)
    assert rank(votes, "bradley-terry").order.index("u") < 4
    assert rank(votes, "bradley-terry-side").order == [*SYSTEMS]
    answer = answer_ranking(read(votes), ["bradley-terry-side"])
    assert answer.tables["clusters"]["systems"].iloc[-1] == ["u"]
    assert not any("shown first" in line for line in answer.warnings)
    left_out = stability(votes, "bradley-terry-side")
    assert not left_out.table["reversed"].any()
    # Of a reference, comparisons do not count; of counts, nobody was shown first.
    assert rank(votes, "bradley-terry-side", reference="p").order == [*SYSTEMS[1:]]
    with data_error("who was shown first is not known: every pair"):
        rank(count(votes), "bradley-terry-side")


def test_resampler_with_sides_against_single_votes():
    votes = compared(board(300, side=1, judges=30))
    units = resampler(votes, "q", "judge", sided=True)
    (drawn,) = units.without_each()
    judges = sorted(votes["judge"].unique(), key=str)
    for judge, seen in zip(judges, drawn.seen.swapaxes(0, 1), strict=True):
        others = without(votes[votes["judge"] != judge], "q")
        expected = tally(others, drawn.systems)[drawn.first, drawn.second]
        assert (expected == seen.T).all()
    met = without(votes, "q").melt("judge", ["system_1", "system_2"])
    occurrences = met.groupby("value")["judge"].nunique()
    assert units.occurrences().tolist() == occurrences[[*drawn.systems]].tolist()


def test_advantage_against_an_optimiser():
    """Davidson & Beaver (1977), with the priors, by BFGS over every vote."""
    votes = board(200, side=0.7)
    seen = tally(compared(votes), tuple(SYSTEMS))
    virtual = np.full((3, 6), PRIOR / 3)

    def loss(theta):
        *strength, side, tie = theta
        d = np.subtract.outer(strength, strength) + side
        real = np.log(LINKS["davidson"].probabilities(d, tie))
        others = np.log(LINKS["davidson"].probabilities(np.array(strength), tie))
        fit = (np.moveaxis(seen, 2, 0) * real).sum() + (virtual * others).sum()
        return FAINT * side**2 / 2 - fit

    expected = optimize.minimize(loss, np.zeros(8), tol=1e-9).x
    found = advantage(compared(votes))
    assert found.log_odds == pytest.approx(expected[6], abs=1e-4)
    strength = rank(votes, "bradley-terry-side").column("score")[[*SYSTEMS]]
    assert strength.to_numpy() == pytest.approx(
        expected[:6] - expected[:6].mean(), abs=1e-4
    )


def uneven(number, judges, seed, side=0.0):
    """Votes of judges with numbers, and advantages of the first, of their own."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.permutation(6)[:2] for _ in range(number)])
    judge = rng.choice(judges, size=number, p=rng.dirichlet(np.full(judges, 0.7)))
    shown = side + 0.8 * rng.normal(size=judges)[judge]
    is_first = rng.random(number) < special.expit(np.diff(pairs).ravel() / 3 + shown)
    winner = np.where(is_first, *SYSTEMS[pairs].T)
    winner[rng.random(number) < 0.3] = "tie"
    a, b = SYSTEMS[pairs].T
    return pd.DataFrame({"a": a, "b": b, "winner": winner, "judge": judge})


def test_advantage_interval_of_judges_by_hand():
    """Each judge's pull is how the optimum moves as the judge's votes weigh more."""
    # With a large side and many ties, the tie parameter pulls, too.
    votes = compared(uneven(240, 6, seed=3, side=1.5))
    virtual = np.full((3, 6), PRIOR / 3)
    by_judge = [
        np.moveaxis(tally(rows, tuple(SYSTEMS)), 2, 0)
        for _, rows in votes.groupby("judge", observed=True)
    ]

    def side(weights):
        seen = np.tensordot(weights, by_judge, 1)

        def loss(theta):
            *strength, side, tie = theta
            d = np.subtract.outer(strength, strength) + side
            fit = (seen * np.log(LINKS["davidson"].probabilities(d, tie))).sum()
            faint = LINKS["davidson"].probabilities(np.array(strength), tie)
            return FAINT * side**2 / 2 - fit - (virtual * np.log(faint)).sum()

        return optimize.minimize(loss, np.zeros(8), tol=1e-9).x[6]

    step = 0.05 * np.eye(len(by_judge))
    pull = np.array([side(1 + up) - side(1 - up) for up in step]) / 0.1
    share = np.array([seen.sum() for seen in by_judge]) / 240
    free = 240 - 6 - 2
    variance = (pull**2 / (1 - share)).sum() * 240 / free
    t = stats.t(1 / (share**2).sum() - 1)
    found = advantage(votes, "judge")
    half = t.ppf(0.975) * variance**0.5
    assert found.high - found.log_odds == pytest.approx(half, rel=0.01)
    assert found.log_odds - found.low == pytest.approx(half, rel=0.01)
    p = 2 * t.sf(abs(found.log_odds) / variance**0.5)
    assert found.p == pytest.approx(p, rel=0.02)


def test_advantage_of_few_judges_of_unequal_numbers():
    """Without an effect: 5 of 100 intervals leave 0 out, and 1 of 100 warns."""
    found = [advantage(compared(uneven(300, 8, seed)), "judge") for seed in range(100)]
    assert sum(side.low <= 0 <= side.high for side in found) >= 90
    assert sum(side.p < 0.01 for side in found) <= 4


@pytest.mark.parametrize("log_odds, warned", [(0.02, False), (0.06, True)])
def test_first_shown_warns_of_no_small_advantage_however_sure(log_odds, warned):
    """As of a million votes."""
    for side in (log_odds, -log_odds):
        sure = Advantage(side, side - 0.01, side + 0.01, 1e-9, [])
        assert len(first_shown(sure)) == warned


def test_advantage_of_one_judge_is_none():
    votes = compared(uneven(300, 8, 1).assign(judge="ann"))
    assert advantage(votes, "judge") is None
