"""What the tests of truth, of harm and of cost share: where sonde is, the C programs, a cgroup of one's own.

`SONDE` names the binary to test (build/sonde otherwise). The C programs are built once a session below
`build/tests/programs`, static where the C library allows it: a dynamic one reads its libraries at its start, and those
reads would blur the exact counts of I/O.
"""

import contextlib
import functools
import json
import os
import pathlib
import re
import subprocess
import time

MIB = 1024 * 1024
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
SONDE = os.environ.get("SONDE", str(BUILD / "sonde"))
PROGRAMS = BUILD / "tests" / "programs"
FLAGS = "-std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow".split()


def program_build(source, shared=()):
    """Compiles tests/<where>/programs/<name>.c unless the result is newer than its sources; returns its path."""
    source = pathlib.Path(source)
    target = PROGRAMS / source.parent.parent.name / source.stem
    sources = [source, *shared]
    headers = list(source.parent.glob("*.h"))
    if target.exists() and all(s.stat().st_mtime < target.stat().st_mtime for s in [*sources, *headers]):
        return str(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CC", "cc").split()
    fresh = f"{target}.{os.getpid()}"
    for link in (["-static"], []):
        built = subprocess.run([*compiler, *FLAGS, *link, "-o", fresh, *map(str, sources), "-lpthread"],
                               capture_output=True, text=True)
        if built.returncode == 0:
            os.rename(fresh, target)
            return str(target)
    raise RuntimeError(f"cannot build {source}: {built.stderr}")


def truth_program(name):
    folder = ROOT / "tests" / "truth" / "programs"
    return program_build(folder / f"{name}.c", [folder / "truth.c"])


def figure(shown, section, name):
    """One figure of the JSON of `sonde show --json`; a KeyError that names what is there is worth its line."""
    there = shown[section]
    if name not in there:
        raise KeyError(f"{section} has no {name}, only {sorted(there)}")
    return there[name]


def show(recording, *options):
    """The recording at that path as JSON; fails with what sonde said."""
    ran = subprocess.run([SONDE, "show", "--json", *options, str(recording)], capture_output=True, timeout=60)
    assert ran.returncode == 0, f"sonde show: status {ran.returncode}: {ran.stderr.decode(errors='replace')}"
    return json.loads(ran.stdout)


class Cgroup:
    """A control group that counts CPU time, v1 or v2, below the one we are in."""

    def __init__(self, path, version):
        self.path, self.version = path, version

    @property
    def procs(self):
        return str(self.path / "cgroup.procs")

    def cpu_s(self):
        if self.version == 1:
            return int((self.path / "cpuacct.usage").read_text()) / 1e9
        usage = re.search(r"usage_usec (\d+)", (self.path / "cpu.stat").read_text())
        return int(usage.group(1)) / 1e6

    def is_empty(self):
        return not pathlib.Path(self.procs).read_text().strip()

    def remove(self):
        """Processes that have just ended may still be counted as members for a moment."""
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.05)


def _cgroup_homes():
    """(directory to make a group in, version), best first."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, where = line.split(":", 2)
        if "cpuacct" in controllers.split(","):
            yield pathlib.Path(f"/sys/fs/cgroup/{controllers}{where}"), 1
            yield pathlib.Path(f"/sys/fs/cgroup/cpuacct{where}"), 1
        elif not controllers:
            yield pathlib.Path(f"/sys/fs/cgroup{where}"), 2


def cgroup_new():
    """A new group, or None where we may not make one."""
    for home, version in _cgroup_homes():
        path = home / f"sonde-truth-{os.getpid()}-{time.monotonic_ns()}"
        try:
            path.mkdir()
        except OSError:
            continue
        group = Cgroup(path, version)
        with contextlib.suppress(OSError, AttributeError):
            group.cpu_s()
            return group
        group.remove()
    return None


@functools.lru_cache(maxsize=None)
def unshare(flags):
    """unshare(1) with a mount namespace. In a chroot "/" is no mount, and cannot be made private; there it stays as it is."""
    if can("unshare", flags, "true"):
        return ["unshare", flags]
    return ["unshare", flags, "--propagation", "unchanged"]


def is_root():
    return os.geteuid() == 0


def can(*command):
    """Does this command work here? For `pytest.mark.skipif` with a reason."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20).returncode == 0
    return False
