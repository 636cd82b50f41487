"""Completion, in the shells themselves.

What may come next is one table for all of them (`sonde completion --candidates`); each shell is then
asked whether it offers just that: bash by its completion function and through a terminal, fish by
`complete -C`, zsh through a terminal.
"""

import contextlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import pytest
from conftest import environment

BASH_COMPLETION = pathlib.Path("/usr/share/bash-completion/bash_completion")
PATIENCE_S = 20


def needs(shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed here")


@pytest.fixture
def home(sonde, tmp_path):
    """Two runs, one with a name, and some files to be offered."""
    assert sonde("run", "--quiet", "--name", "fit", "true").status == 0
    assert sonde("run", "--quiet", "--name", "no word; for a shell", "true").status == 0
    for name in ("results.txt", "resume.sonde"):
        (tmp_path / name).touch()
    (tmp_path / "resdir").mkdir()
    return tmp_path


def ids(sonde):
    return [run["id"] for run in json.loads(sonde("history", "--json").out)["runs"]]


def candidates(sonde, *words):
    ran = sonde("completion", "--candidates", "--", *words)
    assert ran.status == 0 and not ran.err
    return [line.split("\t")[0] for line in ran.out.splitlines()]


@pytest.mark.parametrize(
    "words, offered",
    [
        (["hi"], ["history"]),
        (["--v"], ["--version"]),
        (["elephant", ""], []),
        (["export", "--format=c"], ["--format=csv"]),
        (["export", "-f", "c"], ["csv"]),
        (["export", "--nonsense=c"], []),
        (["show", "--series", "memory_tree"], ["memory_tree_bytes"]),
        (["run", "--int"], ["--interval="]),
        (["run", "--no-r"], ["--no-record"]),
        (["run", "--quiet=y"], ["--quiet=yes"]),
        (["run", "--output", ""], [":files"]),
        (["run", "--output=x"], [":files"]),
        (["run", "-qo", ""], [":files"]),
        (["run", ""], [":command 1"]),
        (["run", "py"], [":command 1"]),
        (["run", "-q", "--name", "fit", "py"], [":command 4"]),
        (["run", "--", "-x"], [":command 2"]),
        (["run", "ls", "--col"], [":command 1"]),
        (["doctor", "rec"], ["recordings"]),
        (["doctor", "--no-c"], ["--no-check"]),
        (["doctor", "--capture", ""], [":directories"]),
        (["export", "--textfile=x"], [":files"]),
        (["explain", "page-c"], ["page-cache"]),
        (["help", "loo"], ["look"]),
        (["help", "sho"], ["show"]),
        (["--help", "sho"], ["show"]),
        (["help", "show", ""], []),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["show", "no"], []),
        (["show", "./re"], [":files"]),
        (["history", "--name", ""], ["fit"]),
        (["tru"], []),
    ],
)
def test_candidates(sonde, home, words, offered):
    assert candidates(sonde, *words) == offered


def test_candidates_are_all_that_there_is(sonde, home):
    first = candidates(sonde)
    assert {"run", "show", "history", "export", "explain", "doctor", "completion", "help"} <= set(first)
    for command in first:
        page = sonde(command, "--help").out.split("options:\n")[1].split("\n\n")[0]
        options = set(re.findall(r"^(?: {6}|  -., )--(?:\[no-\])?([a-z-]+)", page, re.M))
        given = {option.rstrip("=")[2:] for option in candidates(sonde, command, "--")}
        assert options <= given, command
    assert set(candidates(sonde, "show", "")) == {"last", "fit", *ids(sonde)}


def test_a_recording_offers_nothing_that_a_shell_would_obey(sonde, tmp_path):
    sonde("run", "--quiet", "--name", "$(reboot)", "sh", "-c", ": \x1b[31m\t\n\t--evil")
    ran = sonde("completion", "--candidates", "--", "show", "")
    assert len(ran.out.splitlines()) == 2 and "\x1b" not in ran.out and "reboot" not in ran.out


def test_bad_words(sonde):
    for words in ([], ["bash", "zsh"]):
        assert sonde("completion", *words).status == 2
    ran = sonde("completion", "bsh")
    assert ran.status == 2 and "did you mean 'sonde completion bash'?" in ran.err
    assert "bash, zsh and fish" in sonde("completion", "powershell").err


# What every shell offers for a line, and nothing else.
LINES = [
    ("sonde hi", ["history"]),
    ("sonde completion ", ["bash", "zsh", "fish"]),
    ("sonde export --format=j", ["json"]),
    ("sonde export --format=c", ["csv"]),
    ("sonde run --output=res", ["resdir", "results.txt", "resume.sonde"]),
    ("sonde run -o resu", ["results.txt", "resume.sonde"]),
    ("sonde doctor --capture res", ["resdir"]),
    ("sonde show fi", ["fit"]),
    ("sonde run --tag a=b --inter", ["--interval="]),
    ("sonde run cat resul", ["results.txt"]),
    ("sonde run -n x -- cat resul", ["results.txt"]),
]



def plain(word):
    """Shells write directories with a slash, and values with or without their option."""
    return re.sub(r"^--(output|format)=", "", word).rstrip("/")


# bash

COMPLETE_IN_BASH = r"""
eval "$(sonde completion bash)"
COMP_LINE=$1 COMP_POINT=${#1}
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_sonde
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
"""


