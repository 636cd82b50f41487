"""Every example works: those of the documents and those of the help pages.

An example is
- a line "$ ... sonde ..." in a fenced block of README.md or docs/*.md, with what it prints below it;
- a cell of a table there that is nothing but code: | `sonde show`, `sonde history` |
- a line below "examples:" of `sonde help COMMAND`;
- a line "See it: sonde ..." of `sonde explain WORD`.

Each runs with bash in a directory of its own that has what examples speak of: `fit.py`, `./fit`, runs
of some names, any id. It must end with status 0, and where the document shows what it prints, half of the
words there must come again: enough to notice a page that tells of another sonde, and nothing that
differs from machine to machine.

`sonde ...` in the text, between backquotes, is not run, but its command and options must exist.
"""

import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, SONDE, environment, run

DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# Examples that cannot run in a test, and why. A new one is a row.
CANNOT = {
    'eval "$(sonde completion zsh)"': "it is for zsh; test_completion.py runs it there",
}

# Examples that end with another status than 0, as they should.
STATUS = {}

# Examples that run, but whose output has words of its own: why they are not compared.
NOT_COMPARED = {}

# Runs that examples call by name, with their tags. Ids need no row.
NAMES = {"fit": ["size=large"], "digest": ["size=large"], "pipeline": []}

# Programs that examples call and a machine may lack, or that would take long.
SKIP_OPTIONS = 'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n'
STAND_INS = {
    "bin/python": f'exec "{sys.executable}" "$@"\n',
    "bin/make": "exit 0\n",
    "bin/Rscript": "exit 0\n",
    "bin/srun": SKIP_OPTIONS,
    "bin/mpirun": SKIP_OPTIONS,
    "fit": "sleep 0.2\n",
    "job.sh": "sleep 0.2\n",
    "pipeline.sh": "sleep 0.2\n",
    "examples/pipeline.sh": "sleep 0.2\n",
    "build/examples/fit": "sleep 0.2\n",
}
FIT = """
import os, sys, time
def mark(*names):
    for name in names:
        open(os.environ.get("SONDE_MARK", os.devnull), "a").write(name + "\\n")
print("reading")
mark("load")
data = bytearray(20 << 20)
mark("-load", "+train")
end = time.process_time() + 0.2
while time.process_time() < end:
    mark(*(["epoch", "+validate", "-validate"] if time.process_time() > end - 0.1 else []))
    sum(data[::4096])
mark("-train", "save")
print("done")
"""
FILES = {"fit.py": FIT, "work.py": FIT, "input.dat": "1 2 3\n", ".config/fish/completions/.keep": ""}

# What stands for something else. With one of these a line is a pattern, no example.
PLACEHOLDERS = re.compile(
    r"\[|<|\.\.\.|\b(AREA|ARGS|CMD|COMMAND|COUNT|DIR|FILE|FORMAT|HOST|ID|KEY|METRIC|NAME|PID|REGEX|RULE|RUN"
    r"|SHARE|SHELL|TIME|TOPIC|VALUE|WORD|N)\b"
)
TELL = """
$ {command}
{what}

An example of {source} does not work any more: mend the example, or the command. Where it needs a run of
some name, a file or a program, add a row to NAMES, FILES or STAND_INS of tests/command/test_docs.py;
where it should end with another status, to STATUS; where it cannot run in a test, to CANNOT with the reason.
"""


class Example:
    def __init__(self, source, command, shown=()):
        self.source, self.command, self.shown = source, command, list(shown)

    def __repr__(self):
        return f"{self.source}: {self.command}"


def is_whole(command):
    try:
        shlex.split(command)
        return True
    except ValueError:
        return False


def fenced_blocks(text):
    """Lines of each block between ``` and ```, with the number of its first."""
    block = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            if block:
                yield block
            block = None if block is not None else []
        elif block is not None:
            block.append((number, line))


def examples_of(path):
    for block in fenced_blocks(path.read_text()):
        example = None
        for number, line in block:
            if line.startswith("$ "):
                example = Example(f"{path.name}:{number}", line[2:])
                yield example
            elif example and not is_whole(example.command):
                example.command += "\n" + line
            elif example:
                example.shown.append(line)


