"""Signals to sonde's pid are the program's: each once. Signals to the whole group arrive once, not twice."""

import os
import pathlib
import signal
import subprocess
import time

import harm
import pytest
from harm import program, under, until

# What is heard for each: a stopping signal that is caught does not stop anybody.
EACH = harm.catchable()


class Listener:
    """The program `hear`, bare or under sonde, in a session and group of its own."""

    def __init__(self, folder, words=None):
        command = [program("hear")]
        words = under(command, folder / "run.sonde") if words is None else [*words, *command]
        self.log = folder / "heard"
        with open(self.log, "wb") as out:
            self.started = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=out, start_new_session=True)
        assert until(lambda: "ready" in self.heard()), "the program did not start"

    def heard(self):
        return self.log.read_text().split("\n")[:-1]

    def count(self, number):
        return self.heard().count(f"got {number:02d}")

    def end(self):
        self.started.stdin.close()
        return self.started.wait(20)


@pytest.mark.parametrize("ours", [False, True], ids=["bare", "sonde"])
def test_each_signal_arrives_once(ours, tmp_path):
    listener = Listener(tmp_path, None if ours else [])
    late = []
    for number in EACH:
        os.kill(listener.started.pid, number)
        if not until(lambda: listener.count(number), 2):  # noqa: B023
            late.append(signal.Signals(number).name if number in list(signal.Signals) else number)
    time.sleep(0.2)
    counts = {number: listener.count(number) for number in EACH}
    assert listener.end() == 0
    assert not late, f"never arrived: {late}"
    assert set(counts.values()) == {1}, {n: c for n, c in counts.items() if c != 1}


@pytest.mark.parametrize("ours", [False, True], ids=["bare", "sonde"])
@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "WINCH", "ALRM", "CONT"])
def test_group_signal_arrives_once(name, ours, tmp_path):
    listener = Listener(tmp_path, None if ours else [])
    number = signal.Signals[f"SIG{name}"]
    for repeat in range(1, 6):
        os.killpg(listener.started.pid, number)
        assert until(lambda: listener.count(number) >= repeat, 2), f"{name} {repeat} never arrived"  # noqa: B023
        time.sleep(0.05)
    time.sleep(0.2)
    count = listener.count(number)
    assert listener.end() == 0
    assert count == 5


@pytest.mark.parametrize("ours", [False, True], ids=["bare", "sonde"])
def test_group_and_then_pid(ours, tmp_path):
    """One to the group, and, once that was heard, one to the pid: two. A Ctrl-C must not swallow the kill that follows.
    (Not at once: a signal that comes while the same one waits to be taken is one, with any program.)"""
    listener = Listener(tmp_path, None if ours else [])
    os.killpg(listener.started.pid, signal.SIGUSR1)
    assert until(lambda: listener.count(signal.SIGUSR1) == 1, 2)
    time.sleep(0.2)
    os.kill(listener.started.pid, signal.SIGUSR1)
    assert until(lambda: listener.count(signal.SIGUSR1) == 2, 2), "the second was taken for the first"
    assert listener.end() == 0


def test_signal_before_the_program_is_there(tmp_path):
    """Sent at once, whatever sonde is just doing: the program dies of it, or never started."""
    for i in range(20):
        started = subprocess.Popen(under(["sleep", "10"], tmp_path / f"{i}.sonde"), stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        time.sleep(i * 0.0005)
        started.terminate()
        assert started.wait(5) == -signal.SIGTERM
        assert not harm.sondes_of(tmp_path / f"{i}.sonde")


@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "PIPE", "ALRM", "XCPU"])
def test_default_signal_ends_both(name, tmp_path):
    """The status is a death by that signal, and nothing is left running."""
    recording = tmp_path / "run.sonde"
    started = subprocess.Popen(under(["sleep", "30"], recording), stderr=subprocess.PIPE, start_new_session=True)
    assert until(lambda: b"sleep\0" in _commands_of(started.pid))
    time.sleep(0.1)
    started.send_signal(signal.Signals[f"SIG{name}"])
    assert started.wait(10) == -signal.Signals[f"SIG{name}"], started.stderr.read()
    assert until(lambda: not harm.sondes_of(recording))
    shown = harm.workbench.show(recording)
    assert shown["run"]["exit"]["signal"] == signal.Signals[f"SIG{name}"], shown["run"]
    assert shown["run"]["complete"] is True


def _commands_of(session):
    """All argument lists of the session, glued."""
    text = b""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.getsid(int(entry)) == session:
                    text += pathlib.Path(f"/proc/{entry}/cmdline").read_bytes()
            except OSError:
                continue
    return text


def test_stopped_and_continued(tmp_path):
    """SIGTSTP to sonde stops the program and sonde, so that a caller that waits for stops sees one; SIGCONT wakes both."""
    mark = tmp_path / "mark"
    started = subprocess.Popen(under([program("worker"), str(mark), "1", "7"], tmp_path / "run.sonde"),
                               preexec_fn=os.setpgrp)
    assert until(mark.exists)
    os.kill(started.pid, signal.SIGTSTP)
    pid, status = os.waitpid(started.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGTSTP, status
    time.sleep(0.1)
    size = mark.stat().st_size
    time.sleep(0.3)
    assert mark.stat().st_size == size, "the program ran on"
    os.kill(started.pid, signal.SIGCONT)
    pid, status = os.waitpid(started.pid, 0)
    assert os.WEXITSTATUS(status) == 7
    assert mark.read_bytes().endswith(b"done")
    started.returncode = 7


def test_stop_is_a_gap(tmp_path):
    """While sonde was stopped it saw nothing: the series has a gap there, no invented points."""
    recording = tmp_path / "run.sonde"
    started = subprocess.Popen(under([program("worker"), str(tmp_path / "mark"), "3", "0"], recording),
                               start_new_session=True)
    assert until((tmp_path / "mark").exists)
    time.sleep(0.5)
    sondes = harm.sondes_of(recording)
    for pid in sondes:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(1.2)
    for pid in sondes:
        os.kill(pid, signal.SIGCONT)
    assert started.wait(20) == 0
    series = harm.workbench.show(recording, "--series", "memory_tree_bytes")["series"]
    points = series["memory_tree_bytes"]
    assert any(value is None for _, value in points), points
