"""Marks and phases: whatever program leaves them, and every way to look at them."""

import collections
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, SONDE, environment

PYTHON = """
import os, time
def mark(line):
    with open(os.environ["SONDE_MARK"], "a") as file:
        file.write(line + "\\n")
"""


def run(sonde, *command, **how):
    """Runs it with a recording of its own, and returns the JSON of it."""
    ran = sonde("run", "-q", "-o", "run.sonde", "--", *command, **how)
    assert ran.status == 0, ran
    return shown(sonde)


def shown(sonde, *options):
    ran = sonde("show", "--json", *options, "./run.sonde")
    assert ran.status == 0, ran
    return json.loads(ran.out)


def tree(shown):
    """[". epoch"]: the names of the phases in order, with a dot for each level; without time that has no name."""
    return ["." * phase["depth"] + phase["name"] for phase in shown["phases"] if not phase["name"].startswith("(")]


def kept(tmp_path):
    """The marks as they stand in the recording."""
    import sqlite3
    with sqlite3.connect(f"file:{tmp_path}/run.sonde?immutable=1", uri=True) as db:
        return db.execute("SELECT time_ns, kind, name FROM mark ORDER BY rowid").fetchall()


def test_from_a_shell(sonde):
    script = 'for i in 1 2; do echo load >> "$SONDE_MARK"; sleep 0.02; done; echo fit >> "$SONDE_MARK"; sleep 0.02'
    phases = run(sonde, "sh", "-c", script)["phases"]
    named = [phase for phase in phases if not phase["name"].startswith("(")]
    assert [(phase["name"], phase["repetition"]) for phase in named] == [("load", 1), ("load", 2), ("fit", 1)]
    assert all(phase["depth"] == 0 and phase["parent"] is None for phase in phases)
    assert all(a["ended_s"] == b["started_s"] for a, b in zip(named, named[1:]))


def test_from_python_nested(sonde):
    script = PYTHON + """
mark("+train")
for epoch in range(3):
    mark("epoch"); time.sleep(0.03)
    mark("+eval"); time.sleep(0.03); mark("-eval")
mark("-train"); mark("save"); time.sleep(0.03)
"""
    run = globals()["run"](sonde, sys.executable, "-c", script)
    assert tree(run) == ["train", *[".epoch", "..eval"] * 3, "save"]
    phases = run["phases"]
    for phase in phases:
        parent = phases[phase["parent"]] if phase["parent"] is not None else None
        assert (parent is None) == (phase["depth"] == 0)
        if parent:
            assert parent["depth"] == phase["depth"] - 1
            assert parent["started_s"] <= phase["started_s"] <= phase["ended_s"] <= parent["ended_s"]


def test_by_the_command(sonde):
    script = "sonde mark first thing; sonde mark --begin inner; sonde mark -e; sonde mark --begin x; sonde mark --end x"
    assert tree(run(sonde, "sh", "-c", script)) == ["first thing", ".inner", ".x"]


def test_of_many_processes_at_once(sonde, tmp_path):
    """Lines never mix, none is lost, and those of one process stay in its order."""
    script = PYTHON + """
for me in range(8):
    if os.fork() == 0:
        for i in range(200):
            mark(f"process {me} mark {i}")
        os._exit(0)
for me in range(8):
    os.wait()
"""
    assert len(run(sonde, sys.executable, "-c", script)["phases"]) >= 1600
    marks = kept(tmp_path)
    seen = collections.defaultdict(list)
    for time_ns, kind, name in marks:
        _, me, _, i = name.split()
        seen[int(me)].append(int(i))
    assert len(marks) == 1600 and {kind for _, kind, _ in marks} == {"next"}
    assert dict(seen) == {me: list(range(200)) for me in range(8)}
    assert [mark[0] for mark in marks] == sorted(mark[0] for mark in marks)


