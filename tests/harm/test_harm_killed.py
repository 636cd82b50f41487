"""kill -9 of sonde's own processes at any moment: the program goes on to its end, and the recording can be read."""

import json
import os
import random
import signal
import subprocess
import time

import harm
import pytest
from harm import program, under, until

MOMENTS = [0.0, 0.003, 0.01, 0.03, 0.1, 0.25, 0.6, 0.75]


def kill_one(started, role):
    """Kills the n-th of sonde's processes (0 is the one that was started); says whether there was one."""
    ours = list(harm.sonde_processes(started.pid))
    if role >= len(ours):
        return False
    try:
        os.kill(ours[role], signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def shown_or_nothing(recording):
    """What `sonde show` makes of what was left: a run, or a clear word that there is none. Never a crash."""
    ran = harm.run([harm.SONDE, "show", "--json", str(recording)])
    assert ran.status in (0, 1), ran
    if ran.status == 1:
        assert ran.err.startswith(b"sonde: ") and str(recording).encode() in ran.err, ran.err
        return None
    return json.loads(ran.out)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("role", [0, 1])  # the one that was started (it samples), and the launcher
def test_program_goes_on(role, moment, tmp_path):
    recording, mark = tmp_path / "run.sonde", tmp_path / "mark"
    started = subprocess.Popen(under([program("worker"), str(mark), "0.8", "7"], recording), stderr=subprocess.PIPE,
                               start_new_session=True)
    assert until(mark.exists), "the program did not start"
    time.sleep(moment)
    killed = kill_one(started, role)
    assert until(lambda: mark.read_bytes().endswith(b"done"), 5), \
        f"the program was lost with {mark.stat().st_size} dots; {started.stderr.read()!r}"
    status = started.wait(10)
    if not killed:
        pytest.skip(f"sonde has no process {role} at that moment")
    assert status == -signal.SIGKILL if role == 0 else status in (7, 125), (status, started.stderr.read())
    assert until(lambda: not harm.sondes_of(recording), 5), "something of sonde lives on"
    shown = shown_or_nothing(recording)
    if moment > 0:
        assert shown is not None, "nothing was kept of a run that had begun"
        assert shown["run"]["command"][1] == str(mark)


@pytest.mark.parametrize("seed", range(6))
def test_all_at_once(seed, tmp_path):
    """A node that dies takes all of sonde at one moment. What was written until a second before is there."""
    wait_s = random.Random(seed).uniform(0.05, 3.0)
    recording, mark = tmp_path / "run.sonde", tmp_path / "mark"
    started = subprocess.Popen(under([program("worker"), str(mark), "4", "0"], recording), start_new_session=True)
    assert until(mark.exists)
    time.sleep(wait_s)
    for pid in harm.sonde_processes(started.pid):
        os.kill(pid, signal.SIGKILL)
    started.wait(10)
    shown = shown_or_nothing(recording)
    assert shown is not None or wait_s < 1, "more than the last second was lost"
    if shown:
        assert shown["run"]["complete"] is False
        assert shown["totals"]["wall_s"]["value"] > wait_s - 1.2, shown["totals"]["wall_s"]
    again = shown_or_nothing(recording)
    assert (again is None) == (shown is None), "reading it twice gives something else"
    assert until(lambda: mark.read_bytes().endswith(b"done"), 10), "the program was lost"


def test_everybody_killed_with_the_program(tmp_path):
    """As the kernel's out-of-memory killer or a batch system does: the whole session, at once."""
    recording, mark = tmp_path / "run.sonde", tmp_path / "mark"
    started = subprocess.Popen(under([program("worker"), str(mark), "10", "0"], recording), start_new_session=True)
    assert until(mark.exists)
    time.sleep(2)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait(10)
    assert until(lambda: not harm.sondes_of(recording), 5)
    shown = shown_or_nothing(recording)
    assert shown is not None, "nothing was kept"
    assert shown["totals"]["wall_s"]["value"] > 0.8, shown["totals"]["wall_s"]


def test_history_after_a_crash(tmp_path):
    """The default place, too: `show last` finds the broken run, repairs it and says so on stderr."""
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    started = subprocess.Popen(under([program("worker"), str(tmp_path / "mark"), "2", "0"]), env=environment,
                               start_new_session=True)
    assert until((tmp_path / "mark").exists)
    time.sleep(1.3)
    for pid in harm.sonde_processes(started.pid):
        os.kill(pid, signal.SIGKILL)
    started.wait()
    ran = harm.run([harm.SONDE, "show", "--json", "last"], env=environment)
    assert ran.status == 0, ran
    assert json.loads(ran.out)["run"]["complete"] is False
