"""--stamp, --live and --mark-on: the program's output on its way through sonde, to files, pipes and real terminals."""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time

import pytest
from conftest import SONDE, environment

STAMP = r"\[\d\d:\d\d:\d\d [ .\d-]{3}c [ .\w-]{4}\] "
STAMP_COLUMNS = 21
PYTHON = sys.executable


def unstamped(text):
    return re.sub(f"(?m)^{STAMP}", "", text)


class Terminal:
    """A command with a pseudo terminal of its own, as its controlling one."""

    def __init__(self, folder, *words, rows=24, columns=80, term="xterm", stdout=None, stderr=None):
        self.read_s, self.bytes = 20, b""
        ready, go = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.read(ready, 1)
            os.chdir(folder)
            for number, path in ((1, stdout), (2, stderr)):
                if path:
                    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            os.execvpe(str(words[0]), [str(word) for word in words], {**environment(folder), "TERM": term})
        self.resize(rows, columns)
        os.close(ready)
        os.write(go, b"!")
        os.close(go)

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.fd, keys)

    def read(self):
        """Reads what comes next; False at the end."""
        try:
            some = os.read(self.fd, 65536)
        except OSError:
            some = b""
        self.bytes += some
        return bool(some)

    def wait_for(self, pattern):
        end = time.monotonic() + self.read_s
        while not re.search(pattern, self.bytes):
            left = end - time.monotonic()
            assert left > 0, f"{pattern!r} did not come: {self.bytes!r}"
            if select.select([self.fd], [], [], left)[0]:
                assert self.read(), f"{pattern!r} did not come before the end: {self.bytes!r}"

    def end(self):
        """Its status, and what the terminal shows: (status, lines)."""
        while select.select([self.fd], [], [], self.read_s)[0] and self.read():
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), screen(self.bytes)


def screen(data):
    """What a terminal shows of these bytes: carriage returns, newlines, and erasing to the end of the line."""
    lines, column = [""], 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", data.decode(errors="replace")):
        if part == "\r":
            column = 0
        elif part == "\n":
            lines.append("")
        elif part == "\x1b[K":
            lines[-1] = lines[-1][:column]
        elif part[0] != "\x1b":
            lines[-1] = lines[-1][:column].ljust(column) + part + lines[-1][column + len(part):]
            column += len(part)
    return [line.rstrip() for line in lines]


@pytest.fixture
def terminal(tmp_path):
    """terminal("run", "--stamp", ...): sonde on a terminal of its own."""
    return lambda *words, **how: Terminal(tmp_path, SONDE, *words, **how)


# Stamps


def test_stamp(sonde):
    ran = sonde("run", "-q", "--stamp", "sh", "-c", "echo one; echo two >&2; printf 'three\\n\\nfour'; exit 3")
    assert ran.status == 3
    assert re.fullmatch(f"{STAMP}one\n{STAMP}three\n{STAMP}\n{STAMP}four", ran.out)
    assert re.fullmatch(f"{STAMP}two\n", ran.err)


def test_stamp_knows_time_and_memory(sonde):
    program = "import time; x = b'1' * 300_000_000; time.sleep(1.3); print('end', flush=True)"
    ran = sonde("run", "-q", "--stamp={time}|{memory}|{peak}|{processes}|", PYTHON, "-c", program)
    passed, memory, peak, processes, text = ran.out.split("|")
    assert passed >= "00:00:01" and text == "end\n" and processes == "  1"
    assert memory[-1] == peak[-1] == "M" and 286 <= int(peak[:-1]) <= 400


def test_stamp_of_one_busy_core(sonde):
    program = "import time\nend = time.process_time() + 1\nwhile time.process_time() < end: pass\nprint('end')"
    ran = sonde("run", "-q", "--stamp={cores}|", PYTHON, "-c", program)
    assert 0.1 <= float(ran.out.split("|")[0]) <= 1.2


def test_stamp_names_the_stream(sonde):
    ran = sonde("run", "-q", "--stamp={stream}: ", "sh", "-c", "echo a; echo b >&2")
    assert (ran.out, ran.err) == ("out: a\n", "err: b\n")
    ran = sonde("run", "-q", "--stamp={stream}: ", "sh", "-c", "echo a; echo b >&2", stderr=subprocess.STDOUT)
    assert ran.out == "  -: a\n  -: b\n", "both in one pipe: nobody can tell"


