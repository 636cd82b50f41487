"""Why it died: real programs that die in a known way, and beside them some that must not be blamed
for it."""

import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import time

import pytest
from conftest import SONDE, environment, run

PROGRAM = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;
static int deeper(int n)
{
	volatile char room[512];

	room[n % 512] = 1;
	return n < 0 ? 0 : deeper(n + 1) + room[3];
}

int main(int argc, char **argv)
{
	if (argc > 2) /* so that a look sees it */
		usleep(atoi(argv[2]) * 1000);
	if (!strcmp(argv[1], "null"))
		*(volatile int *)(long)(argc - argc) = 1;
	if (!strcmp(argv[1], "wild"))
		*(volatile int *)0x123456789a = 1;
	if (!strcmp(argv[1], "stack"))
		return deeper(1);
	if (!strcmp(argv[1], "abort"))
		abort();
	if (!strcmp(argv[1], "spin"))
		for (;;)
			sink++;
	return 7;
}
"""

LOG_OPEN = os.access("/dev/kmsg", os.R_OK) and os.geteuid() == 0
X86 = os.uname().machine in ("x86_64", "i686")
TELLS = tuple(map(int, os.uname().release.split("-")[0].split(".")[:2])) >= (6, 15)
tells = pytest.mark.skipif(not TELLS, reason="before Linux 6.15 nobody knows how a grandchild ended")


@pytest.fixture(scope="module")
def die(tmp_path_factory):
    """A program that dies as its first argument says, after so many milliseconds."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("die") / "die"
    subprocess.run([compiler, "-O0", "-w", "-x", "c", "-o", path, "-"], input=PROGRAM.encode(), check=True)
    return str(path)


def ended(ran_or_sonde, *which):
    """What the newest recording, or that one, says of its end."""
    ran = ran_or_sonde("show", "--json", *map(str, which))
    assert ran.status == 0, ran
    return json.loads(ran.out)["run"]["exit"]


def shell(sonde, script, **how):
    sonde("run", "-q", "sh", "-c", script, **how)
    return ended(sonde)


def limited(tmp_path, limits, *command):
    """sonde below a shell that sets limits, as somebody would do in a job script."""
    line = f'{limits}; exec "$0" "$@"'
    run(["sh", "-c", line, str(SONDE), "run", "-q", *map(str, command)], tmp_path)
    return ended(lambda *words: run([str(SONDE), *words], tmp_path))


# Crashes


@pytest.mark.parametrize("way, kind", [("null", "null pointer"), ("wild", "not its own"), ("stack", "stack was full")])
def test_segmentation_fault(sonde, die, way, kind):
    ran = sonde("run", die, way)
    assert ran.status == -signal.SIGSEGV
    end = ended(sonde)
    if LOG_OPEN and X86 and kind not in end["reason"]:
        time.sleep(5.5)  # the kernel logs ten crashes in five seconds, and others may have crashed
        sonde("run", "-q", die, way)
        end = ended(sonde)
    assert (end["cause"], end["sure"]) == ("segfault", True)
    assert "segmentation fault" in ran.err and "SIGSEGV, signal 11" in ran.err
    if LOG_OPEN and X86:
        assert kind in end["reason"]


def test_abort(sonde, die):
    assert sonde("run", "-q", die, "abort").status == -signal.SIGABRT
    assert ended(sonde)["cause"] == "abort"


def test_core_dump_is_found(sonde, die, tmp_path):
    if pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip() not in ("core", "core.%p"):
        pytest.skip("core dumps do not go to the working directory here")
    shell(sonde, f"ulimit -c unlimited && exec {die} abort 50")
    assert f"core dump is '{tmp_path}/core" in ended(sonde)["reason"]


def test_a_status_is_no_crash(sonde, die):
    ran = sonde("run", die, "exit")
    assert ran.status == 7 and "exit status 7" in ran.err
    assert ended(sonde) == {"status": 7, "signal": None, "reason": None, "cause": None, "sure": None}


def test_success_has_no_reason(sonde):
    sonde("run", "-q", "true")
    assert ended(sonde) == {"status": 0, "signal": None, "reason": None, "cause": None, "sure": None}


# Who died first


@tells
def test_child_of_a_shell_crashed_first(sonde, die):
    end = shell(sonde, f"{die} abort 400; exit 9")
    assert end["status"] == 9 and end["cause"] == "abort" and end["sure"] is False
    assert "'die' (pid " in end["reason"] and "'sh' only followed" in end["reason"]


@tells
def test_processes_have_their_own_ends(sonde, die):
    shell(sonde, f"{die} abort 400; {die} exit 400; exit 9")
    run = json.loads(sonde("show", "--json").out)
    ends = {(p["exit"]["status"], p["exit"]["signal"]) for p in run["processes"] if p["exit"]}
    assert {(9, None), (None, 6), (7, None)} <= ends


