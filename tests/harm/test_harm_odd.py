"""Odd programs: names that break parsers, pids that come back, thousands of threads, clocks that go back."""

import json
import os
import re
import subprocess

import harm
import pytest
import workbench
from harm import program, run, truth_program, under

NAMES = {  # name: (the kernel's name, argument 0), as bytes
    "newline": (b"a\nb\nc", b"x\ny"),
    "stat_lookalike": (b") R 1 (", b") R 1 ("),
    "parentheses": (b"((()))) S 1 2", b"a) b"),
    "escapes": (b"\x1b[31mred\x1b[0m", b"\x1b]0;title\x07\x1b[2J"),
    "invalid_utf8": (b"\xff\xfe\xc3(\x80", b"\xc0\xaf\xed\xa0\x80"),
    "tabs": (b"\ta\rb\x08", b"\t\t"),
    "json": (b'"},{"x":"\\', b'"\\\x01\x7f'),
    "empty": (b"", b""),
    "long": (b"x" * 15, b"y" * 100_000),
    "bidi": ("\u202eabc".encode(), "\u2066\u202etxt.exe\u2069\u200b".encode()),
}


@pytest.mark.parametrize("name", NAMES)
def test_name(name, tmp_path):
    recording = tmp_path / "run.sonde"
    kernel, first = NAMES[name]
    ran = run(under([os.fsencode(program("named")), kernel, first, b"0.4"], recording))
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")
    shown = workbench.show(recording)
    assert shown["totals"]["cpu_s"]["value"] == pytest.approx(0.4, rel=0.1)
    assert len(shown["processes"]) == 1, shown["processes"]


@pytest.mark.parametrize("name", NAMES)
def test_name_on_the_screen(name, tmp_path):
    """No control bytes out of names and arguments reach a terminal, in no report and not in the summary."""
    recording = tmp_path / "run.sonde"
    kernel, first = NAMES[name]
    command = [os.fsencode(program("named")), kernel, first, b"0.25"]
    summary = run([harm.SONDE, "run", "-o", str(recording), "--", *command], env={**os.environ, "NO_COLOR": "1"})
    for words in (["show"], ["show", "--tree"], ["export", "--format", "csv"]):
        ran = run([harm.SONDE, *words, str(recording)], env={**os.environ, "NO_COLOR": "1"})
        if ran.status == 2:
            continue  # a form that this version does not have
        assert ran.status == 0, ran
        text = ran.out.replace(b"\r\n", b"\n") if "csv" in words else ran.out  # RFC 4180 wants both
        assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text), (words, ran.out)
        ran.out.decode()
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", summary.err), summary.err
    summary.err.decode()


def test_many_children(tmp_path):
    """10,000 children: the same output and status, a recording that is bounded."""
    script = 'i=0; while [ $i -lt 10000 ]; do (exit 3); i=$((i+1)); done; echo $i; exit 4'
    ran = run(under(["dash" if workbench.can("dash", "-c", ":") else "sh", "-c", script], tmp_path / "run.sonde"),
              timeout=120)
    assert (ran.status, ran.out, ran.err) == (4, b"10000\n", b"")
    assert (tmp_path / "run.sonde").stat().st_size < 5_000_000


def test_many_threads(tmp_path):
    recording = tmp_path / "run.sonde"
    ran = run(under([truth_program("events"), "threads", "5000", "1"], recording), timeout=120)
    if b"Resource temporarily" in ran.err:
        pytest.skip("5,000 threads are not allowed here")
    assert ran.status == 0 and ran.err == b"", ran
    assert workbench.show(recording)["totals"]["threads_peak"]["value"] == 5001


def test_many_descriptors(tmp_path):
    """With 1,000 processes at once and 64 descriptors to look at them."""
    recording = tmp_path / "run.sonde"
    command = under([truth_program("events"), "processes", "1000", "1.5"], recording)
    ran = run(["sh", "-c", 'ulimit -n 64; exec "$@"', "x", *command], timeout=60)
    lines, err = harm.said(ran)
    assert ran.status == 0 and err == b"", ran
    assert workbench.show(recording)["totals"]["processes_peak"]["value"] == pytest.approx(1001, abs=1)


def test_pid_comes_back(tmp_path):
    """Two children with one pid, one after the other, are two processes, and the CPU time is that of both."""
    if not workbench.can(*workbench.unshare("-mpf"), "--mount-proc", program("reuse")):
        pytest.skip("no pid namespace of our own, or no ns_last_pid in it")
    recording = tmp_path / "run.sonde"
    ran = run([*workbench.unshare("-mpf"), "--mount-proc", *under([program("reuse")], recording)])
    assert ran.status == 0, ran
    shown = workbench.show(recording)
    assert shown["totals"]["cpu_s"]["value"] == pytest.approx(0.8, rel=0.05)
    assert len(shown["processes"]) == 3, shown["processes"]
    assert len({p["pid"] for p in shown["processes"]}) == 2


def series_times(recording):
    return [point[0] for point in workbench.show(recording, "--series", "memory_tree_bytes")["series"]
            ["memory_tree_bytes"]]


