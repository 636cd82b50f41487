"""What the caller sees of the program's end: statuses, deaths by signal, programs that cannot start."""

import os
import resource
import signal

import harm
import pytest
from harm import both, program, run, under


@pytest.mark.parametrize("first", range(0, 256, 32))
def test_status_passes(first, tmp_path):
    for status in range(first, first + 32):
        command = [program("end"), "status", str(status)]
        ran = run(under(command, tmp_path / f"{status}.sonde"))
        assert (ran.status, ran.out, ran.err) == (status, b"", b"")


KILLING = [s for s in [*harm.catchable(), signal.SIGKILL] if s not in (
    signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)]


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@pytest.mark.parametrize("number", KILLING)
def test_signal_death_passes(number, tmp_path):
    both([program("end"), "signal", str(number)], tmp_path / "run.sonde", preexec_fn=no_core)


@pytest.mark.parametrize("number", [1, 2, 3, 6, 9, 11, 13, 15])
def test_shell_sees_the_same(number, tmp_path):
    """bash tells 128 + N from a death by N only by what wait(2) said; it prints "Killed", "Segmentation fault" itself."""
    end = program("end")
    ran, _ = harm.shell_both(f'$SONDE {end} signal {number}; echo "$?"', tmp_path, preexec_fn=no_core)
    assert ran.out == f"{128 + number}\n".encode()


def test_core_is_the_programs(tmp_path):
    """sonde dies by the same signal, but must not leave a core of its own over the program's."""
    pattern = open("/proc/sys/kernel/core_pattern").read().strip()
    if pattern != "core":
        pytest.skip(f"cores do not go to the working directory here: {pattern!r}")

    def with_core():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    ran = run(under([program("end"), "signal", "11"], tmp_path / "run.sonde"), cwd=tmp_path, preexec_fn=with_core)
    assert ran.status == -11
    cores = [name for name in os.listdir(tmp_path) if name.startswith("core")]
    assert len(cores) == 1, cores
    assert program("end").encode() in (tmp_path / cores[0]).read_bytes()


CANNOT = [  # what is asked for, the status that env(1), nice(1) and the shells agree on
    ("no-such-program-anywhere", 127),
    ("/no/such/path", 127),
    ("./plain-file", 126),
    ("./folder", 126),
    ("./no-interpreter", 127),
]


@pytest.mark.parametrize("command,status", CANNOT)
def test_cannot_start(command, status, tmp_path):
    (tmp_path / "plain-file").write_text("echo no\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "no-interpreter").write_bytes(b"#!/no/such/interpreter\n")
    (tmp_path / "no-interpreter").chmod(0o755)
    place = {"cwd": tmp_path, "env": {**os.environ, "PATH": "/usr/bin:/bin"}}  # a closed folder in PATH would give 126
    assert run(["env", command], **place).status == status, "env(1) has changed its mind"
    ran = run(under([command], tmp_path / "run.sonde"), **place)
    lines, rest = harm.said(ran)
    assert ran.status == status and ran.out == b"" and rest == b"", ran
    assert lines and command in lines[0], ran.err


def test_script_without_interpreter_line(tmp_path):
    """The shells and env(1) run such a file by sh; execvp(3) does so, too."""
    script = tmp_path / "script"
    script.write_text('echo "$0" "$@"; exit 7\n')
    script.chmod(0o755)
    both([str(script), "a b"], tmp_path / "run.sonde", bare=["env", str(script), "a b"])


def test_program_is_found_in_path(tmp_path):
    script = tmp_path / "found-in-path"
    script.write_text("#!/bin/sh\necho found\n")
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    both(["found-in-path"], tmp_path / "run.sonde", bare=["env", "found-in-path"], env=environment)


@pytest.mark.parametrize("arguments", [["--no-such-option"], ["--interval", "soon"], ["--budget", "-1"], []])
def test_bad_command_line(arguments, tmp_path):
    """sonde's own failure, said with the object; the program has not run."""
    mark = tmp_path / "ran"
    command = ["--", "touch", str(mark)] if arguments else []
    ran = run([harm.SONDE, "run", *arguments, *command])
    assert ran.status in (2, 125) and ran.out == b"" and ran.err.startswith(b"sonde: "), ran
    assert not mark.exists()


def test_timeout_ends_the_program(tmp_path):
    """--timeout is like timeout(1): TERM, and the program may end in its own way."""
    ran = run(under(["sleep", "30"], tmp_path / "run.sonde", ["--timeout", "300ms"]), timeout=10)
    assert ran.status in (124, -signal.SIGTERM), ran
    script = "trap 'echo bye; exit 5' TERM; while :; do sleep 0.05; done"
    ran = run(under(["sh", "-c", script], tmp_path / "run2.sonde", ["--timeout", "300ms"]), timeout=10)
    assert ran.out == b"bye\n" and ran.status in (124, 5), ran