@tells
def test_status_that_a_shell_passed_on(sonde, die):
    end = shell(sonde, f"{die} exit 400")
    # dash and bash replace themselves by the last command; then the program is die itself
    assert end["status"] == 7 and (end["cause"] is None or "'die'" in end["reason"])
    end = shell(sonde, f"{die} exit 400; exit $?")
    assert end["cause"] == "status" and "'sh' only passed its exit status on" in end["reason"]


@tells
def test_crash_long_ago_is_not_blamed(sonde, die):
    end = shell(sonde, f"{die} abort 300; sleep 11; exit 9")
    assert end["reason"] is None


def test_shells_convention(sonde):
    assert "SIGTERM" in shell(sonde, "exit 143")["reason"]
    assert shell(sonde, "exit 128")["reason"] is None


@tells
def test_pipeline_whose_child_is_killed(sonde):
    end = shell(sonde, "sleep 30 & pid=$!; sleep 0.5; kill -9 $pid; wait $pid")
    assert end["status"] == 137 and end["cause"] == "signal" and "'sleep'" in end["reason"]


# Somebody wanted it


def test_timeout(sonde):
    assert sonde("run", "-q", "--timeout", "300ms", "sleep", "30").status == -signal.SIGTERM
    end = ended(sonde)
    assert (end["cause"], end["sure"]) == ("timeout", True) and "--timeout of 300 ms" in end["reason"]


def test_who_sent_the_signal(sonde, tmp_path):
    # `timeout` signals its whole group; from there on it is the group's signal.
    run(["timeout", "1", str(SONDE), "run", "-q", "sleep", "30"], tmp_path)
    end = ended(sonde)
    assert (end["cause"], end["sure"]) == ("signal", True)
    assert "'timeout' (pid " in end["reason"] and "SIGTERM" in end["reason"]


def test_signal_to_the_program_alone(sonde):
    end = shell(sonde, "kill -TERM $$")
    assert end["signal"] == 15 and end["reason"] is None


def test_kill_is_not_blamed_on_memory(sonde):
    end = shell(sonde, "kill -KILL $$")
    assert end["signal"] == 9 and end["cause"] == "signal" and "not for memory" in end["reason"]


def test_who_asked_is_known_though_sonde_was_killed(sonde, tmp_path):
    """As Slurm does: SIGTERM, and SIGKILL to all when nobody obeys."""
    command = [SONDE, "run", "-q", "-o", "cut.sonde", "sh", "-c", "trap '' TERM; sleep 20 & wait; wait"]
    started = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), start_new_session=True)
    journal = tmp_path / "cut.sonde.journal"
    try:
        wait_until(lambda: journal.exists())
        time.sleep(0.5)
        started.send_signal(signal.SIGTERM)
        wait_until(lambda: b"sent_signal" in journal.read_bytes())
    finally:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    end = ended(sonde, tmp_path / "cut.sonde")
    me = pathlib.Path("/proc/self/comm").read_text().strip()
    assert end["cause"] == "signal" and f"'{me}' (pid {os.getpid()})" in end["reason"]


def wait_until(true, seconds=20):
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def test_ctrl_c(sonde, tmp_path):
    started, terminal = pty.fork()
    if started == 0:
        os.chdir(tmp_path)
        os.execve(SONDE, [str(SONDE), "run", "-o", "c.sonde", "sleep", "30"], environment(tmp_path))
    try:
        wait_until(lambda: (tmp_path / "c.sonde.journal").exists())
        time.sleep(0.3)
        os.write(terminal, b"\x03")
        wait_until(lambda: (tmp_path / "c.sonde").exists())
    finally:
        os.close(terminal)
        os.waitpid(started, 0)
    end = ended(sonde, tmp_path / "c.sonde")
    assert (end["cause"], end["sure"], end["signal"]) == ("interrupt", True, 2) and "Ctrl-C" in end["reason"]


# Limits


def test_limit_of_cpu_time(die, tmp_path):
    end = limited(tmp_path, "ulimit -t 1", die, "spin")
    assert end["cause"] == "cpu" and "ulimit -t" in end["reason"]


def test_killed_below_the_limit_of_cpu_time(tmp_path):
    end = limited(tmp_path, "ulimit -t 30", "sh", "-c", "kill -9 $$")
    assert end["cause"] == "signal"


GROW = """
import sys, time
kept = []
for i in range(400):
    kept.append(bytearray(4 << 20))
    time.sleep(0.002)
"""


SANITIZED = b"__asan_init" in pathlib.Path(SONDE).read_bytes()
address_space = pytest.mark.skipif(SANITIZED, reason="the address sanitizer needs terabytes of address space")


