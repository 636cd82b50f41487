"""Advice on real programs: each rule has one that fires it and one beside it that must not.

Where a machine cannot make the case (a quota without cgroups that we may write, a disk that never lets anybody wait), or
was busy with others in every try, the test is skipped and says so. Swapping needs swap and a machine that may be
brought to its knees: that rule has its facts in src/advise/tests/test_rules.c only.
"""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import time

import pytest

from conftest import ROOT

TRIES = 3
QUIET = 0.05  # less is what any machine does beside
PYTHON = sys.executable
CORES = sorted(os.sched_getaffinity(0))
BUSY = "import time; end = time.monotonic() + {s}\nwhile time.monotonic() < end: pass"
HALF_BUSY = """
import time
end = time.monotonic() + 1.5
while time.monotonic() < end:
    if time.monotonic() % 0.02 > 0.008: time.sleep(0.01)
"""
MANY_BUSY = """
import os, time
for i in range({n} - 1):
    if os.fork() == 0: break
end = time.monotonic() + 2
while time.monotonic() < end: pass
try:
    while True: os.wait()
except ChildProcessError: pass
"""
THREADS = """
import threading, time
end = time.monotonic() + 2
def work():
    while time.monotonic() < end: sum(range(1000))
for i in range(4): threading.Thread(target=work).start()
"""
STARTS = """
import os, time
end = time.monotonic() + 1.5
while time.monotonic() < end: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
"""
KERNEL = """
import time
end, zeros, into = time.monotonic() + 1.5, open("/dev/zero", "rb", buffering=0), bytearray(1 << 20)
while time.monotonic() < end: zeros.readinto(into)
"""
TOUCH = "import time; held = b'x' * ({mib} << 20); time.sleep(1.2)"


def python(text, **values):
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return [PYTHON, "-S", "-c", text]


@pytest.fixture
def run(sonde):
    """run(command, ...) is what `sonde run --json` says of it."""

    def call(command, **how):
        ran = sonde("run", "--json", "--", *command, **how)
        return json.loads(ran.out[ran.out.index("{"):])

    return call


def rules(shown):
    return [advice["rule"] for advice in shown["advice"]]


def total(shown, name, section="totals"):
    return shown[section][name]["value"]


def disturbed(shown):
    """The part of the time that others cost this run: of the machine's CPU time, by waiting, by the host."""
    wall = total(shown, "wall_s")
    everything = wall * total(shown, "cores", "machine")
    others = (total(shown, "machine_busy_s") - total(shown, "cpu_s")) / everything
    return max(others, (total(shown, "wait_cpu_s") or 0) / wall, (total(shown, "machine_steal_s") or 0) / everything)


def until_quiet(once, holds):
    """Tries until it holds; skips where the machine was never quiet, as nothing can be said then."""
    seen = []
    for _ in range(TRIES):
        shown = once()
        if holds(shown):
            return shown
        seen.append(disturbed(shown))
    if min(seen) > QUIET:
        pytest.skip(f"others cost {min(seen):.0%} of the time or more in {TRIES} tries")
    pytest.fail(f"rules {rules(shown)}, others cost {seen}, totals {shown['totals']}")


def slurm(**more):
    names = {"cores": "SLURM_CPUS_PER_TASK", "mib": "SLURM_MEM_PER_NODE", "tasks": "SLURM_NTASKS"}
    env = {"SLURM_JOB_ID": "7", **{names[name]: str(value) for name, value in more.items() if name != "time_s"}}
    if "time_s" in more:
        env |= {"SLURM_JOB_START_TIME": "1000", "SLURM_JOB_END_TIME": str(1000 + more["time_s"])}
    return env


def on_core(core):
    """For subprocess: what it starts may use this core only. sonde learns that at its own start."""
    return {"preexec_fn": lambda: os.sched_setaffinity(0, {core})}


@contextlib.contextmanager
def burning(cores):
    """Others that keep these cores busy meanwhile."""
    command = python(BUSY, s=60)
    burners = [subprocess.Popen(command, stdin=subprocess.DEVNULL, **on_core(core)) for core in cores]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


needs_two = pytest.mark.skipif(len(CORES) < 2, reason="one core: nothing can lie idle beside it")


