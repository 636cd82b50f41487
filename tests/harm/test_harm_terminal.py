"""A terminal with a shell that has job control: the same keys, bare and under sonde, must give the same screen."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import harm
import pytest

PROMPT = "ready> "


class Terminal:
    """An interactive bash on a pseudo terminal."""

    def __init__(self, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {"PATH": os.environ["PATH"], "PS1": PROMPT, "TERM": "dumb", "HOME": str(folder),
                           "XDG_DATA_HOME": str(folder), "HISTFILE": ""}
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], environment)
        self.text = ""
        self.wait_for(PROMPT)

    def wait_for(self, pattern, seconds=10):
        """Reads until the pattern comes; returns the text up to it, and forgets it."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text)):
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"{pattern!r} did not come; the screen has {self.text!r}")
            if select.select([self.fd], [], [], left)[0]:
                try:
                    self.text += os.read(self.fd, 65536).decode(errors="replace").replace("\r", "")
                    self.text = re.sub(r"[^\n]*\x1b\[K", "", self.text)  # what was erased: a live line
                except OSError:
                    raise AssertionError(f"{pattern!r} did not come before the end; {self.text!r}") from None
        before, self.text = self.text[:found.end()], self.text[found.end():]
        return before

    def settled(self, pattern):
        """Waits for the program to have said this and to have started what it then starts. A shell that is stopped in
        the middle of vfork(2) never stops, sonde or not."""
        self.wait_for(pattern)
        time.sleep(0.2)

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def run(self, line):
        """A line, and the screen until the next prompt."""
        self.type(line + "\n")
        self.wait_for(re.escape(line))
        return self.wait_for(PROMPT).removesuffix(PROMPT).strip()

    def close(self):
        os.kill(self.pid, signal.SIGHUP)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


@pytest.fixture
def terminal(tmp_path):
    opened = Terminal(tmp_path)
    yield opened
    opened.close()


@pytest.fixture(params=["bare", "sonde"])
def words(request):
    return "" if request.param == "bare" else f"{harm.SONDE} run --quiet -- "


def test_interrupt(terminal, words):
    terminal.type(f"{words}sh -c 'echo go; exec sleep 30'; echo not reached\n")
    terminal.settled(r"\ngo\n")
    terminal.type("\x03")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "130"


def test_interrupt_that_is_caught(terminal, words):
    """The shell goes on with its loop, because the program dealt with Ctrl-C and ended in its own way."""
    terminal.type(f"{words}bash -c 'trap \"echo caught; exit 4\" INT; echo go; while :; do sleep 0.05; done'; echo $?\n")
    terminal.settled(r"\ngo\n")
    terminal.type("\x03")
    assert terminal.wait_for(PROMPT).count("caught") == 1
    assert terminal.run("echo $?") in ("0", "4")


def test_interrupts_are_counted_once(terminal, words, tmp_path):
    terminal.type(f"{words}{harm.program('hear')}; echo status $?\n")
    terminal.wait_for("ready\n")
    for _ in range(3):
        terminal.type("\x03")
        terminal.wait_for("got 02")
        time.sleep(0.1)
    terminal.type("\x1c")
    terminal.wait_for("got 03")
    time.sleep(0.2)
    terminal.type("\x04")
    rest = terminal.wait_for(r"status \d+")
    assert "got" not in rest and rest.endswith("status 0")


def test_quit(terminal, words):
    terminal.run("ulimit -c 0")
    terminal.type(f"{words}sh -c 'echo go; exec sleep 30'\n")
    terminal.settled(r"\ngo\n")
    terminal.type("\x1c")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "131"


def test_stop_and_foreground(terminal, words):
    terminal.type(f"{words}sh -c 'echo go; read x; echo got $x; exit 5'\n")
    terminal.settled(r"\ngo\n")
    terminal.type("\x1a")
    assert "Stopped" in terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "148"
    terminal.type("fg\n")
    terminal.wait_for(r"fg\n.*\n")
    time.sleep(0.2)
    terminal.type("hello\n")
    terminal.wait_for("got hello")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "5"


def test_stop_and_background(terminal, words):
    terminal.type(f"{words}sh -c 'echo go; sleep 1; echo finished; exit 6'\n")
    terminal.settled(r"\ngo\n")
    terminal.type("\x1a")
    assert "Stopped" in terminal.wait_for(PROMPT)
    screen = terminal.run("bg")
    terminal.type("wait %1; echo status $?\n")
    assert "finished" in screen + terminal.wait_for(r"status \d+\n")
    assert terminal.run("jobs") == ""