@address_space
def test_limit_of_address_space(tmp_path):
    end = limited(tmp_path, "ulimit -v 500000", sys.executable, "-c", GROW)
    assert end["status"] == 1 and end["cause"] == "memory" and end["sure"] is False
    assert "ulimit" in end["reason"]


@address_space
def test_failing_far_below_the_limit_of_address_space(tmp_path):
    assert limited(tmp_path, "ulimit -v 4000000", sys.executable, "-c", "raise ValueError")["reason"] is None


def test_leak_of_files(tmp_path):
    # So slow near the end that the look once a second meets it above 95 %.
    end = limited(tmp_path, "ulimit -n 64", sys.executable, "-c",
                  "import os, time\nfor i in range(58): os.dup(0)\ntime.sleep(2.5)\nwhile True: os.dup(0)")
    assert end["cause"] == "files" and end["sure"] is False and "of 64 open" in end["reason"]


def test_few_files_are_not_blamed(tmp_path):
    end = limited(tmp_path, "ulimit -n 64", sys.executable, "-c",
                  "import os, time\nfor i in range(20): os.dup(0)\ntime.sleep(1.5)\nraise ValueError")
    assert end["reason"] is None


def test_limit_of_file_size(tmp_path):
    # The recording has room below it.
    end = limited(tmp_path, "ulimit -f 8192", "sh", "-c", "exec dd if=/dev/zero of=big bs=1M count=64")
    assert end["cause"] == "filesize", end


# The kernel's memory


def memory_group(tmp_path_name):
    """A cgroup of 64 MiB, version 1 or 2; its directory and the file that takes pids."""
    for place, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(place) / f"sonde-test-{os.getpid()}-{tmp_path_name}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(64 << 20))
            swap = group / limit.replace("memory.max", "memory.swap.max")
            if limit == "memory.max" and swap.exists():
                swap.write_text("0")
            return group
        except OSError:
            group.rmdir()
    return None


@pytest.fixture
def group(tmp_path):
    made = memory_group(tmp_path.name) if os.geteuid() == 0 else None
    if not made:
        pytest.skip("no cgroup with a memory limit can be made here (it needs root and a memory controller)")
    yield made
    wait_until(lambda: not (made / "cgroup.procs").read_text())
    made.rmdir()


def in_group(group, tmp_path, *command):
    line = f'echo $$ > {group}/cgroup.procs; exec "$0" "$@"'
    run(["sh", "-c", line, str(SONDE), "run", "-q", *map(str, command)], tmp_path)
    return ended(lambda *words: run([str(SONDE), *words], tmp_path))


def test_killed_by_the_kernel_for_memory(group, tmp_path):
    end = in_group(group, tmp_path, sys.executable, "-c", GROW)
    assert end["signal"] == 9 and (end["cause"], end["sure"]) == ("memory", True)


@tells
def test_child_killed_for_memory(group, tmp_path):
    end = in_group(group, tmp_path, "sh", "-c", f"{sys.executable} -c '{GROW}'; exit 5")
    assert end["status"] == 5 and (end["cause"], end["sure"]) == ("memory", True)
    assert "'sh' only followed" in end["reason"]


@tells
def test_child_killed_for_memory_while_the_program_went_on(group, tmp_path):
    end = in_group(group, tmp_path, "sh", "-c", f"{sys.executable} -c '{GROW}'; exit 0")
    assert end["status"] == 0 and end["cause"] == "memory" and "ended well" in end["reason"]


def test_failing_in_a_group_is_not_blamed_on_memory(group, tmp_path):
    assert in_group(group, tmp_path, "sh", "-c", "exit 3")["reason"] is None
    assert in_group(group, tmp_path, "sh", "-c", "kill -9 $$")["cause"] == "signal"


# Disks and last words


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place]).returncode:
        pytest.skip("only root may mount a small disk")
    yield place
    subprocess.run(["umount", place], check=True)


FILL = "dd if=/dev/zero of=x bs=64k count=100 2>/dev/null"


def test_full_disk(sonde, small_disk):
    end = shell(sonde, FILL + " || exit 4", cwd=small_disk)
    assert end["cause"] == "disk" and end["sure"] is False and str(small_disk) in end["reason"]


def test_full_disk_and_its_words(sonde, small_disk, tmp_path):
    with open(tmp_path / "log", "w") as log:
        end = shell(sonde, "dd if=/dev/zero of=x bs=64k count=100", cwd=small_disk, stderr=log)
    assert (end["cause"], end["sure"]) == ("disk", True)


def test_disk_that_was_full_before_is_not_blamed(sonde, small_disk):
    subprocess.run(["sh", "-c", FILL], cwd=small_disk)
    assert shell(sonde, "exit 3", cwd=small_disk)["reason"] is None


