"""Hostile places: no rights, no room, no /proc. The program runs all the same, and one line says what is missing.

A place is words that run a command in it (with $0 a scratch folder for the shell ones), so that the bare program and
sonde meet the same thing.
"""

import os
import resource

import harm
import pytest
import workbench
from harm import both, program, run, truth_program, under

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may make such a place")
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
AS_NOBODY = " ".join(NOBODY)


def within(script):
    """A mount namespace of its own, prepared by `script`, in which $0 is the scratch folder."""
    return [*workbench.unshare("-m"), "sh", "-c", f'set -e; {script}; exec "$@"']


def within_processes(script):
    """A pid namespace, too, with its own /proc."""
    return [*workbench.unshare("-mpf"), "sh", "-c", f'set -e; {script}; "$@"']


PLACES = {  # name: (words, environment to change, must sonde say something)
    "home_read_only": (within('mkdir "$0/h"; mount -t tmpfs -o ro,size=1m none "$0/h"'), {"HOME": "FOLDER/h"}, True),
    "home_impossible": ([], {"HOME": "/proc/home"}, True),  # root could make any other
    "no_home": ([], {"HOME": None, "XDG_DATA_HOME": None}, None),
    "no_tmpdir": ([], {"TMPDIR": "/nonexistent/tmp"}, False),
    "disk_full": (within('mkdir "$0/h"; mount -t tmpfs -o size=1m none "$0/h"; '
                         'dd if=/dev/zero of="$0/h/full" bs=4k 2>/dev/null || true'), {"HOME": "FOLDER/h"}, True),
    "disk_nearly_full": (within('mkdir "$0/h"; mount -t tmpfs -o size=1m none "$0/h"; '
                                'dd if=/dev/zero of="$0/h/full" bs=4k count=252 2>/dev/null'), {"HOME": "FOLDER/h"}, None),
    "no_inodes": (within('mkdir "$0/h"; mount -t tmpfs -o size=1m,nr_inodes=2 none "$0/h"; '
                         'touch "$0/h/x" || true'), {"HOME": "FOLDER/h"}, True),
    "nobody": (NOBODY, {"HOME": "FOLDER"}, False),
    "nobody_without_home": (NOBODY, {"HOME": "/root"}, True),
    "hidepid": (within_processes(f'mount -t proc -o hidepid=2 proc /proc; set -- {AS_NOBODY} "$@"'), {"HOME": "FOLDER"},
                False),
    "no_proc": (within("mount -t tmpfs -o size=1m none /proc"), {"HOME": "FOLDER"}, True),
    "no_sys": (within("mount -t tmpfs -o size=1m none /sys"), {"HOME": "FOLDER"}, False),
    "no_dev": (within("mount -t tmpfs -o size=1m none /dev"), {"HOME": "FOLDER"}, False),
    "container": ([*workbench.unshare("-Urmpf"), "--mount-proc", "sh", "-c", '"$@"'], {"HOME": "FOLDER"}, False),
    "all_read_only": (within('mount --bind / / && mount -o remount,bind,ro /'),
                      {"HOME": "/root"}, True),
}

SCRIPT = "echo out; echo err >&2; sleep 0.25; (exit 3); echo $?; exit 9"


def environment(changes, folder):
    result = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    for name, value in changes.items():
        result.pop(name, None)
        if value is not None:
            result[name] = value.replace("FOLDER", str(folder))
    return result


def words_in(place, folder, command):
    words = PLACES[place][0]
    if "sh" in words:
        return [*words, str(folder), *command]
    return [*words, *command]


def place_works(place):
    words = PLACES[place][0]
    return not words or words[0] == "sh" or workbench.can(*words[:words.index("sh")] if "sh" in words else words, "true")