def examples_of_tables(path):
    """Cells of nothing but code, unless something in it only stands for something else."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for cell in line.strip("|").split(" | ") if line.startswith("|") else []:
            spans = re.findall(r"`([^`]+)`", cell)
            if re.fullmatch(r"\s*`[^`]+`(, `[^`]+`)*\s*", cell):
                for span in spans:
                    if not PLACEHOLDERS.search(span):
                        yield Example(f"{path.name}:{number}", span)


def is_ours(command):
    return re.search(r"(^|[\s(|;&\"])sonde\s+[a-z-]", command) or command in ("sonde", "sonde help")


@functools.lru_cache(maxsize=None)
def said(*words):
    """For lists that are needed before any test runs: without a home, so without runs."""
    home = pathlib.Path("/nonexistent")
    ran = subprocess.run([SONDE, *words], env=environment(home), capture_output=True, text=True)
    return ran.stdout


def commands():
    return said("completion", "--candidates", "--", "").splitlines()


def examples_of_help():
    for row in commands():
        name = row.split("\t")[0]
        listed = said(name, "--help").split("examples:\n")[1].split("\n\n")[0]
        for line in listed.splitlines():
            yield Example(f"sonde help {name}", line.strip())


def examples_of_explain():
    for word in said("completion", "--candidates", "--", "explain", "").splitlines():
        for command in re.findall(r"^  See it: (sonde .*)$", said("explain", word), re.M):
            yield Example(f"sonde explain {word}", command)


def all_examples():
    found = {}
    for path in DOCS:
        for example in examples_of(path):
            found[example.source] = example
    of_tables = [example for path in DOCS for example in examples_of_tables(path)]
    for example in [*of_tables, *examples_of_help(), *examples_of_explain()]:
        found.setdefault(example.command, example)
    return [example for example in found.values() if is_ours(example.command)]


def write_stand_in(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """What every example finds: files, stand-ins, runs. Made once, copied for each."""
    home = tmp_path_factory.mktemp("prepared")
    for name, text in FILES.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    for name, text in STAND_INS.items():
        write_stand_in(home / name, text)
    for name, tags in NAMES.items():
        words = [word for tag in tags for word in ("--tag", tag)]
        ran = run([SONDE, "run", "--quiet", "--name", name, *words, sys.executable, "fit.py"], home)
        assert ran.status == 0, ran.err
    return home


def add_ids(command, home):
    """Ids in an example are those of no machine: the oldest run gets each of them."""
    store = home / "data" / "sonde"
    some_run = sorted(store.glob("*.sonde"))[0]
    for start in re.findall(r"\b(?=[a-f]*\d)[0-9a-f]{4,8}\b", command):
        shutil.copy(some_run, store / f"20200101-000000-{start:0<8}.sonde")


def tools_of(command):
    """The first word of each part of a pipeline."""
    for part in re.split(r"[|;&\n]+|\$\(", re.sub(r"'[^']*'|\"[^\"]*\"", "''", command)):
        words = [word for word in part.split() if "=" not in word.split("/")[0]]
        if words and re.fullmatch(r"[a-zA-Z][\w.-]*", words[0]):
            yield words[0]


def words_of(lines):
    """Words that say what is shown, not of what: no numbers, paths or quotes."""
    text = re.sub(r"\S*[/'\"]\S*", " ", " ".join(lines))
    return {word.lower() for word in re.findall(r"(?<![\w.])[A-Za-z]{4,}(?![\w.])", text)}


def compare(example, printed):
    shown = words_of(line for line in example.shown if line.strip() != "...")
    missing = {word for word in shown if word not in printed.lower()}
    if example.command not in NOT_COMPARED and len(missing) > len(shown) / 2:
        what = f"{printed}\nof what is shown is missing: {', '.join(sorted(missing))}"
        pytest.fail(TELL.format(command=example.command, what=what, source=example.source), pytrace=False)


@pytest.mark.parametrize("example", all_examples(), ids=repr)
def test_example(example, prepared, tmp_path):
    if example.command in CANNOT:
        pytest.skip(f"{example.command}: {CANNOT[example.command]}")
    home = tmp_path / "home"
    shutil.copytree(prepared, home)
    add_ids(example.command, home)
    path = f"{home / 'bin'}:{environment(home)['PATH']}"
    for tool in tools_of(example.command):
        known = subprocess.run(["bash", "-c", f"type {tool}"], env={"PATH": path}, capture_output=True)
        if known.returncode != 0:
            pytest.skip(f"{example.command}: '{tool}' is not installed here")
    env = {"PATH": path, "COLUMNS": "80"}
    command = "set -o pipefail\n" + example.command
    ran = run(["bash", "-c", command], home, env=env, stderr=subprocess.STDOUT)
    expected = STATUS.get(example.command, 0)
    if ran.status != expected:
        what = f"{ran.out}[exit {ran.status}, and {expected} was expected]"
        pytest.fail(TELL.format(command=example.command, what=what, source=example.source), pytrace=False)
    compare(example, ran.out)


def mentions():
    """`sonde ...` in the text outside of blocks."""
    for path in DOCS:
        text = re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.M | re.S)
        for span in re.findall(r"`(sonde [^`]+)`", text):
            yield Example(path.name, " ".join(span.split()))


def test_mentions_exist():
    names = {row.split("\t")[0] for row in commands()}
    bad = []
    for example in mentions():
        words = example.command.split()[1:]
        if words[0].startswith("-") or PLACEHOLDERS.fullmatch(words[0]):
            continue
        if words[0] not in names:
            bad.append(f"{example}: no such command")
            continue
        page = said(words[0], "--help").split("options:\n")[1]
        for option in re.findall(r"(?<=\s)--([a-z][a-z-]*)", " ".join(words).split(" -- ")[0]):
            known = re.search(rf"--(\[no-\])?{re.sub('^no-', '(no-)?', option)}\b", page)
            if not known and option != "help":
                bad.append(f"{example}: no option --{option}")
    assert not bad, "the documents speak of what is not there:\n" + "\n".join(bad)


def test_tables_have_no_dead_rows():
    commands_run = {example.command for example in all_examples()}
    assert set(CANNOT) | set(STATUS) | set(NOT_COMPARED) <= commands_run, "remove the rows that nobody needs"


def test_all_documents_are_listed():
    listed = (ROOT / "docs" / "README.md").read_text()
    for path in DOCS[1:]:
        assert path.name == "README.md" or f"]({path.name})" in listed, f"add {path.name} to docs/README.md"


def test_links_lead_somewhere():
    for path in DOCS:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
            assert os.path.exists(path.parent / link), f"{path.name}: {link}"
