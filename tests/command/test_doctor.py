"""sonde doctor: what can be measured here, and a capture of it."""

import json
import pathlib


def test_lists_every_source(sonde):
    ran = sonde("doctor")
    assert ran.status == 0
    states = {line.split()[0]: line for line in ran.out.splitlines() if not line.startswith(" ")}
    for name in ("stat", "statm", "io", "schedstat", "machine", "cgroup", "events"):
        assert name in states
    assert " works " in states["statm"]


def test_json(sonde):
    found = json.loads(sonde("doctor", "--json").out)
    assert found["format"] == "sonde.doctor/1"
    for source in found["sources"]:
        assert source["state"] in ("works", "in part", "not here")
        assert source["state"] != "not here" or source["why"], source


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
    assert ran.status == 0 and "statm      not here" in ran.out
