"""sonde doctor: what can be measured here, and a capture of it."""

import json
import os
import pathlib
import re
import subprocess

import pytest
from conftest import ROOT, SONDE, run


def rows(printed):
    """What is printed, as {area: {name: (state, lines below)}}."""
    found, area, name = {}, None, None
    for line in printed.splitlines():
        row = re.match(r"  (\S.{9}) (works|in part|not here) ", line)
        if line and not line.startswith(" "):
            area = found.setdefault(line, {})
        elif row:
            name = row.group(1).strip()
            area[name] = (row.group(2), [])
        elif line and name in area:
            area[name][1].append(line.strip())
    return found


def test_lists_every_source_by_area(sonde):
    ran = sonde("doctor", "--no-check")
    assert ran.status == 0
    found = rows(ran.out)
    assert {"stat", "schedstat", "frequency", "clock"} <= set(found["cpu"])
    assert {"statm", "smaps", "status", "kernel log"} <= set(found["memory"])
    assert "io" in found["io"] and "events" in found["processes"] and "cgroup" in found["cgroup"]
    assert "scheduler" in found["job"] and "place" in found["recordings"] and found["terminal"]
    assert found["memory"]["statm"][0] == "works"
    assert "right on this machine" not in ran.out
    too_long = [line for line in ran.out.splitlines() if len(line) > 80]
    assert all("'/" in line for line in too_long), "only a path is never broken"


def test_one_area_or_one_name(sonde):
    assert list(rows(sonde("doctor", "memory").out)) == ["memory"]
    assert list(rows(sonde("doctor", "events").out)["processes"]) == ["events"]
    found = json.loads(sonde("doctor", "io", "--json").out)
    assert {source["area"] for source in found["sources"]} == {"io"} and "checks" not in found


@pytest.mark.parametrize(
    "area, hint", [("memroy", "'sonde doctor memory'"), ("elephant", "areas are cpu, memory, io")]
)
def test_unknown_area(sonde, area, hint):
    ran = sonde("doctor", area)
    assert ran.status == 2 and not ran.out
    assert f"'{area}': no such area" in ran.err and hint in ran.err


def test_json(sonde):
    found = json.loads(sonde("doctor", "--json", "--no-check").out)
    assert found["format"] == "sonde.doctor/1" and "checks" not in found
    for source in found["sources"]:
        assert source["area"] and source["help"]
        assert source["state"] in ("works", "in part", "not here")
        assert source["state"] == "works" or source["why"], source
        given = [key for key in ("needs", "command", "who") if key in source]
        assert len(given) in (0, 3), "what it needs, how, and who may: all or nothing"
        assert not given or source["state"] != "works"


def test_is_right_here(sonde):
    """The truth programs of doctor itself; what is closed on a machine is told as such."""
    found = json.loads(sonde("doctor", "--json").out)
    events = next(s for s in found["sources"] if s["source"] == "events")
    for check in found["checks"]:
        told_by_events = check["metric"] == "processes" and events["state"] != "works"
        assert check["verdict"] == "right" or told_by_events, check
        assert check["low"] <= check["done"] <= check["high"], check
    assert {"cpu_s", "memory_process_peak_bytes", "io_read_bytes", "io_write_bytes", "processes", "wall_s"} == {
        check["metric"] for check in found["checks"]
    }


def test_where_perf_events_are_closed(sonde, tmp_path):
    """Short children cannot all be counted then; that is said, and is nothing wrong."""
    closed = tmp_path / "closed"
    subprocess.run(["cc", "-o", closed, ROOT / "tests/truth/programs/closed.c"], check=True)
    ran = run([closed, SONDE, "doctor", "--json"], tmp_path)
    found = json.loads(ran.out)
    events = next(source for source in found["sources"] if source["source"] == "events")
    assert ran.status == 0 and events["state"] == "not here" and "Permission denied" in events["why"]
    verdicts = {check["check"]: check["verdict"] for check in found["checks"]}
    assert verdicts.pop("20 short children and itself") == "cannot tell"
    assert set(verdicts.values()) == {"right"}, found["checks"]


