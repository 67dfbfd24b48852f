"""Drawing and filling: worked by hand."""

import numpy as np

from wmtlib.study.simulation import hit_filling


def test_hits_close_when_the_next_document_does_not_fit():
    sizes = np.array([30, 30, 20, 70, 5, 65, 1])
    assert hit_filling.pack(sizes, 70).tolist() == [0, 0, 1, 2, 3, 3, 4]


def test_rank_within_a_group():
    group, key = np.array([2, 0, 2, 2, 0]), np.array([0.5, 0.9, 0.1, 0.7, 0.2])
    assert hit_filling.rank_in_group(group).tolist() == [0, 0, 1, 2, 1]
    assert hit_filling.rank_in_group(group, key).tolist() == [1, 1, 0, 2, 0]


def test_no_number_comes_again_before_all_have_come():
    group = np.array([0, 1, 0, 0, 1, 0, 0, 0])
    drawn = hit_filling.draw_without_replacement(group, 3, np.random.default_rng(1))
    zeros = drawn[group == 0].tolist()
    assert sorted(zeros[:3]) == sorted(zeros[3:]) == [0, 1, 2]
    assert len(set(drawn[group == 1].tolist())) == 2
