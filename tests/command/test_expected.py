"""The runner of expectations.

A file `NAME.txt` beside this one holds commands with what they print beside them (stdout and stderr
as they come), and the exit status where it is not 0:

    # A mistyped command gets the nearest one as a hint.
    $ sonde rnu
    sonde: 'rnu': no such command
    hint: did you mean 'sonde run'?
    [exit 2]

The commands of a file run in order, in one directory, with /bin/sh; a line "> ..." continues a
command. `[..]` stands for anything within a line, a line `...` for any number of lines. `make check
UPDATE=1` writes what the commands printed into the file, and keeps each line whose pattern still
matches.
"""

import difflib
import functools
import os
import pathlib
import re
import subprocess
import tempfile

import pytest
from conftest import run

HERE = pathlib.Path(__file__).parent
UPDATE = bool(os.environ.get("UPDATE"))


class Block:
    """A command with the lines expected of it; `first` and `last` bound those lines in the file."""

    def __init__(self, path, number, command):
        self.path, self.number, self.command = path, number, command
        self.first = self.last = number + 1


def blocks_parse(path):
    blocks = []
    block = None
    for number, line in enumerate(path.read_text().splitlines()):
        if line.startswith("$ "):
            block = Block(path, number, line[2:])
            blocks.append(block)
        elif block and line.startswith("> ") and block.first == number:
            block.command += "\n" + line[2:]
            block.first = block.last = number + 1
        elif line.startswith("# "):
            block = None
        elif block and line:  # blank lines at the end only separate it from the next
            block.last = number + 1
    return blocks


def matches(pattern, line):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("[..]"))), line) is not None


def all_match(patterns, lines):
    if not patterns:
        return not lines
    if patterns[0] == "...":
        return any(all_match(patterns[1:], lines[i:]) for i in range(len(lines) + 1))
    if not lines or not matches(patterns[0], lines[0]):
        return False
    return all_match(patterns[1:], lines[1:])


def keep_patterns(patterns, lines):
    """The lines, with each one that a pattern still matches (in order) written as that pattern."""
    kept = []
    patterns = [pattern for pattern in patterns if pattern != "..."]
    for line in lines:
        place = next((i for i, pattern in enumerate(patterns) if matches(pattern, line)), None)
        kept.append(line if place is None else patterns[place])
        if place is not None:
            del patterns[: place + 1]
    return kept


def command_run(command, home):
    ran = run(["/bin/sh", "-c", command], home, stderr=subprocess.STDOUT)
    lines = ran.out.replace(str(home), "[..]").splitlines()
    while lines and not lines[-1]:
        lines.pop()
    return lines + ([f"[exit {ran.status}]"] if ran.status else [])


def update(path, printed):
    lines = path.read_text().splitlines()
    for block in reversed(blocks_parse(path)):
        expected = lines[block.first : block.last]
        if not all_match(expected, printed[block.number]):
            lines[block.first : block.last] = keep_patterns(expected, printed[block.number])
    path.write_text("\n".join(lines) + "\n")


@functools.lru_cache(maxsize=None)
def file_run(path):
    """All of the file, since a command may need what an earlier one left behind; what each block
    expected and printed, by its place."""
    lines = path.read_text().splitlines()
    blocks = [block for block in BLOCKS if block.path == path]
    with tempfile.TemporaryDirectory(prefix="sonde-expect-") as home:
        printed = {b.number: command_run(b.command, pathlib.Path(home)) for b in blocks}
    if UPDATE:
        update(path, printed)
    return {b.number: (lines[b.first : b.last], printed[b.number]) for b in blocks}


BLOCKS = [block for path in sorted(HERE.glob("*.txt")) for block in blocks_parse(path)]


def block_name(block):
    return f"{block.path.name}:{block.number + 1}"


@pytest.mark.parametrize("block", BLOCKS, ids=block_name)
def test_expected(block):
    expected, printed = file_run(block.path)[block.number]
    if not UPDATE and not all_match(expected, printed):
        difference = "\n".join(difflib.ndiff(expected, printed))
        pytest.fail(f"$ {block.command}\n- expected, + printed:\n{difference}", pytrace=False)
