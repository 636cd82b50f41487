"""Fixtures for tests of whole commands.

`sonde` runs the command under test; `user` runs it as somebody without rights. Both return a `Ran`:
`status` (negative: the signal), `out` and `err` as text. Each test has a directory and a data
directory of its own.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
SONDE = pathlib.Path(os.environ.get("SONDE") or BUILD / "sonde").resolve()
NOBODY = 65534
TIMEOUT_S = 60


@dataclasses.dataclass
class Ran:
    status: int
    out: str
    err: str


def environment(home, binary=SONDE):
    """A small, known environment: nothing of the tester's own shows in what sonde prints."""
    sanitizers = ("ASAN_", "UBSAN_", "TSAN_", "LSAN_")
    keep = {name: value for name, value in os.environ.items() if name.startswith(sanitizers)}
    return {
        **keep,
        "PATH": f"{binary.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "80",
    }


def text(stream):
    return (stream or b"").decode(errors="surrogateescape")


def run(command, home, binary=SONDE, env=None, timeout=TIMEOUT_S, **how):
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    if "input" in how:
        del how["stdin"]
        how["input"] = how["input"].encode()
    how["cwd"] = how.get("cwd", home)
    how["env"] = {**environment(home, binary), **(env or {})}
    ran = subprocess.run(command, timeout=timeout, **how)
    return Ran(ran.returncode, text(ran.stdout), text(ran.stderr))


@pytest.fixture
def sonde(tmp_path):
    """sonde("run", "true", env={...}, input="..."): further names go to subprocess.run()."""
    return lambda *words, **how: run([SONDE, *map(str, words)], tmp_path, **how)


@pytest.fixture
def user():
    """As `sonde`, without rights: as nobody where the tests run as root, else as whoever runs
    them. `user.home` is the directory that it may write."""
    with tempfile.TemporaryDirectory(prefix="sonde-user-") as name:
        home = pathlib.Path(name) / "home"
        home.mkdir()
        os.chmod(name, 0o755)
        # The build may stand where nobody may look.
        binary = pathlib.Path(shutil.copy(SONDE, name))

        def give_up_rights():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        how_to = {}
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
            how_to["preexec_fn"] = give_up_rights

        def call(*words, **how):
            return run([binary, *map(str, words)], home, binary, **how_to, **how)

        call.home = home
        yield call
