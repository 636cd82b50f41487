"""sonde explain: the glossary, with the numbers of the last run."""

import re

import pytest


def words_listed(sonde):
    """By heading; what stands below "advice" are rules: an id and a title each."""
    listed, heading = {}, None
    for line in sonde("explain").out.split("\n'sonde explain")[0].splitlines():
        if line and not line.startswith(" "):
            heading = line
            listed[heading] = []
        elif line:
            listed[heading] += re.split(r" {2,}", line.strip())
    return listed


def test_list(sonde):
    listed = words_listed(sonde)
    assert {"time and CPU", "memory", "input and output", "energy"} <= set(listed)
    words = [word for group in listed.values() for word in group]
    for word in "RSS PSS GIL SU steal niceness swap cgroup Slurm gap".split() + ["page cache", "core-hour"]:
        assert word in words
    assert all(len(line) <= 80 for line in sonde("explain").out.splitlines())
    narrow = sonde("explain", env={"COLUMNS": "40"}).out.splitlines()
    assert all(len(line) <= 70 for line in narrow), "words stand in columns that fit"


def test_every_word_that_is_listed_is_explained(sonde):
    listed = words_listed(sonde)
    rules = listed.pop("advice that sonde gives", [])[::2]
    for word in [word for group in listed.values() for word in group]:
        ran = sonde("explain", *word.split())
        lines = ran.out.splitlines()
        assert ran.status == 0 and lines[0] == word
        assert all(len(line) <= 80 for line in lines)
        assert "In your last run" not in ran.out, "there is none"
    for rule in rules:
        ran = sonde("explain", rule)
        assert ran.status == 0 and ran.out.startswith(f"{rule}: ")
        assert "What to try" in ran.out and "When to ignore it" in ran.out


def test_numbers_of_the_last_run(sonde):
    sonde("run", "--quiet", "true")
    sonde("run", "--quiet", "sh", "-c", "sleep 0.3; exit 3")
    run = sonde("history").out.splitlines()[1].split()[0]
    ran = sonde("explain", "wall time")
    assert f"In your last run ({run}, sh -c 'sleep 0.3; exit 3'):" in ran.out
    assert re.search(r"^    time  +\d+ ms$|^    time  +[\d.]+ s$", ran.out, re.M)
    assert re.search(r"^    exit status  +3$", sonde("explain", "exit status").out, re.M)
    assert "In your last run" not in sonde("explain", "GPU").out, "nobody measured a GPU"
    assert " 0 J" not in sonde("explain", "energy").out


def test_names_are_found_however_they_are_written(sonde):
    wanted = sonde("explain", "page cache").out
    for name in ("Page-Cache", "page_cache", "PAGE CACHE", "buff/cache"):
        assert sonde("explain", name).out == wanted
    assert sonde("explain", "137").out.startswith("SIGKILL\n")


def test_metrics(sonde):
    sonde("run", "--quiet", "true")
    ran = sonde("explain", "memory_tree_peak_bytes")
    assert ran.status == 0 and "The peak of memory_tree_bytes" in ran.out
    assert "See it: sonde show --series memory_tree_bytes" in ran.out
    assert re.search(r"^  What it is about: sonde explain (peak )?memory$", ran.out, re.M)
    ran = sonde("explain", "io_read_bytes")
    assert "a counter, in bytes" in ran.out and re.search(r"^    read  +\d", ran.out, re.M)
    assert sonde("explain", "wall_s").out.count("sonde explain wall time") == 1


@pytest.mark.parametrize(
    "words, hint",
    [
        (["pagecahe"], "'sonde explain page cache'"),
        (["rssss"], "'sonde explain rss'"),
        (["io_reed_bytes"], "'sonde explain io_read_bytes'"),
        (["elephants", "in", "the", "room"], "'sonde explain' lists the words"),
        (["\x1b[31mred"], "'sonde explain' lists the words"),
        ([""], "'sonde explain' lists the words"),
    ],
)
def test_unknown(sonde, words, hint):
    ran = sonde("explain", *words)
    assert ran.status == 2 and not ran.out
    assert "not in the glossary" in ran.err and hint in ran.err
    assert "\x1b" not in ran.err


def test_a_recording_that_cannot_be_read_is_no_matter(sonde, tmp_path):
    store = tmp_path / "data" / "sonde"
    store.mkdir(parents=True)
    (store / "20261116-043715-3f9a2c71.sonde").write_text("no database")
    ran = sonde("explain", "RSS")
    assert ran.status == 0 and not ran.err and "In your last run" not in ran.out


def test_the_recordings_words_do_not_reach_the_terminal(sonde):
    sonde("run", "--quiet", "sh", "-c", ": \x1b[31mred")
    ran = sonde("explain", "RSS")
    assert "In your last run" in ran.out and "\x1b" not in ran.out
