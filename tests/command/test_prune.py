"""rm and prune: what they remove, and all that they must not."""

import datetime
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import SONDE, environment


@pytest.fixture
def runs(sonde, tmp_path):
    """runs(days, name=..., tag=...): records one, as if it had started so many days ago; its path."""
    def record(days=0, name=None, tag=None):
        words = [*(["--name", name] if name else []), *(["--tag", tag] if tag else [])]
        before = set(tmp_path.glob("data/sonde/*.sonde"))
        assert sonde("run", *words, "true").status == 0
        (path,) = set(tmp_path.glob("data/sonde/*.sonde")) - before
        when = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days, minutes=1)
        return path.rename(path.with_name(f"{when:%Y%m%d-%H%M%S}-{run_id(path)}.sonde"))
    return record


def run_id(path):
    return path.name.split(".")[0].rsplit("-", 1)[1]


def there(tmp_path):
    return {path for path in tmp_path.rglob("*") if path.is_file()}


def test_rm(sonde, runs, tmp_path):
    first, second, third = runs(3), runs(2, name="fit"), runs(1)
    room = first.stat().st_size + second.stat().st_size
    ran = sonde("rm", run_id(first)[:5], "fit")
    assert ran.status == 0 and ran.err == ""
    assert there(tmp_path) == {third}
    lines = ran.out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == [run_id(first), run_id(second)]
    size = re.fullmatch(r"removed 2 runs, ([\d.]+) kB", lines[3])
    assert float(size[1]) * 1000 == pytest.approx(room, rel=0.01)


def test_rm_by_place_and_path(sonde, runs, tmp_path):
    first, second, third = runs(3), runs(2), runs(1)
    # Places count as they were, and one run that is named twice goes once.
    ran = sonde("rm", "@1", "@2", second, os.path.relpath(second, tmp_path))
    assert ran.status == 0 and "removed 2 runs" in ran.out
    assert there(tmp_path) == {first}
    assert sonde("rm", "last").status == 0
    assert there(tmp_path) == set()


def test_rm_dry_run(sonde, runs, tmp_path):
    path = runs(name="fit")
    for words in (["--dry-run"], ["-n"]):
        ran = sonde("rm", *words, "fit")
        assert ran.status == 0 and "would remove 1 run," in ran.out
        assert "nothing was changed" in ran.out and "fit: true" in ran.out
    assert there(tmp_path) == {path}


def test_rm_of_a_name_that_several_have(sonde, runs, tmp_path):
    paths = [runs(days, name="fit") for days in (3, 2, 1)]
    other = runs(name="fitness")
    ran = sonde("rm", "fit")
    assert ran.status == 1 and ran.out == ""
    assert "3 runs have the name 'fit': " in ran.err and "--all" in ran.err
    assert all(run_id(path) in ran.err for path in paths)
    assert len(there(tmp_path)) == 4
    assert "removed 3 runs" in sonde("rm", "--all", "fit").out
    assert there(tmp_path) == {other}


def test_rm_takes_all_or_nothing(sonde, runs, tmp_path):
    good = runs(name="good")
    notes = tmp_path / "notes.sonde"
    notes.write_text("not a recording\n")
    damaged = tmp_path / "cut.sonde"
    damaged.write_bytes(good.read_bytes()[:5000])
    before = there(tmp_path)
    for word, said in [
        ("nonesuch", "no run 'nonesuch'"),
        ("goof", "did you mean 'good'"),
        ("./notes.sonde", "not a sonde recording"),
        ("./cut.sonde", "cannot remove './cut.sonde'"),
        ("./none.sonde", "No such file"),
        ("data/sonde", "Is a directory"),
        (SONDE, "not a sonde recording"),
        ("@9", "no run '@9'"),
    ]:
        for words in ([word, "good"], ["good", word]):
            ran = sonde("rm", *words)
            assert (ran.status, ran.out) == (1, ""), words
            assert said in ran.err and ran.err.endswith("sonde: nothing was removed\n")
    assert there(tmp_path) == before and SONDE.exists()