@pytest.mark.parametrize("place", PLACES)
def test_place(place, tmp_path):
    _, changes, must_say = PLACES[place]
    if not place_works(place):
        pytest.skip(f"cannot make such a place here: {PLACES[place][0][:2]}")
    ran = []
    for way in ("bare", "sonde"):
        folder = tmp_path / way
        folder.mkdir()
        folder.chmod(0o777)
        command = ["/bin/sh", "-c", SCRIPT]
        command = command if way == "bare" else under(command)
        ran.append(run(words_in(place, folder, command), env=environment(changes, folder)))
    bare, sonde = ran
    if bare.status == 32 and bare.err.startswith(b"mount: "):
        pytest.skip(f"cannot make such a place here: {bare.err.decode().splitlines()[0]}")
    lines, err = harm.said(sonde)
    assert bare.status == 9 and bare.out == b"out\n3\n", f"the place itself is broken: {bare}"
    assert (sonde.status, sonde.out, err) == (bare.status, bare.out, bare.err), sonde
    if must_say is not None:
        assert bool(lines) == must_say, f"sonde said {lines}"
    warnings = [line for line in lines if line.startswith("sonde: ")]
    assert len(warnings) <= 2, f"one line, not a flood: {warnings}"


@ROOT
def test_disk_fills_during_the_run(tmp_path):
    """The recording grows until the disk is full, or the program fills the disk: it finishes, one line says so, and what
    was kept can be read."""
    (tmp_path / "disk").mkdir()
    script = ('mount -t tmpfs -o size=1m none "$0"; set +e; "$@"; echo "status $?"; rm -f "$0/full"; '
              f'{harm.SONDE} show --json "$0/run.sonde" > "$0/../shown" 2> "$0/../show-err"; echo "show $?"; '
              'ls "$0" >&2')
    fill = f"sleep 0.5; dd if=/dev/zero of={tmp_path}/disk/full bs=4k 2>/dev/null; sleep 1; echo on; exit 5"
    ran = run([*workbench.unshare("-m"), "sh", "-c", f"set -e; {script}", f"{tmp_path}/disk",
               *under(["sh", "-c", fill], f"{tmp_path}/disk/run.sonde")])
    assert b"on\nstatus 5\n" in ran.out, ran
    assert b"show 0" in ran.out or b"show 1" in ran.out, ran
    assert harm.said(ran)[0], f"nothing was said: {ran.err}"
    assert b"show 0" in ran.out, (ran, (tmp_path / "show-err").read_text())


def limit(which, number, hard=None):
    return lambda: resource.setrlimit(which, (number, hard or number))