def test_bounds_of_what_was_sampled(run):
    """Advice stands on them: a sampled peak has a lower end, one of cores with children both."""
    shown = run(["sh", "-c", f"{PYTHON} -S -c '{BUSY.format(s=0.7)}'; true"])
    peak = shown["totals"]["cores_peak"]
    assert peak["how"] == "estimated"
    assert peak["low"] <= peak["value"] <= peak["high"] <= peak["value"] + 0.25
    for name in ("threads_peak", "wait_cpu_s", "swap_peak_bytes"):
        figure = shown["totals"][name]
        assert figure["how"] == "absent" or figure["low"] == figure["value"], name


@needs_two
def test_one_core(run):
    shown = until_quiet(lambda: run(python(BUSY, s=6)), lambda shown: "one-core" in rules(shown))
    assert f"of {len(CORES)} that it may use" in shown["advice"][rules(shown).index("one-core")]["text"]


@needs_two
def test_one_core_in_a_job(run):
    env = slurm(cores=len(CORES))
    shown = until_quiet(lambda: run(python(BUSY, s=1.5), env=env), lambda shown: "one-core" in rules(shown))
    assert "--cpus-per-task=1" in shown["advice"][rules(shown).index("one-core")]["next"]


@needs_two
def test_threads_of_python_are_one_core(run):
    """They share a lock."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("a Python without that lock")
    env = slurm(cores=len(CORES))
    shown = until_quiet(lambda: run(python(THREADS), env=env), lambda shown: "one-core" in rules(shown))
    assert "ran one at a time" in shown["advice"][rules(shown).index("one-core")]["evidence"]


def test_not_one_core(run):
    env = slurm(cores=len(CORES))
    assert "one-core" not in rules(run(python(MANY_BUSY, n=2), env=env))
    assert "one-core" not in rules(run(["sleep", "1.5"], env=env))
    assert "one-core" not in rules(run(python(BUSY, s=2)))  # nobody asked for cores, and it is short
    assert "one-core" not in rules(run(python(BUSY, s=1.5), env=env, **on_core(CORES[0])))  # it had one only


def test_few_cores_used(run):
    shown = until_quiet(
        lambda: run(python(HALF_BUSY), env=slurm(cores=16)), lambda shown: "few-cores-used" in rules(shown)
    )
    assert "one-core" not in rules(shown)
    assert "few-cores-used" not in rules(run(python(HALF_BUSY), env=slurm(cores=1)))
    assert "few-cores-used" not in rules(run(python(HALF_BUSY)))


@needs_two
def test_too_many_threads(run):
    shown = run(python(MANY_BUSY, n=8), **on_core(CORES[0]))
    assert "too-many-threads" in rules(shown), shown["totals"]
    assert "cpu-wait-cores" not in rules(shown)
    assert "too-many-threads" not in rules(run(python(BUSY, s=1.5), **on_core(CORES[0])))
    assert "too-many-threads" not in rules(run(python(MANY_BUSY, n=len(CORES))))


@needs_two
def test_too_few_cores(run):
    shown = run(python(MANY_BUSY, n=2), **on_core(CORES[0]))
    assert "cpu-wait-cores" in rules(shown), shown["totals"]
    assert "cpu-wait-cores" not in rules(run(python(BUSY, s=1.5), **on_core(CORES[0])))
    assert "cpu-wait-cores" not in rules(run(python(MANY_BUSY, n=2)))


def test_others_had_the_cpu(run):
    def once():
        return run(python(BUSY, s=2), **on_core(CORES[0]))

    with burning([CORES[0]] * 2):
        shown = once()
    assert "cpu-wait-others" in rules(shown), shown["totals"]
    until_quiet(once, lambda shown: "cpu-wait-others" not in rules(shown))


def test_machine_was_busy(run):
    with burning(CORES):
        shown = run(["sleep", "2"])
    if len(CORES) < total(shown, "cores", "machine"):
        pytest.skip("we may not use all cores of the machine")
    assert "machine-busy" in rules(shown), shown["totals"]
    until_quiet(lambda: run(["sleep", "2"]), lambda shown: "machine-busy" not in rules(shown))


def test_sleeping(run):
    assert "sleeping" in rules(run(["sleep", "1.5"]))
    assert "sleeping" not in rules(run(python(KERNEL)))


def test_too_short(run):
    assert rules(run(["true"], env=slurm(cores=16, mib=99999, time_s=86400))) == ["too-short"]
    assert "too-short" not in rules(run(["sleep", "1.2"]))


def test_process_starts(run):
    shown = until_quiet(lambda: run(python(STARTS)), lambda shown: "process-starts" in rules(shown))
    assert "system-time" not in rules(shown)
    assert "process-starts" not in rules(run(python(KERNEL)))


def test_system_time(run):
    until_quiet(lambda: run(python(KERNEL)), lambda shown: "system-time" in rules(shown))
    assert "system-time" not in rules(run(python(BUSY, s=1.5)))


def test_storage(run, tmp_path):
    """Small pieces, each of them from the disk itself."""
    data = tmp_path / "data"
    data.write_bytes(bytes(160 << 20))
    command = ["dd", f"if={data}", "of=/dev/null", "bs=4k", "iflag=direct", "status=none"]
    if subprocess.run([*command, "count=1"], capture_output=True).returncode != 0:
        pytest.skip("this file system cannot read around its cache")
    for _ in range(TRIES):
        shown = run(command)
        if "storage-wait" in rules(shown):
            break
    waited, wall = total(shown, "pressure_io_s"), total(shown, "wall_s")
    if waited is None or waited < 0.25 * wall or wall < 1:
        pytest.skip(f"the disk here lets nobody wait: {waited} s of {wall} s")
    assert "storage-wait" in rules(shown), shown["totals"]
    assert "sleeping" not in rules(shown)
    assert "storage-wait" not in rules(run(["sleep", "1.5"]))


def test_memory_near(run):
    shown = run(python(TOUCH, mib=240), env=slurm(mib=256))
    assert "memory-near" in rules(shown), shown["totals"]
    assert "--mem=" in shown["advice"][rules(shown).index("memory-near")]["next"]
    assert "memory-near" not in rules(run(python(TOUCH, mib=100), env=slurm(mib=256)))
    assert "memory-near" not in rules(run(python(TOUCH, mib=240)))


def test_memory_low(run):
    shown = run(python(TOUCH, mib=100), env=slurm(mib=8192))
    assert "memory-low" in rules(shown), shown["totals"]
    beside = [(100, slurm(mib=256)), (100, {}), (100, slurm(mib=8192, tasks=4))]
    for mib, env in beside:
        assert "memory-low" not in rules(run(python(TOUCH, mib=mib), env=env)), env
    failing = python(TOUCH + "; raise SystemExit(3)", mib=100)
    assert "memory-low" not in rules(run(failing, env=slurm(mib=8192)))


def test_time_low(run):
    assert "time-low" in rules(run(["sleep", "1.2"], env=slurm(time_s=86400)))
    assert "time-low" not in rules(run(["sleep", "1.2"], env=slurm(time_s=300)))
    assert "time-low" not in rules(run(["sleep", "1.2"]))


def test_ask_for(run):
    env = slurm(cores=16, mib=131072, time_s=86400)
    asked = [a["next"] for a in run(python(TOUCH, mib=500), env=env)["advice"] if a["rule"] == "ask-for"]
    assert asked == ["ask for --cpus-per-task=1 --mem=1G --time=00:01:00"]
    env = {"PBS_JOBID": "7.server", "NCPUS": "16", "PBS_WALLTIME": "24:00:00"}
    asked = [a["next"] for a in run(["sleep", "1.2"], env=env)["advice"] if a["rule"] == "ask-for"]
    assert asked == ["ask for -l select=1:ncpus=1 -l walltime=00:01:00"]
    for command, env in [
        (["sleep", "1.2"], {}),
        (["sleep", "1.2"], slurm(cores=16, time_s=86400, tasks=4)),
        (["sh", "-c", "sleep 1.2; exit 3"], slurm(cores=16, time_s=86400)),
        (["sh", "-c", "sleep 1.2; kill $$"], slurm(cores=16, time_s=86400)),
        (["sleep", "1.2"], slurm(cores=1, time_s=300)),
    ]:
        assert "ask-for" not in rules(run(command, env=env)), (command, env)


def test_elsewhere(run, tmp_path):
    """A program of that name that waits for something is all that sonde can see of it."""
    ssh = tmp_path / "ssh"
    ssh.write_bytes(pathlib.Path("/bin/sleep").read_bytes())
    ssh.chmod(0o755)
    shown = run([ssh, "1.5"], env=slurm(cores=16, mib=99999))
    assert rules(shown)[0] == "elsewhere"
    assert not {"sleeping", "ask-for", "memory-low"} & set(rules(shown))
    assert "elsewhere" not in rules(run(["sleep", "1.5"]))


def group_home(controller):
    """The directory of a cgroup version 1 controller that we are in, or of version 2."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, where = line.split(":", 2)
        if controller in names.split(","):
            return pathlib.Path(f"/sys/fs/cgroup/{names}{where}"), 1
    return pathlib.Path("/sys/fs/cgroup"), 2


