"""Help and manual pages: all from the table of commands, so the tests ask the table, too."""

import re
import shutil
import subprocess

import pytest


def commands_and_topics(sonde):
    """What `sonde help TOPIC` lists, for every topic that the first page names, and for its own
    rows."""
    first = sonde("help").out
    topics = re.search(r"^More under the topics (.*): ", first, re.M).group(1).split(", ")
    commands = set(re.findall(r"^  ([a-z]+) {2,}", first, re.M))
    for topic in topics:
        listed = sonde("help", topic).out.split("commands:\n")[1]
        commands |= set(re.findall(r"^  ([a-z]+) ", listed, re.M))
    return commands, topics


def test_first_page_is_short(sonde):
    ran = sonde("help")
    assert ran.status == 0 and not ran.err
    assert ran.out.splitlines()[0] == "sonde measures what a program costs: time, CPU, memory, I/O."
    rows = re.findall(r"^  ([a-z]+) {2,}\S", ran.out, re.M)
    assert len(rows) == 4 and rows[0] == "run"
    assert len(re.findall(r"^  sonde ", ran.out, re.M)) == 1, "one example"
    assert len(ran.out.splitlines()) <= 14
    assert ran.out.index("  sonde run") < ran.out.index("  run "), "examples come first"


def test_every_command_is_under_a_topic(sonde):
    commands, topics = commands_and_topics(sonde)
    assert {"run", "show", "history", "export", "doctor", "help"} <= commands
    assert {"look", "help"} <= set(topics)
    for topic in topics:
        page = sonde("help", topic).out
        assert page.index("examples:") < page.index("commands:")


def test_pages(sonde):
    commands, topics = commands_and_topics(sonde)
    for name in sorted(commands):
        page = sonde(name, "--help")
        assert page.status == 0 and page.out.startswith(f"sonde {name} ")
        assert page.out.index("examples:\n") < page.out.index("options:\n")
        assert all(len(line) <= 80 for line in page.out.splitlines()), page.out
        if name not in topics:
            assert sonde("help", name).out == page.out


@pytest.mark.parametrize(
    "words, hint",
    [
        (["rnu"], "did you mean 'sonde run'?"),
        (["help", "hisotry"], "did you mean 'sonde history'?"),
        (["help", "loook"], "did you mean the topic, 'sonde help look'?"),
        (["--versoin"], "did you mean 'sonde --version'?"),
        (["show", "--jsom"], "did you mean '--json'?"),
        (["help", "--mna=x"], "did you mean '--man'?"),
    ],
)
def test_mistyped(sonde, words, hint):
    ran = sonde(*words)
    assert ran.status == 2 and not ran.out
    assert f"hint: {hint}" in ran.err


def test_too_many_words(sonde):
    assert sonde("help", "run", "show").status == 2
    assert sonde("help", "--man", "pages", "show").status == 2


@pytest.fixture
def pages(sonde, tmp_path):
    ran = sonde("help", "--man", "man")
    assert ran.status == 0, ran.err
    return sorted((tmp_path / "man").iterdir())


def test_manual_has_a_page_for_every_command(sonde, pages):
    commands, _ = commands_and_topics(sonde)
    assert {page.name for page in pages} == {"sonde.1"} | {f"sonde-{c}.1" for c in commands}


def mandoc(form, *pages):
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc here to check manual pages with")
    return subprocess.run(["mandoc", "-T", form, *pages], capture_output=True, text=True)


def test_manual_is_clean(pages):
    ran = mandoc("lint", *pages)
    found = [line for line in ran.stdout.splitlines() if "referenced manual not found" not in line]
    assert not found


def test_manual_formats_without_warnings(pages):
    if not (shutil.which("man") and shutil.which("groff")):
        pytest.skip("no man with groff here to format manual pages with")
    for page in pages:
        ran = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True)
        assert ran.returncode == 0 and not ran.stderr, (page.name, ran.stderr)


def options_of(page):
    return set(re.findall(r"--[a-z]+(?:-[a-z]+)*", re.sub(r"\[no-\]", "", page)))


def test_manual_says_what_help_says(sonde, pages):
    """Each option and example of the short page stands on the long one, whatever roff makes of it."""
    for page in (page for page in pages if page.stem != "sonde"):
        name = page.stem.removeprefix("sonde-")
        short = sonde(name, "--help").out
        long = mandoc("ascii", page).stdout
        long = re.sub(r".\x08", "", long)
        assert options_of(short.split("options:\n")[1].split("\n\n")[0]) <= options_of(long)
        for example in short.split("examples:\n")[1].split("\n\n")[0].splitlines():
            assert example.strip() in long, f"{name}: {example}"
        assert long.index("EXAMPLES") < long.index("OPTIONS")


def test_manual_that_cannot_be_written(sonde, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for place in ("file", "file/below", "missing/below"):
        ran = sonde("help", "--man", place)
        assert ran.status == 1 and place in ran.err
    assert (tmp_path / "file").read_text() == "in the way"