def test_clock_goes_back(tmp_path):
    """The time of day, as sonde sees it, goes back by an hour in the middle: durations and series do not care."""
    linked = subprocess.run(["ldd", harm.SONDE], capture_output=True, text=True)
    if linked.returncode != 0:
        pytest.skip("sonde is static; its clock cannot be changed without changing everybody's")
    recording = tmp_path / "run.sonde"
    environment = {**os.environ, "LD_PRELOAD": harm.library("clockback")}
    ran = run(under([truth_program("cpu"), "sleep", "1.2"], recording), env=environment)
    assert ran.status == 0, ran
    inside = json.loads(ran.out)["wall_s"]
    assert inside <= workbench.show(recording)["totals"]["wall_s"]["value"] < inside + 5
    times = series_times(recording)
    assert times == sorted(times) and 0 <= times[0] and times[-1] < inside + 5


@pytest.mark.skipif(not os.environ.get("SONDE_MAY_SET_CLOCK"),
                    reason="sets the clock of the whole machine; SONDE_MAY_SET_CLOCK=1 allows it")
def test_clock_of_the_machine_is_set_back(tmp_path):
    import time
    recording = tmp_path / "run.sonde"
    started = subprocess.Popen(under([truth_program("cpu"), "sleep", "1.5"], recording), stdout=subprocess.PIPE)
    time.sleep(0.6)
    time.clock_settime(time.CLOCK_REALTIME, time.time() - 3600)
    try:
        assert started.wait(30) == 0
    finally:
        time.clock_settime(time.CLOCK_REALTIME, time.time() + 3600)
    assert workbench.show(recording)["totals"]["wall_s"]["value"] < 10


def test_other_time_since_boot(tmp_path):
    """A time namespace, as in a container that was moved: /proc and the clocks must not be mixed up."""
    words = ["unshare", "-T", "--boottime", "500000", "--monotonic", "90000"]
    if not workbench.can(*words, "true"):
        pytest.skip("no time namespace of our own")
    recording = tmp_path / "run.sonde"
    ran = run([*words, *under(["sh", "-c", "sleep 0.3; sleep 0.4; :"], recording)])
    assert ran.status == 0, ran
    shown = workbench.show(recording)
    wall = shown["totals"]["wall_s"]["value"]
    for process in shown["processes"]:
        assert -0.05 <= process["started_s"] <= process["ended_s"] <= wall + 0.05, process


def test_deep_tree(tmp_path):
    """200 shells, one in the other."""
    script = 'if [ "$1" -gt 0 ]; then sh "$0" $(($1 - 1)); else sleep 0.5; exit 11; fi; exit $?'
    (tmp_path / "deep").write_text(script)
    recording = tmp_path / "run.sonde"
    ran = run(under(["sh", str(tmp_path / "deep"), "200"], recording), timeout=60)
    assert (ran.status, ran.out, ran.err) == (11, b"", b"")
    assert workbench.show(recording)["totals"]["processes_peak"]["value"] == pytest.approx(202, abs=1)


def test_long_command_line(tmp_path):
    """As many arguments as fit."""
    arguments = ["x" * 1000] * 1500
    ran = run(under(["sh", "-c", 'echo $# ${#1}', "sh", *arguments], tmp_path / "run.sonde"))
    assert (ran.status, ran.out) == (0, b"1500 1000\n")
    harm.both([truth_program("children"), *(["y" * 100_000] * 18)], tmp_path / "run2.sonde")


def test_the_longest_command_line(tmp_path):
    """Where it fits only without the variable that sonde adds, it runs without it."""
    place = tmp_path.joinpath(*["p" * 200] * 10)
    place.mkdir(parents=True)
    environment = {"TMPDIR": str(place), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def words(count):
        return under(["sh", "-c", 'echo $# "${SONDE_MARK-unset}"', "sh", *["x" * 1000] * (count // 1000), "x" * (count % 1000)],
                     options=["--no-record"])

    def fits(count):
        try:
            return run(words(count), env=environment)
        except OSError:
            return None

    least, most = 0, 8 << 20
    while least + 1 < most:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    ran = fits(least)
    assert (ran.status, ran.out.split()[1:], ran.err) == (0, [b"unset"], b""), ran
    assert not list(place.iterdir())


def test_secrets_are_not_kept(tmp_path):
    """Passwords and tokens of command lines are masked before anything is written, the program gets them as they are."""
    recording = tmp_path / "run.sonde"
    secrets = ["--password=hunter2secret", "--token", "tok3nsecret", "https://me:urls3cret@example.org/x"]
    ran = run(under(["sh", "-c", 'printf "%s\\n" "$@"; sleep 0.2', "sh", *secrets], recording))
    assert ran.out.decode().split("\n")[:-1] == secrets
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    shown = run([harm.SONDE, "show", "--json", str(recording)]).out
    for secret in (b"hunter2secret", b"tok3nsecret", b"urls3cret"):
        assert secret not in kept and secret not in shown
