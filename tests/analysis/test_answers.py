"""Answers show themselves in JupyterLab, whatever the names in them."""

from bs4 import BeautifulSoup
from odd_names import NAMES, odd_answer, small_answer


def test_an_answer_shows_its_words_tables_and_figures(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    odd_answer(tmp_path)._ipython_display_()
    kinds = [type(part).__name__ for part in shown]
    assert kinds == ["AnswerSection", "Image", "Image", "AnswerSection", "AnswerSection", "Image"]
    page = BeautifulSoup(shown[0]._repr_html_(), "html.parser")
    assert {cell.get_text() for cell in page("td")} >= set(NAMES) and not page.select("script")
    assert shown[1].data[1:4] == b"PNG" and len(repr(shown[0])) < 2000


def test_details_are_for_files_alone():
    (section,) = small_answer(["Pairs"], Pairs={"hidden": [1]}, Ranks={"seen": [1]}).sections
    assert list(section.all_tables) == ["Ranks", "Pairs"]
    assert "hidden" not in section._repr_html_() and "seen" in section._repr_html_()
    assert "<b>Warning:</b> Mind!" in section._repr_html_()