LIMITS = {  # name: (what the caller does, command)
    "files_64": (limit(resource.RLIMIT_NOFILE, 64), [truth_program("events"), "processes", "100", "0.5"]),
    "files_10": (limit(resource.RLIMIT_NOFILE, 10), ["sh", "-c", "echo a; sleep 0.3; exit 3"]),
    "files_4": (limit(resource.RLIMIT_NOFILE, 4), ["sh", "-c", "echo a; sleep 0.3; exit 3"]),
    "address_space_200M": (limit(resource.RLIMIT_AS, 200 << 20), ["sh", "-c", "echo a; sleep 0.3; exit 3"]),
    "address_space_30M": (limit(resource.RLIMIT_AS, 30 << 20), ["sh", "-c", "echo a; sleep 0.3; exit 3"]),
    "data_4M": (limit(resource.RLIMIT_DATA, 4 << 20), ["sh", "-c", "echo a; sleep 0.3; exit 3"]),
    "stack_256K": (limit(resource.RLIMIT_STACK, 256 << 10), ["sh", "-c", "echo a; sleep 0.3; exit 3"]),
    "file_size_4K": (limit(resource.RLIMIT_FSIZE, 4096), ["sh", "-c", "echo a; sleep 0.5; exit 3"]),
    "file_size_0": (limit(resource.RLIMIT_FSIZE, 0), ["sh", "-c", "echo a; sleep 0.3; exit 3"]),
    "file_size_kills": (limit(resource.RLIMIT_FSIZE, 4096),
                        ["sh", "-c", "dd if=/dev/zero of=big bs=1k count=8 2>/dev/null; echo $?; exit 3"]),
    "locked_0": (limit(resource.RLIMIT_MEMLOCK, 0), ["sh", "-c", "echo a; exit 3"]),
    "signals_0": (limit(resource.RLIMIT_SIGPENDING, 0), ["sh", "-c", "echo a; exit 3"]),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limit(name, tmp_path):
    prepare, command = LIMITS[name]
    if "processes" in command:  # it says its own times, which differ from run to run
        command = ["sh", "-c", '"$@" >/dev/null', "x", *command]
    _, lines = both(command, tmp_path / "run.sonde", preexec_fn=prepare, cwd=tmp_path)
    assert len(lines) <= 4, lines


@ROOT
@pytest.mark.parametrize("more", [0, 1, 2, 3])
def test_process_limit(more, tmp_path):
    """A user who may have no more processes can still run a program in place of the shell; so can sonde."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_NPROC, (more, more))
        os.setgroups([])
        os.setgid(12345)  # nobody else is this user, so we know how many processes it has
        os.setuid(12345)

    command = [program("end"), "status", "7"]
    assert run(command, preexec_fn=prepare).status == 7
    ran = run(under(command, tmp_path / "run.sonde"), preexec_fn=prepare)
    assert ran.status == 7, ran
    if more == 0:
        assert harm.said(ran)[0], "nothing was measured and nobody was told"


@ROOT
def test_others_are_hidden(tmp_path):
    """hidepid: the program's own processes are still ours to see, so figures are there."""
    words = words_in("hidepid", tmp_path, under([truth_program("cpu"), "0.5", "0"], tmp_path / "run.sonde"))
    ran = run(words, env=environment({"HOME": "FOLDER"}, tmp_path))
    assert ran.status == 0, ran
    shown = workbench.show(tmp_path / "run.sonde")
    assert shown["totals"]["cpu_s"]["value"] == pytest.approx(0.5, rel=0.05)
    assert shown["totals"]["memory_tree_peak_bytes"]["value"] > 100_000


@ROOT
def test_setuid_program(tmp_path):
    """A program that runs as another user: its I/O may be closed to us; the rest is measured, nothing is refused."""
    import shutil
    target = tmp_path / "as-root"
    shutil.copy(truth_program("cpu"), target)
    target.chmod(0o4755)
    if os.statvfs(tmp_path).f_flag & os.ST_NOSUID:
        pytest.skip("set-uid programs do not work here")
    ran = run([*NOBODY, *under([str(target), "0.4", "0"], tmp_path / "run.sonde")])
    assert ran.status == 0, ran
    assert workbench.show(tmp_path / "run.sonde")["totals"]["cpu_s"]["value"] == pytest.approx(0.4, rel=0.05)


BAD_PLACES = ["FOLDER/missing/run.sonde", "FOLDER", "/proc/run.sonde", "/dev/full/x", "FOLDER/" + "n" * 300]


@pytest.mark.parametrize("place", BAD_PLACES)
def test_recording_cannot_be_made(place, tmp_path):
    """-o to where nothing can be written. Either it is refused before the program runs (125) or the program runs and a
    line says that nothing is kept; never a run whose cost is lost without a word."""
    mark = tmp_path / "mark"
    path = place.replace("FOLDER", str(tmp_path))
    ran = run(under(["sh", "-c", f"echo x > {mark}; exit 8"], path))
    lines, err = harm.said(ran)
    assert lines and err == b"", ran
    assert (ran.status, mark.exists()) in ((8, True), (125, False)), ran


def test_no_record_keeps_nothing(tmp_path):
    ran = run([harm.SONDE, "run", "--quiet", "--no-record", "--", "true"],
              env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    assert ran.status == 0
    assert not list(tmp_path.iterdir())
