"""Worlds fitted to campaigns: removals by hand, and a fit on embedded campaigns."""

import pandas as pd
import pytest

from wmtlib.study.papers import knowles2021_calibration as calibration
from wmtlib.study.releases import coded_campaigns, sources
from wmtlib.study.simulation.designs import WORLDS, calibrated

EMBEDDED = sources.Source("embedded", "00000000")


@pytest.fixture(scope="module")
def real():
    pairs = [p for p in calibration.campaigns_to_fit(EMBEDDED) if p[1] != "qa-qd"]
    return calibration.descriptions(coded_campaigns.load_all(EMBEDDED, pairs))


def test_campaigns_are_described_without_their_human_systems(real):
    assert real["style"].tolist() == ["SR-DC"] * 2 + ["SR+DC"] * 2
    assert (real["systems"] == 6).all() and (real["judgements"] == 4000).all()
    assert real[calibration.REMOVALS].to_numpy().max() <= 1


def test_worlds_are_fitted_written_and_read_again(real, tmp_path, monkeypatch):
    worlds = calibration.fit_worlds(real, seeds=range(2), n_corrections=2)
    assert list(worlds) == ["SR-DC", "SR+DC"]
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    written = calibration.save_worlds(worlds, EMBEDDED)
    path = tmp_path / "wmtlib" / "data" / "worlds.csv"
    assert pd.read_csv(path, dtype=str).equals(written)
    monkeypatch.setattr("wmtlib.study.simulation.designs.WORLDS", path)
    assert {style: calibrated(style) for style in worlds} == worlds
    beside = calibration.beside_real(real, worlds, seeds=range(2))
    assert [*calibration.REMOVALS] == list(beside.index[-2:])
    assert beside["SR+DC"].loc["systems", ["real", "simulated"]].tolist() == [6, 6]


@pytest.mark.realdata
def test_the_package_holds_the_sizes_of_the_real_campaigns(mirror):
    source = sources.resolve("mirror", ["wmt17", "wmt18", "wmt21", "wmt22"])
    pairs = calibration.campaigns_to_fit(source)
    assert len(pairs) == 23 and ("wmt22", "lv-en") not in pairs
    documents = [pair for pair in pairs if pair[0] in ("wmt21", "wmt22")]
    described = calibration.descriptions(coded_campaigns.load_all(source, documents))
    world = calibrated("SR+DC")
    for name in ("systems", "documents", "workers", "judgements"):
        assert described[name].median() == getattr(world, name), name
    packaged = pd.read_csv(WORLDS)
    assert packaged["field"].tolist() == calibration.FIELDS * 2


def test_numbers_within_two_standard_errors_are_counted_without_sizes():
    index = [*calibration.SIZES, "mean", "system", "residual"]
    beside = pd.DataFrame({"real": 10.0, "real_error": 3.0, "simulated_error": 4.0}, index=index)
    beside["simulated"] = [99.0] * len(calibration.SIZES) + [10.0, 19.9, 20.1]
    assert calibration.within_two_errors(beside) == (2, 3)


def test_what_is_put_in_stands_beside_what_is_seen():
    worlds = {"SR-DC": calibrated("SR-DC")}
    seen = pd.DataFrame({"simulated": 1.0}, index=[*calibration.STRETCHED])
    table = calibration.put_in_and_seen(worlds, {"SR-DC": seen})
    assert table.loc["system", ("put in", "SR-DC")] == worlds["SR-DC"].system
    assert (table["seen", "SR-DC"] == 1).all()
