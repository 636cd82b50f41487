"""What each phase of a run cost, beside what the program says of itself."""

import json
import subprocess

import pytest
import workbench
from workbench import MIB, SONDE, truth_program

# A mark is seen when sonde gets a CPU: at once on a machine that is not full, up to some tens of milliseconds later where all
# cores are busy. That shifts time from one phase to its neighbour, but no work: the program rests after each mark.
LATE_S = 0.12
JIFFIES_S = 0.03  # what ended children used is told in steps of 10 ms


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    recording = tmp_path_factory.mktemp("phases") / "run.sonde"
    done = subprocess.run([SONDE, "run", "-q", "-o", str(recording), "--", truth_program("phases")], capture_output=True,
                          check=True, timeout=60)
    shown = workbench.show(recording)
    return json.loads(done.stdout), {phase["name"]: phase["totals"] for phase in shown["phases"]}, shown, recording


NAMES = ["burn", "sleep", "touch", "write", "fork"]


@pytest.mark.parametrize("name", NAMES)
def test_time(ran, name):
    truth, phases, _, _ = ran
    assert phases[name]["wall_s"]["value"] == pytest.approx(truth[f"{name}_wall_s"], abs=LATE_S)


@pytest.mark.parametrize("name", NAMES)
def test_cpu(ran, name):
    """Burned after the rest, so nothing of it can fall into another phase; what is said at the end costs a little, too."""
    truth, phases, _, _ = ran
    expected = truth[f"{name}_cpu_s"] + (0.3 if name == "fork" else 0)
    assert phases[name]["cpu_s"]["value"] == pytest.approx(expected, abs=0.01 + JIFFIES_S)


def test_memory(ran):
    """The program itself has less than 2 MiB."""
    _, phases, _, _ = ran
    assert 100 * MIB <= phases["touch"]["memory_tree_peak_bytes"]["value"] <= 103 * MIB
    for name in ("burn", "sleep", "fork"):
        assert phases[name]["memory_tree_peak_bytes"]["value"] < 6 * MIB, name
    assert phases["fork"]["processes_peak"]["value"] == 2 and phases["burn"]["processes_peak"]["value"] == 1


def test_written(ran):
    """All writes but the mark itself, and the truth at the end."""
    _, phases, _, _ = ran
    assert phases["write"]["io_write_bytes"]["value"] == pytest.approx(2000 * 8192, abs=100)
    assert phases["burn"]["io_write_bytes"]["value"] < 100


def test_one_phase_alone(ran):
    """The child of the last phase is in its rows and in no other's, with all that it used."""
    _, _, whole, recording = ran
    for name in NAMES:
        alone = workbench.show(recording, "--phase", name)
        rows = sorted(alone["processes"], key=lambda row: row["id"])
        assert len(rows) == (2 if name == "fork" else 1), name
        own = sum(row["totals"]["cpu_s"]["value"] for row in rows)
        assert own == pytest.approx(alone["totals"]["cpu_s"]["value"], abs=0.01 + JIFFIES_S), name
    assert rows[1]["totals"]["cpu_s"]["value"] == pytest.approx(0.3, abs=0.02 + JIFFIES_S)
    assert whole["totals"]["processes"]["value"] == 2
