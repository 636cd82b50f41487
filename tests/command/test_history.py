"""history: the last line, and the object `totals`."""

import json
import re

import pytest


@pytest.fixture
def three(sonde):
    for name in ("a", "b", "b"):
        assert sonde("run", "--name", name, "sh", "-c", "sleep 0.2").status == 0


def totals(sonde, *words):
    ran = sonde("history", "--json", *words)
    assert ran.status == 0
    history = json.loads(ran.out)
    return history["runs"], history["totals"]


@pytest.mark.parametrize("words, count", [([], 3), (["--name", "b"], 2), (["--limit", "1"], 1),
                                          (["--since", "1w"], 3), (["--host", "elsewhere"], 0)])
def test_totals_are_of_the_listed(sonde, three, words, count):
    runs, both = totals(sonde, *words)
    assert len(runs) == both["runs"] == count
    assert (both["running"], both["damaged"]) == (0, 0)
    for name, together in [("wall_s", sum), ("cpu_s", sum), ("memory_tree_peak_bytes", max)]:
        told = [run["totals"][name]["value"] for run in runs]
        assert both[name]["runs"] == count and None not in told
        if count > 0:
            assert both[name]["value"] == pytest.approx(together(told))
        else:
            assert both[name]["value"] is None and both[name]["how"] == "absent"
    text = sonde("history", *words).out
    if count > 0:
        assert re.search(rf"\n\n{count} runs?: time [\d.]+ m?s, CPU time .*, memory at most", text)
        assert max(map(len, text.splitlines())) <= 80
    else:
        assert text == ""


def test_damaged_ones_are_counted_apart(sonde, three, tmp_path):
    (tmp_path / "data/sonde/20990101-000000-badbad00.sonde").write_bytes(b"x" * 999)
    runs, both = totals(sonde)
    assert len(runs) == 4 and both["runs"] == 3 and both["damaged"] == 1
    assert "; 1 more damaged" in sonde("history").out.replace("\n  ", " ")


def test_nothing_recorded(sonde):
    runs, both = totals(sonde)
    assert runs == [] and both["runs"] == 0 and both["wall_s"]["value"] is None
