"""sonde run: its options, what it keeps and where."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

import pytest
from conftest import SONDE


def shown(sonde, *which, **how):
    ran = sonde("show", "--json", *which, **how)
    assert ran.status == 0, ran
    return json.loads(ran.out)


def recordings(directory):
    return sorted(p.name for p in pathlib.Path(directory).glob("?*.sonde*"))


def test_summary_goes_to_stderr_and_fits(sonde):
    ran = sonde("run", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert ran.status == 3 and ran.out == "out\n"
    lines = ran.err.splitlines()
    assert lines[0] == "err" and "time" in lines[1] and "cores" in lines[1] and "memory" in lines[1]
    assert len(lines) <= 9 and all(len(line) <= 80 for line in lines)
    assert any("next: sonde show" in line for line in lines)


def test_name_tags_and_the_rest_are_kept(sonde, tmp_path):
    sonde("run", "-q", "--name", "fit", "--tag", "size=small", "-t", "who=me=you", "sh", "-c", "exit 7", "two words")
    run = shown(sonde, "fit")["run"]
    assert run["name"] == "fit" and run["tags"] == {"size": "small", "who": "me=you"}
    assert run["command"] == ["sh", "-c", "exit 7", "two words"]
    assert run["exit"]["status"] == 7 and run["exit"]["signal"] is None and run["complete"] is True
    assert run["directory"] == str(tmp_path) and run["host"] == os.uname().nodename


def test_signal_is_kept(sonde):
    assert sonde("run", "-q", "sh", "-c", "kill -TERM $$").status == -signal.SIGTERM
    assert shown(sonde)["run"]["exit"]["signal"] == signal.SIGTERM


def test_where_recordings_go(sonde, tmp_path):
    sonde("run", "-q", "true")
    assert len(recordings(tmp_path / "data" / "sonde")) == 1
    assert stat.S_IMODE((tmp_path / "data" / "sonde").stat().st_mode) == 0o700
    (tmp_path / ".sonde").mkdir()
    sonde("run", "-q", "true")
    assert len(recordings(tmp_path / ".sonde")) == 1 and len(recordings(tmp_path / "data" / "sonde")) == 1
    sonde("run", "-q", "-o", "here.sonde", "true")
    assert recordings(tmp_path) == ["here.sonde"]
    sonde("run", "-q", "--no-record", "true")
    assert len(recordings(tmp_path / ".sonde")) == 1


def test_output_is_not_overwritten(sonde, tmp_path):
    (tmp_path / "kept.sonde").write_text("mine")
    ran = sonde("run", "-q", "-o", "kept.sonde", "sh", "-c", "echo ran; exit 4")
    assert (ran.status, ran.out) == (4, "ran\n"), "the program runs all the same"
    assert "kept.sonde" in ran.err and (tmp_path / "kept.sonde").read_text() == "mine"


def test_output_in_a_missing_directory(sonde):
    ran = sonde("run", "-q", "-o", "no/such/x.sonde", "sh", "-c", "exit 4")
    assert ran.status == 4 and "no/such/x.sonde" in ran.err and len(ran.err.splitlines()) <= 2


def test_json_comes_behind_the_output(sonde):
    ran = sonde("run", "-q", "--json", "--no-record", "echo", "mine")
    first, rest = ran.out.split("\n", 1)
    assert first == "mine" and json.loads(rest)["format"] == "sonde.run/1" and ran.err == ""


def test_what_is_not_started_is_not_kept(sonde, tmp_path):
    for words, status in ((["no-such-program"], 127), (["/etc/passwd"], 126), (["/"], 126)):
        ran = sonde("run", *words)
        assert ran.status == status and words[0] in ran.err and "cannot run" in ran.err
    assert recordings(tmp_path / "data" / "sonde") == []


@pytest.mark.parametrize("bad", [["--tag", "novalue"], ["--tag", "=x"], ["--interval", "1us"], ["--budget", "0"],
                                 ["--budget", "200%"], ["-o", "x.sonde", "--no-record"], ["--timeout", "soon"]])
def test_bad_options_run_nothing(sonde, tmp_path, bad):
    ran = sonde("run", *bad, "touch", "ran")
    assert ran.status == 2 and ran.err.startswith("sonde: ") and not (tmp_path / "ran").exists()


def test_timeout_ends_the_program(sonde):
    ran = sonde("run", "-q", "--timeout", "300ms", "sleep", "30")
    assert ran.status == -signal.SIGTERM
    assert "--timeout" in shown(sonde)["run"]["exit"]["reason"]


def test_timeout_leaves_a_quick_one_alone(sonde):
    assert sonde("run", "-q", "--timeout", "20s", "sh", "-c", "exit 5").status == 5
    assert shown(sonde)["run"]["exit"]["reason"] is None


def test_timeout_kills_what_will_not_end(sonde):
    """SIGTERM is ignored by all; five seconds later they are gone, the grandchild, too."""
    script = 'trap "" TERM; (trap "" TERM; echo $$; exec sleep 60) & while :; do sleep 1; done'
    began = time.monotonic()
    ran = sonde("run", "-q", "--wait", "--timeout", "200ms", "sh", "-c", script)
    assert ran.status == -signal.SIGKILL and time.monotonic() - began < 40


def test_secrets_are_masked_before_anything_is_written(sonde, tmp_path):
    sonde("run", "-q", "-o", "x.sonde", "sh", "-c", "sleep 0.3", "--password=hunter2", "--api-key", "opensesame",
          "https://me:swordfish@host/", env={"SECRET_TOKEN": "xyzzy123"})
    kept = (tmp_path / "x.sonde").read_bytes()
    text = sonde("show", "--json", "./x.sonde").out
    for secret in ("hunter2", "opensesame", "swordfish", "xyzzy123"):
        assert secret.encode() not in kept and secret not in text, secret


def test_interval_is_kept_and_said(sonde):
    sonde("run", "-q", "--interval", "20ms", "sleep", "1")
    said = shown(sonde)["sonde"]
    assert said["interval_asked_s"]["value"] == 0.02 and said["ticks"] >= 15


def test_budget_slows_down(sonde):
    """A thousandth of the usual budget: ticks must become few, and it is said how few."""
    sonde("run", "-q", "--budget", "0.001%", "sh", "-c", "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done")
    shy = shown(sonde)
    sonde("run", "-q", "sh", "-c", "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done")
    usual = shown(sonde)
    assert shy["sonde"]["ticks"] / shy["totals"]["wall_s"]["value"] < usual["sonde"]["ticks"] / usual["totals"]["wall_s"]["value"]
    assert shy["sonde"]["interval_s"]["value"] > shy["sonde"]["interval_asked_s"]["value"] / 2


def test_gaps_stay_gaps(sonde, tmp_path):
    """The whole job is stopped for a second: nobody looked, and nothing is made up."""
    with subprocess.Popen([SONDE, "run", "-q", "-o", "gap.sonde", "sleep", "2"], cwd=tmp_path,
                          start_new_session=True) as job:
        time.sleep(0.6)
        os.killpg(job.pid, signal.SIGSTOP)
        time.sleep(1)
        os.killpg(job.pid, signal.SIGCONT)
        assert job.wait(30) == 0
    data = shown(sonde, "./gap.sonde", "--series", "processes")
    line = data["series"]["processes"]
    assert data["sonde"]["gaps"] >= 1 and data["sonde"]["gaps_s"]["value"] > 0.7, data["sonde"]
    assert any(value is None for _, value in line), line
    times = [t for t, value in line if value is not None]
    assert max(b - a for a, b in zip(times, times[1:])) > 0.7, "no point stands inside the gap"


def test_survivors_are_named(sonde):
    ran = sonde("run", "setsid", "sh", "-c", "sleep 2 >/dev/null 2>&1 </dev/null & sleep 0.3; exit 0")
    data = shown(sonde)
    assert ran.status == 0 and any(note.startswith("'sleep' lives on") for note in data["notes"])
    alive = [p for p in data["processes"] if p["ended_s"] is None]
    assert [p["name"] for p in alive] == ["sleep"]


def test_sleepers_that_ended_do_not_live_on(sonde):
    """Who sleeps for long is asked less often, but not at the end."""
    ran = sonde("run", "--json", "-q", "sh", "-c", "sleep 3 | cat | cat | cat | cat")
    run = json.loads(ran.out)
    assert run["notes"] == []
    assert all(process["ended_s"] is not None for process in run["processes"])


def test_all_hold_at_least_what_the_largest_holds(sonde):
    """Small programs share most of their pages with others on the machine."""
    ran = sonde("run", "-q", "sh", "-c", "sleep 0.5; sleep 0.5")
    assert ran.status == 0
    series = json.loads(sonde("show", "--json", "--series", "all").out)["series"]
    tree, largest = series["memory_tree_bytes"], series["memory_process_bytes"]
    assert len(tree) == len(largest) > 2
    assert all(a[1] >= b[1] for a, b in zip(tree, largest))


def test_one_after_another_is_one_core(sonde, tmp_path):
    """The account of a worker that ended goes to its parent, which slept for seconds: at that tick, not later."""
    burn = tmp_path / "burn.py"
    burn.write_text("import time\nwhile time.process_time() < 2.5: pass\n")
    ran = sonde("run", "-q", "sh", "-c", f"for i in 1 2 3; do {sys.executable} {burn}; done")
    assert ran.status == 0
    series = json.loads(sonde("show", "--json", "--series", "cores").out)["series"]["cores"]
    assert max(cores for _, cores in series if cores is not None) < 1.3  # children's time comes in steps of 10 ms