def test_more_than_anybody_reads(sonde, tmp_path):
    """100,000 in a loop: in order, those beyond are counted; the page stays short and narrow."""
    script = 'i=0; while [ $i -lt 100500 ]; do echo "m $i"; i=$((i+1)); done >> "$SONDE_MARK"'
    run = globals()["run"](sonde, "sh", "-c", script)
    assert [name for _, _, name in kept(tmp_path)] == [f"m {i}" for i in range(100000)]
    assert "500 marks were left out: the first 100000 are kept" in run["notes"]
    assert len(run["phases"]) >= 100000 and "totals" not in run["phases"][-1]
    page = sonde("show", "./run.sonde").out.splitlines()
    start = page.index(next(line for line in page if line.startswith("phases")))
    assert len(page) < 200 and all(len(line) <= 80 for line in page)
    assert any("shorter ones; sonde show --json has all" in line for line in page[start:])


def test_file_of_one_own_that_goes_away(sonde, tmp_path):
    script = 'stat -c "%a %F %s" "$SONDE_MARK"; dirname "$SONDE_MARK"; echo "$SONDE_MARK"'
    ran = sonde("run", "-q", "--no-record", "sh", "-c", script, env={"TMPDIR": str(tmp_path)})
    kind, directory, path = ran.out.splitlines()
    assert kind == "600 regular empty file 0" and directory == str(tmp_path)
    assert not pathlib.Path(path).exists()
    for odd in ("/nowhere", "relative", ""):
        ran = sonde("run", "-q", "--no-record", "sh", "-c", 'dirname "$SONDE_MARK"', env={"TMPDIR": odd})
        assert (ran.status, ran.out, ran.err) == (0, "/tmp\n", "")


def test_one_sonde_inside_another(sonde, tmp_path):
    script = ('echo outer >> "$SONDE_MARK"; sonde run -q -o inner.sonde sh -c \'echo inner >> "$SONDE_MARK"\'; '
              'echo after >> "$SONDE_MARK"')
    assert tree(run(sonde, "sh", "-c", script)) == ["outer", "after"]
    inner = json.loads(sonde("show", "--json", "./inner.sonde").out)
    assert tree(inner) == ["inner"]


def test_written_without_appending(sonde):
    """With ">" the file begins anew each time; what was read before stays."""
    script = ('for i in a b a; do echo $i > "$SONDE_MARK"; sleep 0.5; done; '
              'exec 3> "$SONDE_MARK"; echo c >&3; echo d >&3')
    assert tree(run(sonde, "sh", "-c", script)) == ["a", "b", "a", "c", "d"]


def test_odd_lines(sonde):
    """Nothing that a program writes there can do harm, and no escape reaches the terminal."""
    lines = r"+\n\n   \n-\n-never\n\033[31mred\n  blanks  \r\na\0b\n\377\n%0300d\nlast"
    script = f"""printf '{lines}' 7 >> "$SONDE_MARK"; sleep 0.1"""
    run = globals()["run"](sonde, "sh", "-c", script)
    assert tree(run) == ["\x1b[31mred", "blanks", "ab", "\ufffd", "0" * 200, "last"]
    assert "lines in $SONDE_MARK that were no marks: 1 ('+' needs a name)" in run["notes"]
    assert "ends of phases that had not begun: 2" in run["notes"]
    page = sonde("show", "./run.sonde").out
    assert "\x1b" not in page and "\\x1b[31mred" in page and all(len(line) <= 80 for line in page.splitlines())
    assert "\x1b" not in sonde("show", "--phase", "\x1b[31mred", "./run.sonde").out
    assert "\x1b" not in sonde("show", "--phase", "\x1b[31mrat", "./run.sonde").err


WORK = PYTHON + """
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
mark("+fit")
for i in range(2):
    mark("burn"); burn(0.15)
    mark("rest"); time.sleep(0.15)
mark("-fit"); mark("write")
with open("out", "wb") as file:
    file.write(bytes(5_000_000))
time.sleep(0.1)
"""


@pytest.fixture
def worked(sonde):
    return run(sonde, sys.executable, "-c", WORK)


def test_page(sonde, worked):
    page = sonde("show", "./run.sonde").out
    titles = page[page.index("\nphases"):].split("\n")[1].split()
    assert titles == ["phases", "time", "share", "cores", "memory", "read", "written"]
    assert "    burn x 2" in page and "    rest x 2" in page and "\n  fit " in page and "\n  write " in page
    wide = sonde("show", "./run.sonde", env={"COLUMNS": "120"}).out
    assert "longest" in wide and "longest" not in page