@contextlib.contextmanager
def group(controller, limits):
    """A cgroup with these limits, by version; skips where we may not make one."""
    home, version = group_home(controller)
    path = home / f"sonde-advice-{os.getpid()}-{time.monotonic_ns()}"
    try:
        path.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup of our own: {error}")
    try:
        for name, value in limits[version].items():
            (path / name).write_text(value)
        yield path / "cgroup.procs"
    except OSError as error:
        pytest.skip(f"no cgroup with a limit: {error}")
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                path.rmdir()
                break
            time.sleep(0.05)


def joining(procs):
    """For `preexec_fn`: sonde and what it starts begin inside of the group."""
    return lambda: pathlib.Path(procs).write_text(str(os.getpid()))


def test_quota(run):
    half = {1: {"cpu.cfs_quota_us": "50000"}, 2: {"cpu.max": "50000 100000"}}
    with group("cpu", half) as procs:
        shown = run(python(BUSY, s=2), preexec_fn=joining(procs))
        beside = run(["sleep", "1.5"], preexec_fn=joining(procs))
    assert "cpu-wait-quota" in rules(shown), shown["totals"]
    assert "quota of 0.5 cores" in shown["advice"][rules(shown).index("cpu-wait-quota")]["text"]
    assert "cpu-wait-quota" not in rules(beside)
    assert "cpu-wait-quota" not in rules(run(python(BUSY, s=1.5)))


