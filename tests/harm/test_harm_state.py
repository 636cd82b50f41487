"""What the program inherits. Each case prepares the caller in some way and lets a probe say all it can see."""

import os
import re
import resource
import signal
import subprocess

import harm
import pytest
from harm import program, run, under


def closed(*descriptors):
    def prepare():
        for fd in descriptors:
            os.close(fd)
    return prepare


def opened():
    """Descriptors above 2: a file in the middle, one far up, one that ends at exec (and so must not appear)."""
    os.dup2(os.open("/etc/hostname", os.O_RDONLY), 5)
    os.dup2(os.open("/dev/null", os.O_WRONLY | os.O_APPEND), 200)
    os.open("/etc/passwd", os.O_RDONLY | os.O_CLOEXEC)
    os.set_inheritable(5, True)
    os.set_inheritable(200, True)


def ignoring(*signals):
    def prepare():
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
    return prepare


def blocking(*signals):
    return lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signals)


def limits():
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 22, 1 << 23))
    resource.setrlimit(resource.RLIMIT_CORE, (1000, 2000))
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 33, 1 << 34))


def one_core():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def batch():
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def oom():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")


def deleted_folder():
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir("../gone")


CASES = {  # name: what the caller does before, or words that run the command
    "plain": None,
    "umask": lambda: os.umask(0o137),
    "nice": lambda: os.nice(7),
    "limits": limits,
    "one_core": one_core,
    "batch": batch,
    "oom_score": oom,
    "folder": lambda: os.chdir("/usr/lib"),
    "deleted_folder": deleted_folder,
    "closed_stdin": closed(0),
    "closed_stdout": closed(1),
    "closed_stderr": closed(2),
    "closed_all": closed(0, 1, 2),
    "descriptors": opened,
    "ignored": ignoring(signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1),
    "ignored_child": ignoring(signal.SIGCHLD),
    "blocked": blocking(signal.SIGTERM, signal.SIGUSR2, signal.SIGCHLD, signal.SIGINT, signal.SIGRTMIN + 3),
    "nohup": ["nohup"],
    "setsid": ["setsid", "-w"],
    "no_new_privileges": ["setpriv", "--no-new-privs"],
    "nobody": ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
    "no_randomising": ["setarch", "-R"],
    "ionice": ["ionice", "-c", "2", "-n", "6"],
    "no_environment": ["env", "-i"],
    "odd_environment": ["env", "-i", "A=1", "=x", "B=\x01\x1b[31m\n", "C=" + "c" * 100000, "LD_DEBUG=", "SONDE=x"],
}
NEED_ROOT = {"nobody"}


def told(command, prepare, folder, mark):
    """Runs a probe and returns its lines, with that which must differ (pids, inode numbers) made alike."""
    answer = folder / "answer"
    words = [program("probe"), str(answer), "two words", "", "--flag"]
    prefix = prepare if isinstance(prepare, list) else []
    before = prepare if callable(prepare) else None
    if "--reuid=65534" in prefix:
        folder.chmod(0o777)
        answer.touch()
        answer.chmod(0o666)
    with open(os.devnull) as nothing, open(os.devnull, "w") as sink:
        with subprocess.Popen([*prefix, *command(words)], preexec_fn=before, stdin=nothing, stdout=sink, stderr=sink,
                              start_new_session="setsid" not in prefix, cwd=folder) as started:
            assert started.wait(30) == 0, f"{mark}: status {started.returncode}"
    lines = answer.read_text().splitlines()
    assert lines[-1] == "end"
    lines = [re.sub(rf"\b{started.pid}\b", "STARTED", line) for line in lines]
    return [re.sub(r"(pipe|socket):\[\d+\]", r"\1", line) for line in lines]


@pytest.mark.parametrize("case", CASES)
def test_inherited(case, tmp_path):
    if case in NEED_ROOT and os.geteuid() != 0:
        pytest.skip("only root may become somebody else")
    for way in ("bare", "sonde"):
        (tmp_path / way).mkdir()
    (tmp_path / "bare").rename(tmp_path / "place")
    bare = told(lambda words: words, CASES[case], tmp_path / "place", "bare")
    tmp_path.chmod(0o755)
    (tmp_path / "sonde").chmod(0o777)
    recording = tmp_path / "sonde" / "run.sonde"
    sonde = told(lambda words: under(words, recording), CASES[case], tmp_path / "place", "sonde")
    added = [line for line in sonde if line.startswith("environment SONDE_MARK=")]
    assert len(added) == 1, added  # the one variable that sonde adds; docs/phases.md says so
    sonde.remove(added[0])
    different = [(b, s) for b, s in zip(bare, sonde) if b != s]
    assert bare == sonde, f"bare and under sonde: {different[:10]}, {len(bare)} and {len(sonde)} lines"
    if case not in ("no_environment",):
        assert recording.exists()


def test_parents_alarm_reaches_the_program(tmp_path):
    """alarm(2) survives exec, so `perl -e 'alarm 1; exec ...'` is a known way to set a time limit."""
    harm.both(["sleep", "20"], tmp_path / "run.sonde", preexec_fn=lambda: signal.setitimer(signal.ITIMER_REAL, 0.5),
              timeout=10)


def test_process_time_limit(tmp_path):
    """RLIMIT_CPU is the program's: it dies of SIGXCPU at its second, not because of what sonde used."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 5))  # noqa: E731
    harm.both([harm.truth_program("cpu"), "3", "0"], tmp_path / "run.sonde", preexec_fn=limit)


def test_files_of_the_program_stay_its_own(tmp_path):
    """Two programs one after the other share the position of an open file; sonde reads and writes nothing of it."""
    (tmp_path / "text").write_text("".join(f"line {i}\n" for i in range(1000)))
    script = f"exec 3<{tmp_path}/text; $SONDE head -c 10 <&3; $SONDE dd bs=1 count=7 status=none <&3; cat <&3 | md5sum"
    harm.shell_both(script, tmp_path / "a")


def test_status_flags_of_shared_descriptors(tmp_path):
    """O_NONBLOCK on the caller's stdin and stdout would break the caller."""
    reader, writer = os.pipe()
    before = [os.get_blocking(fd) for fd in (reader, writer)]
    with subprocess.Popen(under(["true"], tmp_path / "run.sonde"), stdin=reader, stdout=writer, stderr=writer) as started:
        started.wait(30)
    assert [os.get_blocking(fd) for fd in (reader, writer)] == before
    os.close(reader)
    os.close(writer)


def test_recording_is_not_written_into_a_closed_stderr(tmp_path):
    """With 2 closed, the next file that is opened gets number 2, and whoever prints there writes into it."""
    recording = tmp_path / "run.sonde"
    with subprocess.Popen([harm.SONDE, "run", "-o", str(recording), "--", "true"], preexec_fn=closed(0, 1, 2)) as started:
        assert started.wait(30) == 0
    shown = harm.workbench.show(recording)
    assert shown["run"]["complete"] is True, shown["run"]