@pytest.mark.parametrize("words, said", [
    (["--stamp={tme}"], "'{tme}': no such field\nhint: did you mean '{time}'? There are {time} {clock} {cores}"),
    (["--stamp=[{time"], "the closing brace is missing\nhint: write '{{' for a brace"),
    (["--mark-on", "fine", "--mark-on", "("], "'--mark-on=(': Unmatched ("),
])
def test_bad_input(words, said, sonde):
    ran = sonde("run", *words, "--", "echo", "ran")
    assert (ran.status, ran.out) == (2, "") and said in ran.err


def test_summary_comes_last(tmp_path):
    with open(tmp_path / "all", "wb") as out:
        subprocess.run([SONDE, "run", "--stamp", "seq", "300000"], stdout=out, stderr=out, env=environment(tmp_path),
                       check=True)
    lines = (tmp_path / "all").read_text().splitlines()
    assert unstamped(lines[299999]) == "300000" and lines[300000].startswith("  time ")


@pytest.mark.parametrize("program, status", [
    (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], -9), (["./no-such-program"], 127), (["/"], 126)])
def test_statuses(program, status, sonde):
    ran = sonde("run", "-q", "--stamp", "--", *program)
    assert ran.status == status and ran.out == ""


def test_order_of_both(sonde):
    script = "i=0; while [ $i -lt 2000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done"
    ran = sonde("run", "-q", "--stamp", "sh", "-c", script, stderr=subprocess.STDOUT)
    assert unstamped(ran.out) == "".join(f"out {i}\nerr {i}\n" for i in range(2000))


# Bytes


PRODUCER = """
import hashlib, os, random, sys
left, seed, digest = int(sys.argv[1]), random.Random(1), hashlib.sha256()
block = bytes(seed.choices(b'abc \\r\\n\\n\\x00\\xff', k=1 << 20))
while left:
    some = block[:min(left, seed.randrange(1, 1 << 20))]
    left -= os.write(1, some)
    digest.update(some)
sys.stderr.write(digest.hexdigest())
"""


@pytest.mark.parametrize("option, size", [("--stamp=", 200_000_000), ("--mark-on=never", 50_000_000)])
def test_many_bytes(option, size, tmp_path):
    """Hundreds of megabytes, none lost and none out of order. SONDE_TEST_BYTES=1000000000 sends a gigabyte."""
    size = int(os.environ.get("SONDE_TEST_BYTES", size))
    started = subprocess.Popen([SONDE, "run", "-q", option, PYTHON, "-c", PRODUCER, str(size)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment(tmp_path))
    digest, count = hashlib.sha256(), 0
    while block := started.stdout.read(1 << 20):
        digest.update(block)
        count += len(block)
    assert (count, started.stderr.read().decode()) == (size, digest.hexdigest())
    assert started.wait() == 0


def test_many_stamped_lines(tmp_path):
    """Every line has one stamp, and without it the output is what it was."""
    command = f"{SONDE} run -q --stamp seq 5000000 | cut -b {STAMP_COLUMNS + 1}- | cmp - <(seq 5000000) && echo same"
    ran = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, env=environment(tmp_path), check=False)
    assert ran.stdout == b"same\n"


def test_slow_reader(tmp_path):
    started = subprocess.Popen([SONDE, "run", "-q", "--stamp=", "seq", "400000"], stdout=subprocess.PIPE,
                               env=environment(tmp_path))
    fcntl.fcntl(started.stdout, fcntl.F_SETPIPE_SZ, 4096)
    time.sleep(0.5)
    assert started.poll() is None, "it ended before its output was taken"
    assert started.stdout.read() == "".join(f"{i}\n" for i in range(1, 400001)).encode()
    assert started.wait() == 0


