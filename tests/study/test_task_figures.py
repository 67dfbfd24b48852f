import pytest
from matplotlib import pyplot as plt
from PIL import Image

from wmtlib import mfas
from wmtlib.counts import REFERENCE
from wmtlib.study import figures, pictures
from wmtlib.study.releases import ranking_releases, sources


@pytest.fixture(autouse=True)
def in_the_style_of_figures():
    """The style of the notebooks, for these tests only."""
    with plt.rc_context():
        figures.style()
        yield


def test_the_figures_of_all_tasks_are_saved_with_their_captions(tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    some = ranking_releases.tasks("embedded").iloc[[0, 11, 33]]
    monkeypatch.setattr(ranking_releases, "tasks", lambda source: some)
    pictures.save_tasks(sources.resolve("embedded"))
    saved = {path.stem for path in (tmp_path / "figures" / "lopez2012-task").iterdir()}
    experts = some.query("campaign != 'wmt10-crowd'")
    assert saved == set(experts["campaign"] + "-" + experts["task"])
    with Image.open(tmp_path / "figures" / "lopez2012-task" / "wmt10-cs-en.png") as picture:
        assert picture.info["Description"].startswith("2010 Czech-English. Left: margins")


def test_a_figure_says_what_is_proven():
    counts = ranking_releases.load_counts("wmt10", "cs-en", source="embedded")
    solution = mfas.exact_order(counts.without(REFERENCE).wins)
    figure, caption = pictures.draw_task(counts, solution, "2010 Czech-English")
    assert f"violated weight {solution.cost}, proven least" in caption
    titles = [axes.get_title(loc="left") for axes in figure.axes[:3]]
    assert titles == ["2010 Czech-English, MFAS order", "optimal orders: 1", "Rankings"]
    plt.close(figure)