@pytest.mark.parametrize("line, cause", [
    ("OSError: [Errno 28] No space left on device", "disk"),
    ("cp: Disk quota exceeded", "quota"),
    ("accept: Too many open files", "files"),
    ("MemoryError", "memory"),
    ("ModuleNotFoundError: No module named 'x'", "module"),
    ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-16T15:29:17 DUE TO TIME LIMIT ***", "time"),
])
def test_last_words(sonde, tmp_path, line, cause):
    log = tmp_path / "job.out"
    for status, expected in ((1, cause), (0, None)):
        log.write_text("Too many open files\nof the job before\n")
        with open(log, "a") as stream:
            sonde("run", "-q", "sh", "-c", f'echo "$1" >&2; echo bye >&2; exit {status}', "x", line, stderr=stream)
        end = ended(sonde)
        assert end["cause"] == expected
        if expected:
            assert ("Slurm says so" if cause == "time" else line) in end["reason"]


def test_words_of_another_program_are_not_ours(sonde, tmp_path):
    log = tmp_path / "job.out"
    log.write_text("No space left on device\n")
    with open(log, "a") as stream:
        sonde("run", "-q", "sh", "-c", "echo bad input >&2; exit 1", stderr=stream)
    assert ended(sonde)["reason"] is None


def test_words_are_clean_and_without_secrets(sonde, tmp_path):
    with open(tmp_path / "log", "w") as stream:
        sonde("run", "sh", "-c", "printf 'a\\033[2J --password=hunter2hunter2 No space left on device\\n' >&2; exit 1",
              stderr=stream)
    shown = sonde("show")
    assert "hunter2" not in (tmp_path / "log").read_text().split("\n", 1)[1]
    assert "hunter2" not in shown.out and "\033" not in shown.out and "No space left" in shown.out


def test_output_that_cannot_be_read(user):
    """A log that its writer may not read: nothing is known, nothing is hurt."""
    log = user.home / "log"
    log.touch()
    with open(log, "a") as stream:
        log.chmod(0o200)
        ran = user("run", "-q", "sh", "-c", "echo No space left on device >&2; exit 4", stderr=stream)
    assert ran.status == 4


# Programs that do not start


def script(tmp_path, first_line, name="script"):
    path = tmp_path / name
    path.write_bytes(first_line)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("first_line, status, words", [
    (b"#!/no/such/python\n", 127, "'/no/such/python'"),
    (b"#!/bin/sh\r\n", 127, "Windows"),
    (b"\x7fELF\x02\x01\x01" + bytes(57), 126, "damaged or of another"),
    (b"\x7fELF\x02\x02\x01" + bytes(9) + b"\0\x02\0\x16" + bytes(100), 126, "it is a program for s390x"),
], ids=["interpreter", "windows", "damaged", "foreign"])
def test_file_that_cannot_run(sonde, tmp_path, first_line, status, words):
    ran = sonde("run", script(tmp_path, first_line))
    assert ran.status == status and words in ran.err and ran.err.startswith("sonde: cannot run")


def test_directory_and_closed_file(sonde, tmp_path):
    assert "it is a directory" in sonde("run", tmp_path).err
    path = script(tmp_path, b"#!/bin/sh\n")
    path.chmod(0o644)
    ran = sonde("run", path)
    assert ran.status == 126 and "chmod +x" in ran.err


def test_command_that_a_shell_does_not_find(sonde, tmp_path):
    assert (shell(sonde, "no-such-thing")["cause"], ended(sonde)["sure"]) == ("command", False)
    with open(tmp_path / "log", "w") as stream:
        end = shell(sonde, "no-such-thing", stderr=stream)
    assert (end["cause"], end["sure"]) == ("command", True) and "no-such-thing" in end["reason"]


def test_missing_library(sonde, tmp_path):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    (tmp_path / "f.c").write_text("int f(void) { return 1; }\n")
    (tmp_path / "m.c").write_text("int f(void); int main(void) { return f(); }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "libgone.so", "f.c"], cwd=tmp_path, check=True)
    subprocess.run([compiler, "-o", "needs", "m.c", "-L.", "-lgone"], cwd=tmp_path, check=True)
    (tmp_path / "libgone.so").unlink()
    assert sonde("run", "-q", "./needs").status == 127
    end = ended(sonde)
    assert (end["cause"], end["sure"]) == ("library", True) and "'libgone.so'" in end["reason"]


def test_nothing_is_run_twice(sonde, tmp_path, die):
    """Asking the loader must not run the program again."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    (tmp_path / "m.c").write_text('#include <unistd.h>\nint main(void) { write(1, "ran\\n", 4); return 127; }\n')
    subprocess.run([compiler, "-w", "-o", "loud", "m.c"], cwd=tmp_path, check=True)
    ran = sonde("run", "-q", "./loud")
    assert ran.status == 127 and ran.out == "ran\n"