def test_reader_that_never_reads(tmp_path):
    """sonde waits for it as the program would have, and ends when it is told to; the output stays where it is."""
    script = "trap '' TERM; seq 3000; : >ended"  # whenever the signal comes, it is not for the program
    started = subprocess.Popen([SONDE, "run", "-q", "--stamp=", "sh", "-c", script], stdout=subprocess.PIPE,
                               cwd=tmp_path, env=environment(tmp_path))
    fcntl.fcntl(started.stdout, fcntl.F_SETPIPE_SZ, 4096)
    while not (tmp_path / "ended").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    assert started.poll() is None
    for _ in range(100):
        started.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            assert started.wait(timeout=0.2) == 0, "the program's own status"
            break
    assert started.returncode == 0, "it does not end"
    assert started.stdout.read() == "".join(f"{i}\n" for i in range(1, 3001)).encode()


def test_output_that_does_not_block(tmp_path):
    """Somebody made the pipe non-blocking: we wait, nothing is lost."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    started = subprocess.Popen([SONDE, "run", "-q", "--stamp=", "seq", "300000"], stdout=write, env=environment(tmp_path))
    os.close(write)
    time.sleep(0.3)
    with open(read, "rb") as pipe:
        assert pipe.read() == "".join(f"{i}\n" for i in range(1, 300001)).encode()
    assert started.wait() == 0


def test_full_disk(sonde):
    """The program goes on, as most do without us; the loss is said."""
    with open("/dev/full", "wb") as full:
        ran = sonde("run", "-q", "--stamp", "sh", "-c", "echo a; echo b >&2; exit 4", stdout=full)
    assert ran.status == 4
    assert "of the program's output could not be written to stdout: No space left on device" in ran.err
    assert re.search(f"(?m)^{STAMP}b$", ran.err)


def test_reader_that_goes_away(tmp_path):
    """SIGPIPE, as without sonde; also for a program that only looks whether somebody still reads."""
    looks = f"{PYTHON} -c 'import select; p = select.poll(); p.register(1, 0); print(1, flush=True); p.poll(); exit(141)'"
    for program in ("yes", looks):
        ran = subprocess.run(["bash", "-c", f"{SONDE} run -q --stamp {program} | head -1; echo ${{PIPESTATUS[0]}}"],
                             stdout=subprocess.PIPE, env=environment(tmp_path), timeout=30, check=False)
        assert ran.stdout.endswith(b"\n141\n")


def test_daemon_keeps_the_output(tmp_path):
    """sonde ends with the program; what the daemon writes later arrives, with nobody's numbers."""
    started = subprocess.Popen([SONDE, "run", "-q", "--stamp", "sh", "-c", "(sleep 1; echo late) & echo early"],
                               stdout=subprocess.PIPE, env=environment(tmp_path))
    assert started.wait(timeout=20) == 0
    text = started.stdout.read().decode()
    assert re.fullmatch(rf"{STAMP}early\n\[\d\d:\d\d:\d\d   -c    -\] late\n", text)


def test_closed_outputs(tmp_path):
    ran = subprocess.run(["bash", "-c", f"{SONDE} run -q --stamp sh -c 'echo a; echo b >&2' 2>&-"], stdout=subprocess.PIPE,
                         env=environment(tmp_path), check=False)
    assert unstamped(ran.stdout.decode()) == "a\n"


# Marks


def marks(path):
    with contextlib.closing(sqlite3.connect(path)) as recording:
        return list(recording.execute("SELECT time_ns, kind, name FROM mark ORDER BY rowid"))


def test_mark_on(sonde, tmp_path):
    script = "echo phase: load; sleep 0.3; echo epoch 1 of 2 >&2; printf '\\033[1mphase: last\\033[0m'"
    ran = sonde("run", "-q", "-o", "a.sonde", "--mark-on=^phase: (.*)", "--mark-on=epoch [0-9]+", "sh", "-c", script)
    assert (ran.status, ran.out, ran.err) == (0, "phase: load\n\033[1mphase: last\033[0m", "epoch 1 of 2\n")
    found = marks(tmp_path / "a.sonde")
    assert [mark[1:] for mark in found][0] == ("next", "load")
    assert sorted(mark[2] for mark in found) == ["epoch 1", "last", "load"]
    assert 0.25e9 < found[1][0] - found[0][0]


