"""The same truth for a user without any right: no root, no group, not even a home."""

import functools
import json
import os
import pathlib
import subprocess
import tempfile

import pytest
import test_truth
import workbench
from workbench import MIB, truth_program

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]


@functools.lru_cache(maxsize=None)
def measured(case):
    """In /tmp, because a checkout may lie where nobody may not go; the binary and the program are copied there."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        command = test_truth.command_of(case, folder, None)
        for original in {command[0], truth_program(test_truth.CASES[case][0].split()[0])}:
            copy = folder / os.path.basename(original)
            copy.write_bytes(pathlib.Path(original).read_bytes())
            copy.chmod(0o755)
            command = [str(copy) if word == original else word for word in command]
        ran = subprocess.run([*NOBODY, *command], capture_output=True, text=True, timeout=120, cwd=folder,
                             env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
        assert ran.returncode == 0, ran.stderr
        shown = workbench.show(folder / "run.sonde")
    return json.loads(ran.stdout), shown


pytestmark = pytest.mark.skipif(not workbench.is_root(), reason="only root may become nobody; without root all tests are it")


@pytest.mark.parametrize("case", ["cpu", "storm_fork"])
def test_cpu_is_exact(case):
    truth, shown = measured(case)
    figure = workbench.figure(shown, "totals", "cpu_s")
    assert figure["how"] == "measured", figure
    if case == "cpu":
        assert abs(figure["value"] - truth["cpu_s"]) < 0.003 * truth["cpu_s"] + 0.003, (figure, truth)
    processes = workbench.figure(shown, "totals", "processes")
    assert processes["how"] == "estimated" or processes["value"] == truth.get("processes", 1), processes


@pytest.mark.parametrize("case", ["io_children", "io_write", "io_sync"])
def test_io_is_exact(case):
    truth, shown = measured(case)
    for name in ("io_read_bytes", "io_write_bytes", "io_write_calls", "storage_write_bytes"):
        assert workbench.figure(shown, "totals", name)["value"] == truth[name], name


@pytest.mark.parametrize("case, processes", [("touch", 1), ("parallel", 5), ("shared", 5)])
def test_bracket_holds(case, processes):
    truth, shown = measured(case)
    figure = workbench.figure(shown, "totals", "memory_tree_peak_bytes")
    assert figure["low"] <= truth["memory_bytes"] + processes * 2 * MIB, (figure, truth)
    assert figure["high"] >= truth["memory_bytes"], (figure, truth)