def test_one_phase_is_a_run_of_its_own(sonde, worked):
    """Page, tree, series and JSON of it; the figures are those of the list of phases."""
    by_name = {(phase["name"], phase["repetition"]): phase for phase in worked["phases"]}
    for which, name in (("fit", ("fit", 1)), ("burn#2", ("burn", 2)), ("write", ("write", 1))):
        alone = shown(sonde, "--phase", which)
        for metric in ("wall_s", "cpu_s", "io_write_bytes", "memory_tree_peak_bytes"):
            assert alone["totals"][metric]["value"] == pytest.approx(by_name[name]["totals"][metric]["value"]), metric
        assert alone["run"]["phase"] == which and "phase" not in worked["run"]
        assert alone["run"]["id"] == worked["run"]["id"] and alone["machine"] == worked["machine"]
        assert alone["processes"][0]["command"] == worked["processes"][0]["command"]
    assert tree(shown(sonde, "--phase", "fit")) == ["burn", "rest"] * 2
    both = shown(sonde, "--phase", "burn", "--series", "cpu_s")
    parts = [phase["totals"] for phase in worked["phases"] if phase["name"] == "burn"]
    assert both["totals"]["wall_s"]["value"] == pytest.approx(sum(part["wall_s"]["value"] for part in parts))
    assert both["totals"]["cpu_s"]["value"] == pytest.approx(sum(part["cpu_s"]["value"] for part in parts))
    series = both["series"]["cpu_s"]
    assert series[-1] == [pytest.approx(both["totals"][metric]["value"]) for metric in ("wall_s", "cpu_s")]
    assert series == sorted(series)
    page = sonde("show", "--phase", "fit", "./run.sonde").out
    assert ', phase "fit"' in page.splitlines()[0] and "all of this is phase 'fit' alone" in page and "burn x 2" in page and "what it used" in page
    assert "who started whom" in sonde("show", "--phase", "fit", "--tree", "./run.sonde").out
    assert "cpu_s" in sonde("show", "--phase", "fit", "--series", "cpu_s", "./run.sonde").out


def test_phases_add_up(worked):
    """What each of the outermost used is all that the run used."""
    outermost = [phase["totals"] for phase in worked["phases"] if phase["depth"] == 0]
    for metric, slack in (("wall_s", 0.03), ("cpu_s", 0.03), ("io_write_bytes", 100)):
        total = worked["totals"][metric]["value"]
        assert sum(phase[metric]["value"] for phase in outermost) == pytest.approx(total, abs=slack), metric


def test_what_is_done_just_before_the_end(sonde):
    """No look sees it, but the account of the run has it, and it belongs to the last phase."""
    script = PYTHON + """
mark("rest"); time.sleep(0.3); mark("write"); time.sleep(0.3)
open("/dev/null", "wb").write(bytes(5_000_000))
os._exit(0)
"""
    phases = {phase["name"]: phase["totals"] for phase in run(sonde, sys.executable, "-c", script)["phases"]}
    assert phases["write"]["io_write_bytes"]["value"] == pytest.approx(5_000_000, abs=100)
    assert phases["rest"]["io_write_bytes"]["value"] < 100


def test_json_of_a_run_itself(sonde):
    ran = sonde("run", "-q", "--json", "sh", "-c", 'echo a >> "$SONDE_MARK"; sleep 0.1')
    phase = json.loads(ran.out)["phases"][-1]
    assert phase["name"] == "a" and phase["totals"]["cpu_s"]["how"] in ("measured", "estimated")
    ran = sonde("run", "-q", "--no-record", "--json", "sh", "-c", 'echo a >> "$SONDE_MARK"; sleep 0.1')
    phase = json.loads(ran.out)["phases"][-1]
    assert phase["totals"]["wall_s"]["how"] == "measured" and phase["totals"]["cpu_s"]["value"] is None