def test_marks_of_the_last_moment(sonde, tmp_path):
    """What is still in the pipe when the program has ended is not lost."""
    ran = sonde("run", "-q", "-o", "a.sonde", "--stamp", "--mark-on=mark ([0-9]+)", "sh", "-c", "seq 200000; echo mark 7",
                stdout=subprocess.DEVNULL)
    assert ran.status == 0
    assert [mark[2] for mark in marks(tmp_path / "a.sonde")] == ["7"]


# Who is killed


def relays():
    """Relay processes of the sonde under test."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_text() == "relay\n" and os.readlink(folder / "exe") == str(SONDE):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_killed_sonde(tmp_path):
    """The program goes on and its output arrives, with a dash for what nobody measures any more."""
    started = subprocess.Popen([SONDE, "run", "-q", "--stamp", "sh", "-c", "echo one; read x; echo two; echo three"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(tmp_path))
    assert started.stdout.readline().endswith(b"one\n")
    started.kill()
    assert started.wait() == -signal.SIGKILL
    time.sleep(0.2)
    started.stdin.write(b"go\n")
    started.stdin.close()
    assert re.fullmatch(r"\[\d\d:\d\d:\d\d   -c    -\] two\n\[\d\d:\d\d:\d\d   -c    -\] three\n",
                        started.stdout.read().decode())


def test_nobody_is_left(sonde):
    before = set(relays())
    sonde("run", "-q", "--stamp", "--live", "--mark-on=x", "echo", "x")
    end = time.monotonic() + 10
    while set(relays()) - before and time.monotonic() < end:
        time.sleep(0.05)
    assert not set(relays()) - before


def test_relay_is_not_measured(sonde, tmp_path):
    """It is no process of the program's, and its CPU time is sonde's own."""
    sonde("run", "-q", "-o", "a.sonde", "--stamp", "head", "-c", "1000000000", "/dev/zero", stdout=subprocess.DEVNULL)
    facts = json.loads(sonde("show", "--json", "a.sonde").out)
    assert [process["command"][:4] for process in facts["processes"]] == ["head"]
    assert facts["sonde"]["own"]["cpu_s"]["value"] > 0.05


# Terminals


LOOK = ("import os, sys\n"
        "print('seen', *[os.isatty(fd) for fd in (0, 1, 2)], *os.get_terminal_size(1), *os.get_terminal_size(2))")


def test_terminal_size(terminal):
    status, lines = terminal("run", "-q", "--stamp", PYTHON, "-c", LOOK, rows=33, columns=101).end()
    assert status == 0 and re.fullmatch(STAMP + f"seen True True True {101 - STAMP_COLUMNS} 33 {101 - STAMP_COLUMNS} 33",
                                        lines[0])
    status, lines = terminal("run", "-q", "--live", PYTHON, "-c", LOOK, rows=33, columns=101).end()
    assert lines[0] == "seen True True True 101 33 101 33", "without a stamp all columns are the program's"


def test_terminal_and_file(terminal, tmp_path):
    """stdout in a file, stderr on the terminal: each as it was."""
    program = "import os, sys; print(os.isatty(1)); print(os.isatty(2), file=sys.stderr)"
    opened = terminal("run", "-q", "--stamp", PYTHON, "-c", program, stdout=tmp_path / "out")
    status, lines = opened.end()
    assert status == 0 and re.fullmatch(f"{STAMP}True", lines[0])
    assert re.fullmatch(f"{STAMP}False\n", (tmp_path / "out").read_text())


RESIZED = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGWINCH})
print('ready', flush=True)
while os.get_terminal_size(1).lines != 13:
    signal.sigwait({signal.SIGWINCH})
    print('size', os.get_terminal_size(1).columns, flush=True)
"""


@pytest.mark.parametrize("option, less", [("--stamp", STAMP_COLUMNS), ("--live", 0)])
def test_resize(option, less, terminal):
    """After the last SIGWINCH the program finds the size that holds."""
    opened = terminal("run", "-q", option, PYTHON, "-c", RESIZED)
    opened.wait_for(b"ready")
    for columns in (120, 50, 99):
        opened.resize(30, columns)
        opened.wait_for(b"size %d\r\n" % (columns - less))
    opened.resize(13, 80)
    assert opened.end()[0] == 0