def bash_offers(line, home, setup=""):
    """readline breaks words at "=", and so does this."""
    words = [part for word in line.split(" ") for part in re.split("(=)", word)]
    words = [word for i, word in enumerate(words) if word or i == len(words) - 1]
    command = ["bash", "--norc", "--noprofile", "-c", setup + COMPLETE_IN_BASH, "bash", line, *words]
    ran = subprocess.run(command, cwd=home, env=environment(home), capture_output=True, text=True)
    assert ran.returncode == 0 and not re.sub(r".*compopt.*\n", "", ran.stderr), ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.parametrize("line, offered", LINES)
def test_bash(home, line, offered):
    assert sorted(map(plain, bash_offers(line, home))) == sorted(offered)


def test_bash_offers_commands_to_run(home):
    assert "true" in bash_offers("sonde run tru", home)


@pytest.mark.parametrize("line, offered", LINES)
def test_bash_with_bash_completion(home, line, offered):
    if not BASH_COMPLETION.exists():
        pytest.skip("bash-completion is not installed here")
    found = bash_offers(line, home, f"source {BASH_COMPLETION}\n")
    assert sorted(map(plain, found)) == sorted(offered)


def test_bash_with_bash_completion_hands_over(home):
    """What the program's own completion knows: options of ls."""
    if not BASH_COMPLETION.exists():
        pytest.skip("bash-completion is not installed here")
    found = bash_offers("sonde run --quiet ls --group-dir", home, f"source {BASH_COMPLETION}\n")
    assert found == ["--group-directories-first"]


def test_bash_script_is_clean(sonde, tmp_path):
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed here")
    (tmp_path / "sonde.bash").write_text(sonde("completion", "bash").out)
    ran = subprocess.run(["shellcheck", "-s", "bash", tmp_path / "sonde.bash"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


# fish


@pytest.mark.parametrize("line, offered", LINES)
def test_fish(home, line, offered):
    needs("fish")
    script = 'sonde completion fish | source; complete -C "$argv"'
    command = ["fish", "--no-config", "-c", script, line]
    ran = subprocess.run(command, cwd=home, env=environment(home), capture_output=True, text=True)
    found = [plain(row.split("\t")[0]) for row in ran.stdout.splitlines()]
    assert sorted(found) == sorted(offered), ran.stderr


# Through a terminal: what a person sees after the tab.


class Terminal:
    def __init__(self, command, home):
        env = {**environment(home), "TERM": "vt100", "COLUMNS": "150", "LINES": "50"}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(home)
            os.execvpe(command[0], command, env)
        self.seen = ""

    def type(self, text):
        self.seen = ""
        os.write(self.fd, text.encode())

    def see(self, pattern):
        """Waits until the pattern is on the screen."""
        end = time.monotonic() + PATIENCE_S
        while not re.search(pattern, self.seen):
            if time.monotonic() > end or not self.read(end):
                pytest.fail(f"'{pattern}' was never seen in {self.seen!r}", pytrace=False)

    def read(self, end):
        if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
            return False
        try:
            new = os.read(self.fd, 65536).decode(errors="replace")
        except OSError:
            return False
        # Escapes, the bell, and zeroes that an old terminal would need for its breath.
        self.seen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x07|\x00", "", self.seen + new)
        return True

    def close(self):
        os.close(self.fd)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'PS1="re""ady>"; eval "$(sonde completion bash)"\n'),
    "zsh": (
        ["zsh", "-f", "-i"],
        'PS1="re""ady>"; autoload -U compinit; compinit -u -D; eval "$(sonde completion zsh)"\n',
    ),
}


@pytest.fixture
def terminal(home):
    opened = []

    def open_terminal(shell):
        needs(shell)
        command, setup = SHELLS[shell]
        opened.append(Terminal(command, home))
        opened[-1].type(setup)
        opened[-1].see("ready>")
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()


# What is typed before the tab, and the line that it becomes.
BECOMES = [
    ("sonde hi", "sonde history "),
    ("sonde export --format=c", "sonde export --format=csv "),
    ("sonde run --inter", "sonde run --interval="),
    ("sonde run --output=resul", "sonde run --output=results.txt "),
    ("sonde run cat resul", "sonde run cat results.txt "),
    ("sonde show fi", "sonde show fit "),
    ("sonde explain page-c", "sonde explain page-cache "),
    ("sonde help loo", "sonde help look "),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_tab(terminal, shell):
    screen = terminal(shell)
    for typed, line in BECOMES:
        screen.type(typed + "\t")
        screen.see(re.escape(line) + "$")
        screen.type("\x15\n")  # Ctrl-U: away with the line
        screen.see("ready>$")


@pytest.mark.parametrize("shell", SHELLS)
def test_list(terminal, shell):
    """Two tabs list what there is; zsh and fish with help."""
    screen = terminal(shell)
    screen.type("sonde export --format=\t\t")
    screen.see("json")
    screen.see("csv")
    screen.type("\x15sonde \t\t")
    for command in ("run", "history", "explain"):
        screen.see(rf"\b{command}\b")
    if shell == "zsh":
        screen.see("run a program and measure what it costs")


def test_zsh_from_its_path(home):
    """As installed: a file _sonde in $fpath, found by compinit."""
    needs("zsh")
    (home / "fpath").mkdir()
    script = subprocess.run(["sonde", "completion", "zsh"], env=environment(home), capture_output=True)
    (home / "fpath" / "_sonde").write_bytes(script.stdout)
    screen = Terminal(["zsh", "-f", "-i"], home)
    try:
        screen.type('PS1="re""ady>"; fpath=($PWD/fpath $fpath); autoload -U compinit; compinit -u -D\n')
        screen.see("ready>")
        screen.type("sonde hi\t")
        screen.see("sonde history $")
    finally:
        screen.close()