def test_killed_for_memory(run):
    """More memory than the group may have, and beside it the same signal from somebody else."""
    few = {1: {"memory.limit_in_bytes": "64M"}, 2: {"memory.max": "64M", "memory.swap.max": "0"}}
    with group("memory", few) as procs:
        shown = run(python(TOUCH, mib=300), preexec_fn=joining(procs))
    if shown["run"]["exit"]["signal"] != 9:
        pytest.skip("there is swap: the group's limit does not kill")
    assert rules(shown) == ["killed-for-memory"], shown["run"]["exit"]
    assert "its limit of 64 MiB" in shown["advice"][0]["text"]
    assert "killed-for-memory" not in rules(run(["sh", "-c", "sleep 1.2; kill -9 $$"]))


FIELD = re.compile(r'\.(id|title|means|seen|remedy|ignore) =\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
HEADINGS = {"means": "What it means", "seen": "How it was seen", "remedy": "What to try", "ignore": "When to ignore it"}


def rules_of_source():
    """Each rule's texts, in the order of the table."""
    folder = ROOT / "src" / "advise"
    found = {}
    for path in sorted(folder.glob("*.c")):
        for name, literals in FIELD.findall(path.read_text()):
            text = "".join(LITERAL.findall(literals)).replace('\\"', '"')
            rule = {} if name == "id" else rule
            rule[name] = text
            found[rule["id"]] = rule
    order = re.findall(r"&rule_(\w+)", (folder / "table.c").read_text())
    assert sorted(order) == sorted(name.replace("-", "_") for name in found)
    return [found[name.replace("_", "-")] for name in order]


def rules_page():
    yield "| rule | it says |\n|---|---|\n"
    for rule in rules_of_source():
        yield f"| [`{rule['id']}`](#{rule['id']}) | {rule['title']} |\n"
    for rule in rules_of_source():
        yield f"\n### {rule['id']}\n{rule['title'].capitalize()}.\n"
        for name, heading in HEADINGS.items():
            yield "\n" + textwrap.fill(f"**{heading}.** {rule[name]}", 108, break_on_hyphens=False) + "\n"


def test_docs_have_every_rule():
    """The list at the end of the page is made from the table: UPDATE=1 writes it anew."""
    page = ROOT / "docs" / "advice.md"
    before, mark, _ = page.read_text().partition("The most important first.\n\n")
    assert mark
    expected = before + mark + "".join(rules_page())
    if os.environ.get("UPDATE"):
        page.write_text(expected)
    assert page.read_text() == expected