def test_colours(terminal, tmp_path):
    (tmp_path / "folder").mkdir()
    opened = terminal("run", "-q", "--stamp", "ls", "--color=auto", tmp_path)
    assert opened.end()[0] == 0
    assert b"\x1b[01;34mfolder\x1b[0m" in opened.bytes


def test_bytes_on_a_terminal_are_the_same(tmp_path):
    """Newlines become two bytes once, not twice; tabs, bells and colours stay."""
    script = "printf 'a\\n\\tb\\r\\n\\033[31mred\\033[0m\\007\\n\\377end'"
    bare, relayed = Terminal(tmp_path, "sh", "-c", script), Terminal(tmp_path, SONDE, "run", "-q", "--stamp=", "sh", "-c", script)
    assert (bare.end()[0], relayed.end()[0]) == (0, 0)
    assert relayed.bytes == bare.bytes


def test_many_bytes_on_a_terminal(terminal):
    opened = terminal("run", "-q", "--stamp=", "--live", "seq", "200000")
    assert opened.end()[0] == 0
    own = re.sub(rb"\r\d:\d\d[^\r\n]*\x1b\[K|\r\x1b\[K", b"", opened.bytes)  # the live line
    assert own == "".join(f"{i}\r\n" for i in range(1, 200001)).encode()


def test_progress_bar(terminal):
    program = ("import time\n"
               "for i in range(5): print(f'\\r\\033[K{i * 25}%', end='', flush=True); time.sleep(0.05)\n"
               "print('\\ndone')")
    opened = terminal("run", "-q", "--stamp", "--live", PYTHON, "-c", program)
    status, lines = opened.end()
    assert status == 0 and [bool(re.fullmatch(f"{STAMP}{text}", line)) for text, line in zip(("100%", "done"), lines)]
    assert len(re.findall(STAMP.encode() + rb"\d+%", opened.bytes)) == 5


def test_prompt(terminal):
    """It is there before the answer is. What follows stands in its line, as far as the program's own bytes tell."""
    opened = terminal("run", "-q", "--stamp", "--live", "sh", "-c", "printf 'name? '; read name; echo hello $name")
    opened.wait_for(rb"name\? ")
    opened.type(b"you\n")
    status, lines = opened.end()
    assert status == 0 and lines[0].endswith("name? you") and lines[1] == "hello you"


def test_interrupt(terminal):
    opened = terminal("run", "--stamp", "--live", "sh", "-c", "echo go; exec sleep 30")
    opened.wait_for(b"go")
    time.sleep(0.3)
    opened.type(b"\x03")
    status, lines = opened.end()
    assert status == -signal.SIGINT and any("time" in line for line in lines[1:])


def test_modes_set_on_the_output(terminal):
    """A full-screen program that asks for no echo on its stdout means the terminal; and it puts back what it found."""
    program = ("import sys, termios, time\n"
               "def echo(on):\n"
               "    modes = termios.tcgetattr(1)\n"
               "    modes[3] = modes[3] | termios.ECHO if on else modes[3] & ~termios.ECHO\n"
               "    termios.tcsetattr(1, termios.TCSANOW, modes)\n"
               "echo(False); print('off', flush=True); input(); echo(True); print('on', flush=True); input()")
    opened = terminal("run", "-q", "--stamp=", PYTHON, "-c", program)
    opened.wait_for(b"off")
    time.sleep(0.1)
    opened.type(b"secret\n")
    opened.wait_for(b"on")
    time.sleep(0.1)
    opened.type(b"shown\n")
    assert opened.end()[0] == 0
    assert b"secret" not in opened.bytes and b"shown" in opened.bytes


# A pager opens the terminal behind its stderr by its name and takes its keys there; a full-screen program sets the modes
# of its stdout and takes its keys from stdin.
KEYS = """
import os, sys, termios, tty
fd = os.open(os.ttyname(2), os.O_RDWR) if sys.argv[1] == 'pager' else 0
before = termios.tcgetattr(1)
tty.setcbreak(1)
print('ready', flush=True)
while (key := os.read(fd, 1)) != b'q':
    print('key', key.decode(), flush=True)
termios.tcsetattr(1, termios.TCSANOW, before)
print('end', flush=True)
"""