def test_rm_follows_no_link(sonde, runs, tmp_path):
    path = runs()
    link = tmp_path / "link.sonde"
    link.symlink_to(path)
    ran = sonde("rm", link)
    assert ran.status == 1 and "is a link" in ran.err
    assert path.exists() and link.is_symlink()


def test_rm_needs_a_run(sonde, runs):
    runs()
    ran = sonde("rm")
    assert ran.status == 2 and "sonde rm last" in ran.err
    assert sonde("rm", "--al", "x").status == 2
    assert len(sonde("history").out.splitlines()) > 1


def test_rm_where_nobody_may(user):
    assert user("run", "--name", "fit", "true").status == 0
    (path,) = user.home.glob("data/sonde/*.sonde")
    os.chmod(path.parent, 0o555)
    ran = user("rm", "fit")
    os.chmod(path.parent, 0o755)
    assert ran.status == 1 and "Permission denied" in ran.err
    assert "removed 0 runs" in ran.out and path.exists()


@pytest.fixture
def lasting(sonde, tmp_path):
    running = subprocess.Popen([SONDE, "run", "sleep", "60"], cwd=tmp_path,
                               env=environment(tmp_path), stderr=subprocess.DEVNULL)
    for _ in range(300):
        if list(tmp_path.glob("data/sonde/*.journal")):
            break
        time.sleep(0.1)
    yield running
    if running.poll() is None:
        running.send_signal(signal.SIGTERM)
        running.wait(timeout=60)


def test_a_run_that_lasts_stays(sonde, runs, lasting, tmp_path):
    old = runs(9)
    ran = sonde("rm", "last", "@2")
    assert ran.status == 1 and "has not ended yet" in ran.err
    assert "nothing was removed" in ran.err and old.exists()
    ran = sonde("prune", "--keep", "0", "--max-size", "0", "--older-than", "0")
    assert ran.status == 0 and "removed 1 run," in ran.out
    assert "left alone: 1 not ended yet" in ran.err
    assert not old.exists()
    assert len(list(tmp_path.glob("data/sonde/*.journal"))) == 1
    lasting.send_signal(signal.SIGTERM)
    lasting.wait(timeout=60)
    assert sonde("show", "last").status == 0


