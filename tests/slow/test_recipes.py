"""The recipes of the notebook give, on the sample, the figures that were computed independently."""

import json
import warnings

import pytest


def test_recipes_give_the_figures_of_the_sample(root, tmp_path, monkeypatch, capsys):
    pytest.importorskip("powerlaw", reason="the recipes use packages of the extra slow")
    monkeypatch.chdir(tmp_path)
    cells = json.loads((root / "notebooks" / "recipes.ipynb").read_text("utf-8"))["cells"]
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    assert list(names["pairs"]["delta"].round(6)) == [-0.036364, 0.016706, 0.048372]
    assert names["kruskal"].statistic == pytest.approx(0.916484, abs=1e-6)
    assert names["spearman"].statistic == pytest.approx(0.440801, abs=1e-6)
    assert (names["fit"].xmin, names["fit"].alpha) == (12, pytest.approx(2.110694, abs=1e-5))
    assert names["ratio"] == pytest.approx(-0.736987, abs=1e-4)
    aicc = names["growth"].set_index("curve")["aicc"]
    assert aicc["linear"] == pytest.approx(2956.845, abs=0.01)
    assert aicc["logistic"] == pytest.approx(2492.283, abs=0.01)
    assert names["chi_squared"] == pytest.approx(8.94838, abs=1e-5)
    hazards = names["hazards"]
    assert list(hazards["hazard_ratio"]) == pytest.approx(
        [0.9937, 1.1661, 1.3533, 1.4625], abs=1e-3
    )
    assert list(hazards["high"]) == pytest.approx([1.33559, 1.59885, 1.85084, 2.02885], abs=1e-3)
    luxembourg = names["rates"].loc["LU", ["per_million", "low", "high"]]
    assert list(luxembourg.astype(float).round(4)) == [6.4527, 1.7581, 16.5215]
    assert names["low"] < 0.95 < names["high"]  # the sample is random, its share near the truth