@pytest.mark.parametrize("kind", ["pager", "screen"])
@pytest.mark.parametrize("option", ["--stamp", "--live"])
def test_keys(kind, option, terminal):
    opened = terminal("run", "-q", option, PYTHON, "-c", KEYS, kind)
    opened.wait_for(b"ready")
    time.sleep(0.2)
    for key in (b"a", b"b", b"c"):
        opened.type(key)
        opened.wait_for(b"key " + key)
    opened.type(b"q")
    assert opened.end()[0] == 0
    assert b"key q" not in opened.bytes and b"end" in opened.bytes


@pytest.mark.skipif(not shutil.which("less"), reason="less is not installed")
def test_less(terminal, tmp_path):
    (tmp_path / "text").write_text("".join(f"line {i}\n" for i in range(1000)))
    opened = terminal("run", "-q", "--stamp", "--live", "less", "text")
    opened.wait_for(b"line 5")
    time.sleep(0.2)
    opened.type(b"G")
    opened.wait_for(b"line 999")
    opened.type(b"q")
    assert opened.end()[0] == 0
    assert not re.search(STAMP.encode() + b"line", opened.bytes), "it has the screen for itself"


# The live line


LIVE = rb"\r\d:\d\d   [.\d]+ of \d+ cores?   [.\d]+ .iB of [.\d]+ .iB   read [^ ]+ [kMG]?B/s   write [^ ]+ [kMG]?B/s"


def test_live(terminal):
    """It is seen while the program runs, and gone at its end."""
    opened = terminal("run", "-q", "--live", "sh", "-c", "echo one; sleep 1.5; echo two; exit 5", columns=100)
    status, lines = opened.end()
    assert (status, lines) == (5, ["one", "two", ""])
    assert re.search(LIVE, opened.bytes)


def test_live_is_cut(terminal):
    opened = terminal("run", "-q", "--live", "sleep", "1.5", columns=30)
    assert opened.end() == (0, [""])
    drawn = re.findall(rb"\r(\d:\d\d[^\r\x1b]*)", opened.bytes)
    assert drawn and all(len(line) < 30 for line in drawn)


def test_live_waits_for_the_end_of_a_line(terminal):
    opened = terminal("run", "-q", "--live", "sh", "-c", "printf 'work'; sleep 1; printf ing; sleep 1; echo .")
    assert opened.end() == (0, ["working.", ""])
    assert b"work" in opened.bytes and b"ing.\r\n" in opened.bytes


def test_live_leaves_the_alternate_screen_alone(terminal):
    opened = terminal("run", "-q", "--live", "sh", "-c", "printf '\\033[?1049h\\n'; sleep 1; printf '\\033[?1049l'")
    assert opened.end()[0] == 0
    assert opened.bytes.split(b"\x1b[?1049h")[1].split(b"\x1b[?1049l")[0] == b"\r\n"


def test_live_with_output_in_a_file(terminal, tmp_path):
    """Only the terminal goes through us: the file is the program's own."""
    program = "import os, sys, time; print(os.fstat(1).st_size, os.isatty(2)); time.sleep(1)"
    opened = terminal("run", "-q", "--live", PYTHON, "-c", program, stdout=tmp_path / "out")
    assert opened.end() == (0, [""])
    assert re.search(rb"\r0:0\d", opened.bytes)
    assert (tmp_path / "out").read_text() == "0 True\n"


@pytest.mark.parametrize("how", [{"term": "dumb"}, {"stderr": "err", "stdout": "out"}])
def test_no_live(how, terminal, tmp_path):
    how = {name: value if name == "term" else tmp_path / value for name, value in how.items()}
    opened = terminal("run", "-q", "--live", "sh", "-c", "echo text; sleep 0.6", **how)
    assert opened.end()[0] == 0
    assert opened.bytes in (b"text\r\n", b"")


def test_live_and_the_summary(terminal):
    opened = terminal("run", "--live", "--stamp", "sh", "-c", "echo one; sleep 0.6")
    status, lines = opened.end()
    assert status == 0 and re.fullmatch(f"{STAMP}one", lines[0]) and lines[1].startswith("  time ")
