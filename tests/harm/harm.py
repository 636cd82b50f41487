"""Running a command bare and under sonde, and comparing what came of it, byte for byte."""

import collections
import os
import pathlib
import re
import signal
import subprocess
import time

import workbench
from workbench import SONDE, truth_program  # noqa: F401  (the tests take them from here)

PROGRAMS = pathlib.Path(__file__).parent / "programs"
NOBODY = 65534

# What sonde itself says on stderr. All else must be the program's own.
OURS = re.compile(rb"^(sonde: |hint: ).*\n", re.MULTILINE)

Ran = collections.namedtuple("Ran", "status out err pid")  # status as of subprocess: below 0 is a signal


def program(name):
    return workbench.program_build(PROGRAMS / f"{name}.c")


def library(name):
    """A shared object to preload."""
    target = workbench.PROGRAMS / f"{name}.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O2", "-o", str(target), str(PROGRAMS / f"{name}.c")],
                   check=True)
    return str(target)


def run(command, stdin=b"", timeout=60, **how):
    """Runs it in a session of its own, so that no terminal and no group of ours is in play."""
    how.setdefault("start_new_session", True)
    source = {"stdin": stdin} if stdin is None or not isinstance(stdin, bytes) else {"stdin": subprocess.PIPE}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **source, **how) as started:
        try:
            out, err = started.communicate(stdin if isinstance(stdin, bytes) else None, timeout=timeout)
        except BaseException:
            started.kill()
            raise
    return Ran(started.returncode, out, err, started.pid)


def under(command, recording=None, options=()):
    """The command line that runs `command` under sonde."""
    where = ["-o", str(recording)] if recording else []
    return [SONDE, "run", "--quiet", *where, *options, "--", *command]


def said(ran):
    """The lines of sonde's own, and the rest."""
    lines = [line.group(0).decode(errors="replace").rstrip() for line in OURS.finditer(ran.err)]
    return lines, OURS.sub(b"", ran.err)


def both(command, recording, options=(), bare=None, **how):
    """Runs bare, then under sonde, and asserts that nobody could tell from outside. Returns the second and sonde's lines.

    `bare` is what to compare with, when that is not the command itself."""
    alone = run(bare or command, **how)
    measured = run(under(command, recording, options), **how)
    lines, err = said(measured)
    assert measured.status == alone.status, f"status {measured.status}, bare {alone.status}; {measured.err!r}"
    assert measured.out == alone.out, f"stdout {measured.out[:500]!r}, bare {alone.out[:500]!r}"
    assert err == alone.err, f"stderr {err[:500]!r}, bare {alone.err[:500]!r}"
    return measured, lines


def shell_both(script, folder, **how):
    """A line of shell in which $SONDE stands for nothing, and then for `sonde run`. Says what differs."""
    folder.mkdir(exist_ok=True)
    prefix = f"{SONDE} run --quiet -o {folder}/run.sonde --"
    ran = [run(["bash", "-c", script], env={**os.environ, "SONDE": words}, **how) for words in ("", prefix)]
    lines, err = said(ran[1])
    without = [re.sub(rb"(line \d+:) +\d+ ", rb"\1 PID ", text) for text in (err, ran[0].err)]  # "line 1: 123 Killed"
    assert (ran[1].status, ran[1].out, without[0]) == (ran[0].status, ran[0].out, without[1]), lines
    return ran[1], lines


def sonde_processes(pid):
    """{pid: how deep} of `pid` and those of its descendants that are sonde itself, the oldest first."""
    ours, parents = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = pathlib.Path(f"/proc/{entry}/stat").read_bytes()
            exe = os.readlink(f"/proc/{entry}/exe")
        except OSError:
            continue
        if stat[stat.rindex(b")") + 2:stat.rindex(b")") + 3] == b"Z":
            continue
        parents[int(entry)] = int(stat[stat.rindex(b")"):].split()[2])
        if os.path.realpath(exe.replace(" (deleted)", "")) == os.path.realpath(SONDE):
            ours[int(entry)] = 0
    for each in list(ours):
        depth, up = 0, each
        while up != pid and up in parents and depth < 50:
            depth, up = depth + 1, parents[up]
        if up == pid:
            ours[each] = depth
        else:
            del ours[each]
    return dict(sorted(ours.items(), key=lambda item: (item[1], item[0])))


def sondes_of(recording):
    """pids of all sonde processes that have this recording's path among their arguments."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                words = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
                exe = os.path.realpath(f"/proc/{entry}/exe")
            except OSError:
                continue
            if exe == os.path.realpath(SONDE) and str(recording).encode() in words:
                found.append(int(entry))
    return found


def until(condition, seconds=10):
    """Waits for it to become true; returns what it last was."""
    end = time.monotonic() + seconds
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(0.005)
    return result


def as_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def catchable():
    """Signals that a program can hear, by number; 32 and 33 belong to the C library."""
    return [s for s in range(1, 65) if s not in (signal.SIGKILL, signal.SIGSTOP, 32, 33)]