def test_no_such_phase(sonde, worked):
    ran = sonde("show", "--phase", "brun", "./run.sonde")
    assert ran.status == 1 and ran.out == ""
    assert "this run has no phase 'brun'" in ran.err and "hint: did you mean 'burn'?" in ran.err
    ran = sonde("show", "--phase", "burn#3", "./run.sonde")
    assert ran.status == 1 and "no phase 'burn#3'" in ran.err
    assert sonde("show", "--phase").status == 2
    sonde("run", "-q", "-o", "none.sonde", "true")
    ran = sonde("show", "--phase", "burn", "./none.sonde")
    assert ran.status == 1 and "this run has no phases: its program left no marks" in ran.err
    assert "\nphases" not in sonde("show", "./none.sonde").out



def examples():
    """The programs in docs/phases.md, by language."""
    text = (ROOT / "docs" / "phases.md").read_text()
    return dict(re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


HOW_TO_RUN = {  # language: its tool, and what runs the file
    "sh": ("sh", "sh {}"),
    "python": (sys.executable, sys.executable + " {}"),
    "r": ("Rscript", "Rscript --vanilla {}"),
    "c": ("cc", "cc -xc -Wall -Werror -o marks {} && ./marks"),
    "fortran": ("gfortran", "gfortran -xf95 -ffree-form -o marks {} && ./marks"),
}


@pytest.mark.parametrize("language", HOW_TO_RUN)
def test_examples_of_the_docs(sonde, tmp_path, language):
    tool, line = HOW_TO_RUN[language]
    if not shutil.which(tool):
        pytest.skip(f"there is no {tool} here")
    (tmp_path / "example").write_text(examples()[language])
    command = ["sh", "-c", line.format("./example")]
    assert tree(run(sonde, *command)) == ["load", "fit"]
    alone = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, timeout=60)
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, b"", b"")  # without sonde it runs as well


def test_every_example_is_tried():
    assert set(examples()) == set(HOW_TO_RUN)


# Marks as they stand in a journal: the kind, and the name behind its length + 1.
MARK_ONE, MARK_TWO = b"\x00\x04one", b"\x01\x04two"


def test_marks_outlive_a_killed_sonde(sonde, tmp_path):
    """What was marked a second and more before is in the repaired recording; the file goes when the program ends."""
    script = ('echo "$SONDE_MARK" > where; echo one >> "$SONDE_MARK"; echo +two >> "$SONDE_MARK"; touch marked; '
              'while [ ! -e go ]; do sleep 0.05; done; echo late >> "$SONDE_MARK"; touch done')
    with subprocess.Popen([SONDE, "run", "-q", "-o", "run.sonde", "sh", "-c", script], cwd=tmp_path,
                          env=environment(tmp_path)) as started:
        wait_for(lambda: (tmp_path / "marked").exists())
        journal = tmp_path / "run.sonde.journal"
        wait_for(lambda: journal.exists() and MARK_TWO in journal.read_bytes())
        started.send_signal(signal.SIGKILL)
    (tmp_path / "go").touch()
    wait_for(lambda: (tmp_path / "done").exists())
    where = pathlib.Path((tmp_path / "where").read_text().strip())
    wait_for(lambda: not where.exists())
    run = shown(sonde)
    assert run["run"]["complete"] is False
    assert tree(run) == ["one", ".two"]
    assert tree(shown(sonde)) == ["one", ".two"]  # once repaired, it is read from the file


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def test_while_it_runs(sonde, tmp_path):
    """The phase that lasts is there already, as far as it has come."""
    script = 'echo one >> "$SONDE_MARK"; while [ ! -e go ]; do sleep 0.05; done'
    with subprocess.Popen([SONDE, "run", "-q", "-o", "run.sonde", "sh", "-c", script], cwd=tmp_path,
                          env=environment(tmp_path)) as started:
        journal = tmp_path / "run.sonde.journal"
        wait_for(lambda: journal.exists() and MARK_ONE in journal.read_bytes())
        run = shown(sonde)
        (tmp_path / "go").touch()
        assert started.wait(30) == 0
    assert run["run"]["running"] is True and tree(run) == ["one"]
