"""The same truth where perf events are closed, as on stock Debian and Ubuntu and in most containers: what wait4 and /proc
tell stays exact, and what only events could tell is called estimated, with the reason."""

import functools
import json
import pathlib
import subprocess
import tempfile

import pytest
import test_truth
import workbench
from workbench import MIB, truth_program


@functools.lru_cache(maxsize=None)
def measured(case):
    workbench.BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=workbench.BUILD) as name:
        folder = pathlib.Path(name)
        command = [truth_program("closed"), *test_truth.command_of(case, folder, None)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
        shown = workbench.show(folder / "run.sonde")
    assert shown["sonde"]["events"] == "none", shown["sonde"]
    return json.loads(ran.stdout), shown


def total(shown, name):
    return workbench.figure(shown, "totals", name)


@pytest.mark.parametrize("case", ["cpu", "storm_fork", "double", "daemon", "chain"])
def test_cpu_is_exact(case):
    truth, shown = measured(case)
    figure = total(shown, "cpu_s")
    assert figure["how"] == "measured", figure
    if case == "cpu":
        assert abs(figure["value"] - truth["cpu_s"]) < 0.003 * truth["cpu_s"] + 0.003, (figure, truth)
    rows = sum(p["totals"]["cpu_s"]["value"] or 0 for p in shown["processes"])
    assert rows <= figure["value"] * 1.01 + 0.02, "rows hold more than the whole"
    if case == "storm_fork":
        assert rows >= figure["value"] * 0.9, "what nobody saw has no row"


@pytest.mark.parametrize("case", ["io_children", "io_write"])
def test_io_is_exact(case):
    truth, shown = measured(case)
    for name in ("io_read_bytes", "io_write_bytes", "io_write_calls", "storage_write_bytes"):
        assert total(shown, name)["value"] == truth[name], (name, total(shown, name))


@pytest.mark.parametrize("case, processes", [("touch", 1), ("parallel", 5), ("cow", 5), ("sequence", 2), ("storm_fork", 2)])
def test_bracket_holds(case, processes):
    truth, shown = measured(case)
    figure, bytes_ = total(shown, "memory_tree_peak_bytes"), truth.get("memory_bytes", 0)
    assert figure["low"] <= bytes_ + processes * 2 * MIB and figure["high"] >= bytes_, (figure, truth)


def test_processes_that_nobody_saw_are_not_counted_as_if():
    _, shown = measured("storm_fork")
    figure = total(shown, "processes")
    assert figure["how"] == "estimated" and figure["low"] <= 10001 and figure["why"], figure


def test_dropped_children_are_said():
    """SIGCHLD ignored, and nothing that could tell: a lower bound, called so."""
    _, shown = measured("ignore")
    figure = total(shown, "cpu_s")
    assert figure["how"] == "estimated" and "SIGCHLD" in figure["why"], figure
    assert any("SIGCHLD" in note for note in shown["notes"]), shown["notes"]


def test_a_cgroup_tells_of_dropped_children():
    """The same inside a group of its own, as in a Slurm step or a container: the group knows."""
    group = workbench.cgroup_new()
    if not group:
        pytest.skip("no cgroup of our own may be made here")
    with tempfile.TemporaryDirectory(dir=workbench.BUILD) as name:
        folder = pathlib.Path(name)
        command = [truth_program("closed"), truth_program("incgroup"), group.procs,
                   *test_truth.command_of("ignore", folder, None)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
        figure = total(workbench.show(folder / "run.sonde"), "cpu_s")
        truth_s = group.cpu_s()
    group.remove()
    assert figure["how"] == "estimated" and figure["source"] == "cgroup", figure
    assert figure["low"] <= figure["value"] <= truth_s and figure["value"] > 0.93 * truth_s, (figure, truth_s)
