"""The votes of llmfao, from a file of our own and from the public one."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from study.data import arena_votes, sources
from study.data.arena_votes import load_llmfao
from wmtlib.core.errors import DataUnavailable

VOTES = """id,prompt,model_x,model_y,worker,winner,left,right
0,8,1,2,4021,tie,B,A
1,9,2,1,4021,left,A,B
1,9,1,2,77,right,A,C
"""


def test_votes_are_comparisons_of_judges_by_number(monkeypatch, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, encoding="utf-8")
    files = {sources.public_files("llmfao")[0]: path}
    monkeypatch.setattr(sources, "local_files", lambda *_: files)
    names = pd.CategoricalDtype(list("ABC"))
    expected = pd.DataFrame(
        {
            "segment": pd.array([8, 9, 9]).astype("int32"),
            "judge": pd.Categorical(["judge_002", "judge_002", "judge_001"]),
            "system_1": pd.Categorical(list("BAA"), dtype=names),
            "system_2": pd.Categorical(list("ABC"), dtype=names),
            "preference": pd.array([0, 1, 2]).astype("int8"),
        }
    )
    assert_frame_equal(load_llmfao(), expected)


def test_no_votes_are_embedded():
    with pytest.raises(DataUnavailable, match="no votes are embedded"):
        load_llmfao(source="embedded")


@pytest.mark.realdata
def test_all_public_votes_are_read(mirror):
    votes = load_llmfao(source="mirror")
    numbers = votes[["segment", "judge", "system_1", "system_2"]].nunique()
    assert numbers.tolist() == [13, 124, 59, 59]
    assert votes["preference"].value_counts(sort=False).to_dict() == {
        arena_votes.TIE: 3471,
        arena_votes.FIRST: 2911,
        arena_votes.SECOND: 2549,
    }
    assert votes["judge"].cat.categories.str.fullmatch(r"judge_\d{3}").all()