def test_stop_many_times(terminal, words, tmp_path):
    """Five times Ctrl-Z and fg: nothing is lost, nothing hangs."""
    terminal.type(f"{words}{harm.program('worker')} {tmp_path}/mark 1 3\n")
    assert harm.until((tmp_path / "mark").exists)
    for _ in range(5):
        time.sleep(0.05)
        terminal.type("\x1a")
        assert "Stopped" in terminal.wait_for(PROMPT)
        size = (tmp_path / "mark").stat().st_size
        time.sleep(0.1)
        assert (tmp_path / "mark").stat().st_size == size, "stopped, but it ran on"
        terminal.type("fg\n")
        terminal.wait_for(r"fg\n.*\n")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "3"
    assert (tmp_path / "mark").read_bytes().endswith(b"done")


def test_background_reader_is_stopped(terminal, words):
    """SIGTTIN: a program in the background that reads the terminal stops; in the foreground it may read."""
    terminal.run(f"{words}sh -c 'read x; echo got $x; exit 2' &")
    assert harm.until(lambda: "Stopped" in terminal.run("jobs"), 5)
    terminal.type("fg\n")
    terminal.wait_for(r"fg\n.*\n")
    time.sleep(0.2)
    terminal.type("word\n")
    terminal.wait_for("got word")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "2"


def test_background_writer_is_stopped_where_asked(terminal, words):
    terminal.run("stty tostop")
    terminal.run(f"{words}sh -c 'echo text; exit 2' &")
    assert harm.until(lambda: "Stopped" in terminal.run("jobs"), 5)
    terminal.type("fg\n")
    terminal.wait_for("text\n")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "2"


def test_window_size(terminal, words):
    def resize(rows, columns):
        fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    resize(33, 77)
    assert terminal.run(f"{words}stty size") == "33 77"
    terminal.type(f"{words}{harm.program('hear')}\n")
    terminal.wait_for("ready\n")
    resize(44, 99)
    terminal.wait_for(f"got {signal.SIGWINCH:02d}")
    time.sleep(0.2)
    terminal.type("\x04")
    assert "got" not in terminal.wait_for(PROMPT)


def test_terminal_modes_stay_as_the_program_left_them(terminal, words):
    """sonde neither saves nor restores: `stty` under it works as ever."""
    terminal.run(f"{words}stty -echo")
    terminal.type("stty -a | grep -o -- '-echo '\n")
    assert "-echo" in terminal.wait_for(PROMPT)
    terminal.type(f"{words}stty echo\n")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo $?") == "0"


def test_foreground_group(terminal, words, tmp_path):
    """The program is in the terminal's foreground group and session, with the terminal as its own."""
    terminal.run(f"{words}{harm.program('probe')} {tmp_path}/answer")
    lines = (tmp_path / "answer").read_text().splitlines()
    found = {line.split()[0]: line.split()[1] for line in lines if line.split()[0] in ("pgid", "sid", "tcgetpgrp")}
    assert found["tcgetpgrp"] == found["pgid"]
    assert found["sid"] == str(terminal.pid)


def test_pipeline_is_one_job(terminal, words):
    terminal.type(f"{words}sh -c 'echo go; exec sleep 30' | cat\n")
    terminal.settled(r"\ngo\n")
    terminal.type("\x1a")
    assert "Stopped" in terminal.wait_for(PROMPT)
    terminal.type("fg\n")
    terminal.wait_for(r"fg\n.*\n")
    time.sleep(0.2)
    terminal.type("\x03")
    terminal.wait_for(PROMPT)
    assert terminal.run("echo ${PIPESTATUS[0]}") in ("130", "0"), "bash keeps PIPESTATUS of fg in some versions only"
    assert terminal.run("jobs") == ""


def test_terminal_that_goes_away(words, tmp_path):
    """SIGHUP ends the program and sonde, and the recording is complete."""
    opened = Terminal(tmp_path)
    where = f"-o {tmp_path}/run.sonde -- " if words else ""
    opened.type(f"{words.removesuffix('-- ')}{where}{harm.program('worker')} {tmp_path}/mark 20 0\n")
    assert harm.until((tmp_path / "mark").exists)
    opened.close()
    time.sleep(0.5)
    size = (tmp_path / "mark").stat().st_size
    time.sleep(0.2)
    assert (tmp_path / "mark").stat().st_size == size, "the program lives on"
    if words:
        assert harm.until(lambda: not harm.sondes_of(tmp_path / "run.sonde"))
        assert harm.workbench.show(tmp_path / "run.sonde")["run"]["exit"]["signal"] == signal.SIGHUP
