"""The judgements of a release, and which of them are accepted."""

from hypothesis import given
from hypothesis import strategies as st
from released_rows import HERE, line, released

from wmtlib.study.releases import released_judgements


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["w1", "w2"]),
            st.sampled_from(["A", "B", "A+B", "B+C"]),
            st.integers(0, 2),
            st.integers(0, 2),
            st.booleans(),
        ),
        min_size=1,
    ).filter(lambda rows: any(accepted for *_, accepted in rows))
)
def test_accepted_scores_of_every_system_are_those_of_the_accepted_file(rows):
    latest = [line(w, s, f"d_{k}", x, rid=n) for n, (w, s, k, x, _) in enumerate(rows)]
    good = [
        line(w, part, f"d_{k}", x, rid=n)
        for n, (w, s, k, x, accepted) in enumerate(rows)
        for part in s.split("+")
        if accepted
    ]
    found, accepted = released_judgements.mark_accepted(released(*latest), released(*good), HERE)
    assert accepted.tolist() == [accepted for *_, accepted in rows]
    assert found["sys_id"].tolist() == [s for _, s, *_ in rows]