def test_leaves_nothing_behind(sonde, tmp_path):
    (tmp_path / "tmp").mkdir()
    ran = sonde("doctor", env={"TMPDIR": str(tmp_path / "tmp")})
    assert ran.status == 0 and "is sonde right on this machine?" in ran.out
    assert not list((tmp_path / "tmp").iterdir())
    assert not (tmp_path / "data").exists(), "checks are no runs of the user"


def test_cannot_check(sonde):
    ran = sonde("doctor", env={"TMPDIR": "/nowhere"})
    assert ran.status == 1 and "statm" in ran.out
    assert "cannot check sonde itself: cannot make the directory '/nowhere/" in ran.err


WRONG_CLOCK = r"""
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
/* A program whose own CPU clock runs twice as fast believes to have done twice as much. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, clock, ret);

	if (clock == CLOCK_PROCESS_CPUTIME_ID)
		ret->tv_nsec *= 2;
	return r;
}
"""


def test_a_wrong_figure_is_said_plainly(sonde, tmp_path):
    (tmp_path / "clock.c").write_text(WRONG_CLOCK)
    library = tmp_path / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "clock.c"], check=True)
    asan = f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0"
    ran = sonde("doctor", env={"LD_PRELOAD": str(library), "ASAN_OPTIONS": asan})
    assert ran.status == 1
    assert re.search(r"^  CPU time of a loop .* WRONG ", ran.out, re.M)
    assert re.search(r"^  bytes written .* right ", ran.out, re.M)
    assert "what sonde tells on this machine is not right" in ran.err and "--capture" in ran.err


def test_recordings_that_have_no_place(user):
    (user.home / "data").mkdir(mode=0o555)
    if os.geteuid() == 0:
        os.chown(user.home / "data", 0, 0)
    ran = user("doctor", "recordings")
    state, below = rows(ran.out)["recordings"]["place"]
    assert ran.status == 0 and state == "not here"
    assert "Permission denied" in below[0] and "mkdir .sonde" in " ".join(below)


def test_of_somebody_elses_process(user):
    """What is closed names who may look."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a process of another user for this")
    found = json.loads(user("doctor", "io", "--pid", os.getpid(), "--json").out)["sources"][0]
    assert found["state"] == "not here" and "Permission denied" in found["why"]
    assert found["who"] == "root, or the owner of the process"
    assert found["command"] == f"sudo sonde doctor --pid {os.getpid()}"


def test_sees_a_job(sonde):
    ran = sonde("doctor", "job", env={"SLURM_JOB_ID": "4711"})
    assert rows(ran.out)["job"]["scheduler"] == ("works", ["slurm, job 4711"])
    ran = sonde("doctor", "job", env={"SLURM_JOB_ID": "\x1b[31m"})
    assert "\x1b" not in ran.out


def test_the_work_is_hidden(sonde):
    assert "truth" not in sonde("help", "help").out
    assert sonde("truth", "cpu").out.startswith("cpu_s 0.2")
    assert sonde("truth", "elephant").status == 2


def test_capture_is_masked_and_complete(sonde, tmp_path):
    ran = sonde("doctor", "--capture", "mine", env={"API_TOKEN": "xyzzy123"})
    assert ran.status == 0 and "captured.txt" in ran.err
    files = [p for p in (tmp_path / "mine").rglob("*") if p.is_file()]
    assert any(p.name == "statm" for p in files) and (tmp_path / "mine" / "captured.txt").exists()
    assert all(b"xyzzy123" not in p.read_bytes() for p in files)
    assert not any(p.name == "environ" for p in files)


def test_capture_that_cannot_be_written(sonde, tmp_path):
    (tmp_path / "file").write_text("in the way")
    ran = sonde("doctor", "--capture", "file/below")
    assert ran.status == 1 and "cannot capture to 'file/below'" in ran.err
    assert (tmp_path / "file").read_text() == "in the way"


def test_bad_words(sonde):
    assert sonde("doctor", "nonsense").status == 2
    assert sonde("doctor", "--pid", "x").status == 2


def test_of_a_process_that_is_gone(sonde):
    missing = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text()) + 1
    ran = sonde("doctor", "--pid", missing)
    assert ran.status == 0 and rows(ran.out)["memory"]["statm"][0] == "not here"
