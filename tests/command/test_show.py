"""show, history and export, on runs that were just recorded."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from conftest import SONDE, environment

WORK = "head -c 300000 /dev/zero > out; for i in 1 2 3; do sleep 0.1; done; exit 3"

METRICS = """
    wall_s cpu_s cpu_user_s cpu_system_s cores_mean cores_peak memory_process_peak_bytes
    memory_tree_peak_bytes memory_cgroup_peak_bytes swap_peak_bytes io_read_bytes io_write_bytes
    storage_read_bytes storage_write_bytes io_read_calls io_write_calls faults_major faults_minor
    switches_voluntary switches_involuntary wait_cpu_s wait_io_s processes processes_peak
    threads_peak gpu_s gpu_memory_peak_bytes energy_j co2e_g
""".split()


@pytest.fixture
def fit(sonde):
    """One recorded run, of name "fit", which ended with status 3."""
    ran = sonde("run", "--name", "fit", "--tag", "size=large", "sh", "-c", WORK)
    assert ran.status == 3, ran.err
    return ran


def recordings(tmp_path):
    return sorted((tmp_path / "data" / "sonde").glob("*.sonde"))


def is_clean(text):
    return all(c == "\n" or c.isprintable() or c == "\ufffd" for c in text)


def check_figure(figure):
    assert set(figure) <= {"value", "how", "low", "high", "source", "why"}
    if figure["how"] == "absent":
        assert figure["value"] is None and figure["why"]
    else:
        assert figure["how"] in ("measured", "estimated")
        assert isinstance(figure["value"], (int, float))


def test_page(sonde, fit):
    ran = sonde("show")
    assert ran.status == 0 and ran.err == ""
    for words in ('"fit"', "exit status 3", "tags: size=large", "what it used", "by command",
                  "who started whom", "what sonde itself cost"):
        assert words in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert is_clean(ran.out)


def test_summary_fits(fit):
    lines = [line for line in fit.err.splitlines() if line]
    assert 0 < len(lines) <= 8
    assert max(map(len, lines)) <= 80
    assert "exit status 3" in fit.err


def test_json_is_the_interface(sonde, fit):
    run = json.loads(sonde("show", "--json").out)
    assert run["format"] == "sonde.run/1"
    assert run["run"]["name"] == "fit"
    assert run["run"]["command"] == ["sh", "-c", WORK]
    assert run["run"]["tags"] == {"size": "large"}
    assert run["run"]["complete"] is True
    assert run["run"]["exit"]["status"] == 3 and run["run"]["exit"]["signal"] is None
    for name in METRICS:
        check_figure(run["totals"][name])
    for figure in run["totals"].values():
        check_figure(figure)
    assert 0.3 <= run["totals"]["wall_s"]["value"] < 30
    assert run["totals"]["gpu_s"]["how"] == "absent"
    for process in run["processes"]:
        assert {"pid", "parent", "command", "name", "count", "started_s", "ended_s", "exit",
                "totals"} <= set(process)
        for figure in process["totals"].values():
            check_figure(figure)
    assert run["processes"][0]["parent"] is None
    assert run["phases"] == []
    for advice in run["advice"]:
        assert set(advice) == {"rule", "text", "evidence", "next"}
    assert "series" not in run
    check_figure(run["sonde"]["own"]["cpu_s"])


def test_rows_add_up(sonde, fit):
    run = json.loads(sonde("show", "--json").out)
    total = run["totals"]["cpu_s"]["value"]
    rows = sum(process["totals"]["cpu_s"]["value"] or 0 for process in run["processes"])
    assert rows <= total * 1.01 + 0.02


def test_series(sonde, fit):
    run = json.loads(sonde("show", "--json", "--series", "memory_tree_bytes").out)
    assert list(run["series"]) == ["memory_tree_bytes"]
    points = run["series"]["memory_tree_bytes"]
    assert len(points) >= 2
    assert [t for t, _ in points] == sorted(t for t, _ in points)
    text = sonde("show", "--series", "memory_tree_bytes", "--list").out.splitlines()
    assert text[0].startswith("memory_tree_bytes")
    assert len(text) == len(points) + 1
    every = json.loads(sonde("show", "--json", "--series", "all").out)["series"]
    assert every["memory_tree_bytes"] == points and "cores" in every


def test_plot(sonde, fit):
    points = json.loads(sonde("show", "--json", "--series", "cores").out)["series"]["cores"]
    for env, columns in (({"COLUMNS": "40", "LC_ALL": "C"}, 40),
                         ({"LC_ALL": "C.UTF-8"}, 80),
                         ({"COLUMNS": "200", "LC_ALL": "C.UTF-8"}, 200)):
        ran = sonde("show", "--series", "cores", env=env)
        assert ran.status == 0 and ran.err == ""
        lines = ran.out.splitlines()
        assert lines[0].startswith("cores: ") and is_clean(ran.out)
        assert max(map(len, lines)) <= columns
        assert f"{sum(number is not None for _, number in points)} look" in ran.out
        dots = any("\u2800" < c <= "\u28ff" for c in ran.out)
        assert dots == (env["LC_ALL"] == "C.UTF-8")
    every = sonde("show", "--series", "all").out
    assert "cores: " in every and "memory_tree_bytes: " in every and "always 0" in every


def test_list_of_nothing(sonde, fit):
    ran = sonde("show", "--list")
    assert ran.status == 2 and ran.out == ""
    assert "hint: write for example: sonde show --series cores --list" in ran.err


def test_unknown_series(sonde, fit):
    ran = sonde("show", "--series", "memory_tree_byte")
    assert ran.status == 1 and ran.out == ""
    assert "no series 'memory_tree_byte'" in ran.err
    assert "did you mean 'memory_tree_bytes'" in ran.err


def test_tree(sonde, fit):
    ran = sonde("show", "--tree")
    assert ran.out.startswith("who started whom")
    assert "sleep" in ran.out


@pytest.mark.parametrize("word", ["last", "@1", "fit", "id", "start of id", "path"])
def test_naming_a_run(sonde, fit, tmp_path, word):
    path = recordings(tmp_path)[-1]
    run_id = path.stem.rsplit("-", 1)[1]
    word = {"id": run_id, "start of id": run_id[:5], "path": str(path)}.get(word, word)
    assert json.loads(sonde("show", "--json", word).out)["run"]["id"] == run_id


@pytest.mark.parametrize("words, status, said", [
    (["show", "nonesuch"], 1, "no run 'nonesuch'"),
    (["show", "fut"], 1, "did you mean 'fit'"),
    (["show", "@7"], 1, "no run '@7'"),
    (["show", "./none.sonde"], 1, "'./none.sonde'"),
    (["show", "a", "b"], 2, "'b' is one too many"),
    (["show", "--nonsense"], 2, "--nonsense"),
    (["history", "fit"], 2, "sonde show fit"),
    (["history", "--tag", "size"], 2, "KEY=VALUE"),
    (["history", "--since", "yesterday"], 2, "yesterday"),
    (["export", "--format", "jsn"], 2, "did you mean 'json'"),
    (["export", "--format", "csv", "-o", "/nowhere/x.csv"], 1, "'/nowhere/x.csv'"),
    (["export", "a", "b"], 2, "'b' is one too many"),
])
def test_what_cannot_be_done(sonde, fit, words, status, said):
    ran = sonde(*words)
    assert ran.status == status
    assert ran.out == ""
    assert said in ran.err


def test_nothing_recorded(sonde):
    assert "no recordings yet" in sonde("show").err
    ran = sonde("history")
    assert ran.status == 0 and "no runs are recorded yet" in ran.err
    assert json.loads(sonde("history", "--json").out)["runs"] == []


def test_history(sonde, fit):
    assert sonde("run", "--name", "other", "true").status == 0
    table = sonde("history").out.splitlines()
    assert len(table) == 5 and table[4].startswith("2 runs: ")
    assert "other: true" in table[1] and "fit: sh" in table[2]
    assert table[1].endswith(" 0") and table[2].endswith(" 3")
    for filters, names in [
        (["--name", "fit"], ["fit"]),
        (["--tag", "size=large"], ["fit"]),
        (["--tag", "size=small"], []),
        (["--host", os.uname().nodename], ["other", "fit"]),
        (["--host", "elsewhere"], []),
        (["--since", "1h"], ["other", "fit"]),
        (["--limit", "1"], ["other"]),
        (["--limit", "0"], ["other", "fit"]),
    ]:
        runs = json.loads(sonde("history", "--json", *filters).out)["runs"]
        assert [run["name"] for run in runs] == names, filters


def test_both_directories_are_searched(sonde, fit, tmp_path):
    (tmp_path / ".sonde").mkdir()
    assert sonde("run", "--name", "here", "true").status == 0
    assert len(list((tmp_path / ".sonde").glob("*.sonde"))) == 1
    runs = json.loads(sonde("history", "--json").out)["runs"]
    assert [run["name"] for run in runs] == ["here", "fit"]


@pytest.mark.parametrize("damage", ["empty", "nonsense", "cut", "directory"])
def test_damaged_recording(sonde, fit, tmp_path, damage):
    good = recordings(tmp_path)[0]
    bad = good.with_name("20990101-000000-badbad00.sonde")
    if damage == "directory":
        bad.mkdir()
    else:
        data = good.read_bytes()
        bad.write_bytes({"empty": b"", "nonsense": b"\x1b[2J" * 999, "cut": data[:5000]}[damage])
    ran = sonde("show", "badbad00")
    assert ran.status == 1 and ran.out == ""
    assert "badbad00" in ran.err and is_clean(ran.err)
    listed = sonde("history")
    assert listed.status == 0 and len(listed.out.split("\n\n")[0].splitlines()) == 3
    assert "damaged" in listed.out.splitlines()[1]
    runs = json.loads(sonde("history", "--json").out)["runs"]
    assert runs[0]["damaged"] and runs[1]["damaged"] is None
    assert sonde("show", "fit").status == 0


def test_export(sonde, fit, tmp_path):
    whole = json.loads(sonde("export", "--format", "json", "fit").out)
    assert whole == json.loads(sonde("show", "--json", "fit").out)
    rows = list(csv.DictReader(io.StringIO(sonde("export", "--format", "csv").out, newline="")))
    assert [row["name"] for row in rows[: len(METRICS)]] == METRICS
    for row in rows:
        assert (row["value"] == "") == (row["how"] == "absent") == (row["why"] != "" and
                                                                    row["how"] == "absent")
    assert sonde("export", "-o", tmp_path / "out.csv").status == 0
    assert (tmp_path / "out.csv").read_text().startswith("name,unit,value")


def test_export_series(sonde, fit):
    out = sonde("export", "--format", "csv", "--series").out
    rows = list(csv.reader(io.StringIO(out, newline="")))
    assert rows[0][0] == "t_s" and "memory_tree_bytes" in rows[0]
    assert len(rows) > 2 and all(len(row) == len(rows[0]) for row in rows)


@pytest.mark.parametrize("words", [["show"], ["show", "--json"], ["history"],
                                   ["export", "--format", "csv"]])
def test_full_disk(sonde, fit, words):
    with open("/dev/full", "w") as full:
        ran = sonde(*words, stdout=full)
    assert ran.status == 1
    assert "cannot write" in ran.err


def test_hostile_names(sonde, tmp_path):
    evil = tmp_path / "\x1b[2Jx\n) R"
    shutil.copy("/bin/sleep", evil)
    raw = os.fsencode(tmp_path) + b"/\xff\xfe"
    shutil.copy("/bin/sleep", raw)
    script = f"'{evil}' 0.2; \"$0\" 0.2"
    ran = sonde("run", "--name", "\x1b]0;owned\x07", "sh", "-c", script, os.fsdecode(raw))
    assert ran.status == 0
    assert is_clean(ran.err.encode(errors="surrogateescape").decode())
    for words in (["show"], ["show", "--tree"], ["history"]):
        out = sonde(*words).out
        assert is_clean(out.encode(errors="surrogateescape").decode()), words
    run = json.loads(sonde("show", "--json").out)
    assert run["run"]["name"] == "\x1b]0;owned\x07"
    assert any("\x1b[2Jx\n) R" in process["name"] for process in run["processes"])


def test_width(sonde, fit):
    for columns in ("40", "80", "132", "200"):
        out = sonde("show", env={"COLUMNS": columns}).out
        assert max(map(len, out.splitlines())) <= int(columns)


def test_ascii_where_the_locale_is(sonde, fit):
    assert sonde("show", env={"LC_ALL": "C"}).out.isascii()


def descendants(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [int(child) for child in children] + [p for c in children for p in descendants(int(c))]


def test_running_and_killed(sonde, tmp_path):
    running = subprocess.Popen([SONDE, "run", "--name", "long", "sleep", "60"], cwd=tmp_path,
                               env=environment(tmp_path), stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)
        ran = sonde("show", "--json", "long")
        assert ran.status == 0 and "still running" in ran.err
        run = json.loads(ran.out)["run"]
        assert run["running"] is True and run["complete"] is False
        assert "still running" in sonde("show").out
        assert sonde("history").out.splitlines()[1].endswith("running")
    finally:
        everybody = [running.pid, *descendants(running.pid)]
        for pid in everybody:
            os.kill(pid, signal.SIGKILL)
        running.wait()
    time.sleep(0.2)
    ran = sonde("show", "--json")
    assert ran.status == 0
    assert "did not end properly; its recording was repaired and stops at" in ran.err
    run = json.loads(ran.out)
    assert run["run"]["complete"] is False and run["run"]["running"] is False
    assert run["totals"]["wall_s"]["value"] > 0.5
    again = sonde("show")
    assert again.err == "" and "did not see the end of this run" in again.out


def read_terminal(terminal):
    text = b""
    try:
        while more := os.read(terminal, 65536):
            text += more
    except OSError:
        pass  # Linux says EIO where the other end is closed
    os.close(terminal)
    return text


@pytest.mark.parametrize("env, colour", [
    ({"TERM": "xterm"}, True),
    ({"TERM": "xterm", "NO_COLOR": "1"}, False),
    ({"TERM": "dumb"}, False),
])
@pytest.mark.parametrize("words, stream, said", [
    (["show"], "stdout", b"what it used"),
    (["run", "true"], "stderr", b"memory"),
])
def test_colour_on_a_terminal(sonde, fit, env, colour, words, stream, said):
    terminal, other_end = os.openpty()
    ran = sonde(*words, env=env, **{stream: other_end})
    os.close(other_end)
    text = read_terminal(terminal)
    assert ran.status == 0 and said in text
    assert (b"\x1b[1m" in text) == colour


def test_open_files_beside_their_limit(sonde, tmp_path):
    script = "import time; files = [open('/dev/null') for i in range(40)]; time.sleep(1.5)"
    sonde("run", "-q", sys.executable, "-c", script)
    line = next(line for line in sonde("show").out.splitlines() if line.startswith("open files"))
    most = int(re.search(r"about (\d+)  of", line)[1])
    assert 43 <= most <= 60, line