def everybody(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        below = [p for child in children.read().split() for p in everybody(int(child))]
    return [pid, *below]


def test_rm_of_a_dead_run(sonde, lasting, tmp_path):
    time.sleep(1)
    for pid in everybody(lasting.pid):
        os.kill(pid, signal.SIGKILL)
    lasting.wait()
    time.sleep(0.2)
    assert "removed 1 run," in sonde("rm", "last").out
    assert there(tmp_path) == set()


@pytest.mark.parametrize("limits, kept", [
    (["--older-than", "5d"], [1, 2, 4]),
    (["--older-than", "1w"], [1, 2, 4]),
    (["--older-than", "36h"], [1]),
    (["--older-than", "100w"], [1, 2, 4, 8, 16]),
    (["--keep", "3"], [1, 2, 4]),
    (["--keep", "0"], []),
    (["--keep", "99"], [1, 2, 4, 8, 16]),
    (["--older-than", "5d", "--keep", "2"], [1, 2]),
    (["--older-than", "3d", "--keep", "4"], [1, 2]),
    (["--max-size", "10G"], [1, 2, 4, 8, 16]),
    (["--max-size", "0"], []),
])
def test_prune(sonde, runs, tmp_path, limits, kept):
    by_days = {days: runs(days) for days in (16, 8, 4, 2, 1)}
    gone = sum(path.stat().st_size for days, path in by_days.items() if days not in kept)
    dry = sonde("prune", "--dry-run", *limits)
    assert dry.status == 0 and there(tmp_path) == set(by_days.values())
    ran = sonde("prune", *limits)
    assert ran.status == 0 and ran.err == ""
    assert there(tmp_path) == {by_days[days] for days in kept}
    assert ran.out.splitlines()[:-1] == dry.out.splitlines()[:-1]
    count = 5 - len(kept)
    words = f"removed {count} run{'' if count == 1 else 's'}, "
    assert ran.out.splitlines()[-1].startswith(words)
    assert (gone == 0) == ran.out.endswith(", 0 B\n")
    assert f"would remove {count} run" in dry.out and "nothing was changed" in dry.out


def test_prune_by_size(sonde, runs, tmp_path):
    paths = [runs(days) for days in (8, 4, 2)]
    two = sum(path.stat().st_size for path in paths[1:])
    assert sonde("prune", "--max-size", two).status == 0
    assert there(tmp_path) == set(paths[1:])
    assert sonde("prune", "--max-size", two - 1).status == 0
    assert there(tmp_path) == {paths[2]}


def test_prune_leaves_what_somebody_named(sonde, runs, tmp_path):
    named, tagged, plain = runs(30, name="fit"), runs(20, tag="size=large"), runs(10)
    ran = sonde("prune", "--older-than", "5d")
    assert ran.status == 0 and "removed 1 run," in ran.out
    assert "left alone: 2 with a name or tags; --named" in ran.err
    assert there(tmp_path) == {named, tagged}
    ran = sonde("prune", "--max-size", "10")
    assert "removed 0 runs" in ran.out and "more than 10 B" in ran.err
    plain = runs(1)
    assert "removed 0 runs" in sonde("prune", "--keep", "1").out  # they do not count
    assert "removed 2 runs" in sonde("prune", "--keep", "1", "--named").out
    assert there(tmp_path) == {plain}


def test_prune_touches_nothing_else(sonde, runs, tmp_path):
    good = runs(9)
    store = good.parent
    (store / "notes.txt").write_text("mine\n")
    (store / "20000101-000000-aaaaaaaa.sonde").write_text("not a recording\n")
    (store / "20000101-000000-bbbbbbbb.sonde").write_bytes(good.read_bytes()[:5000])
    (store / "20000101-000000-cccccccc.sonde").mkdir()
    shutil.copy(good, tmp_path / "elsewhere.sonde")
    (store / "20000101-000000-dddddddd.sonde").symlink_to(tmp_path / "elsewhere.sonde")
    (store / "20000101-000000-eeeeeeee.sonde.journal").write_text("no journal\n")
    before = set(tmp_path.rglob("*"))
    ran = sonde("prune", "--older-than", "1d", "--keep", "0", "--max-size", "0", "--named")
    assert ran.status == 0 and "removed 1 run," in ran.out
    assert "left alone: 5 not readable" in ran.err
    assert before - set(tmp_path.rglob("*")) == {good}


@pytest.mark.parametrize("words, said", [
    ([], "--older-than 30d, --keep 100 or --max-size 10G"),
    (["--dry-run", "--named"], "prune needs a limit"),
    (["--older-than", "long"], "write --older-than 30d"),
    (["--older-than", "-5d"], "write --older-than 30d"),
    (["--keep", "few"], "write --keep 100"),
    (["--keep", "-1"], "write --keep 100"),
    (["--max-size", "10X"], "write --max-size 10G"),
    (["--max-size"], "its value is missing"),
    (["fit"], "'sonde rm fit' removes one run"),
])
def test_prune_that_is_not_understood(sonde, runs, tmp_path, words, said):
    path = runs(999)
    ran = sonde("prune", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert there(tmp_path) == {path}


def test_nothing_recorded(sonde):
    assert sonde("prune", "--keep", "5").out == "removed 0 runs, 0 B\n"
    ran = sonde("rm", "last")
    assert ran.status == 1 and "no recordings yet" in ran.err
