"""Through the relay, which `--stamp` and `--live` put behind the program's output: with a stamp of no letters nobody can
tell that it is there, whatever happens to whom."""

import os
import re
import time

import harm
import pytest
from test_harm_stdio import SCRIPTS, test_nobody_holds_the_pipe_open  # noqa: F401
from test_harm_terminal import (  # noqa: F401  (run here once more, with the relay)
    PROMPT,
    terminal,
    test_background_reader_is_stopped,
    test_interrupt,
    test_interrupt_that_is_caught,
    test_interrupts_are_counted_once,
    test_pipeline_is_one_job,
    test_quit,
    test_stop_and_background,
    test_stop_and_foreground,
    test_stop_many_times,
    test_terminal_modes_stay_as_the_program_left_them,
    test_terminal_that_goes_away,
)

# A live line is drawn where the terminal can erase it.
RELAYS = {"stamp": f"{harm.SONDE} run --quiet --stamp= -- ",
          "live": f"/usr/bin/env TERM=xterm {harm.SONDE} run --quiet --live -- ",
          "all": f"/usr/bin/env TERM=xterm {harm.SONDE} run --quiet --stamp= --live --mark-on=x -- "}

# The program's write has succeeded long before the disk is found full: a warning says so instead.
OTHER = {"full_stdout"}


@pytest.fixture(params=RELAYS)
def words(request):
    return RELAYS[request.param]


def without_pids(ran):
    """bash says "line 1: 1234 Killed"."""
    return ran.status, ran.out, re.sub(rb"(line \d+:) +\d+ ", rb"\1 PID ", ran.err)


def test_stop_while_the_reader_is_slow(terminal):  # noqa: F811
    """The program has ended, its output is still to be read: Ctrl-Z and Ctrl-C do what they would do to it."""
    terminal.type(f"{RELAYS['stamp']} seq 150000 | sh -c 'echo go; exec sleep 30'\n")
    terminal.settled(r"\ngo\n")
    terminal.type("\x1a")
    assert "Stopped" in terminal.wait_for(PROMPT)
    terminal.type("fg\n")
    terminal.wait_for(r"fg\n.*\n")
    time.sleep(0.3)
    terminal.type("\x03")
    terminal.wait_for(PROMPT)
    assert terminal.run("jobs") == ""


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in OTHER])
def test_shell(name, words, tmp_path):
    place = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    ran = [harm.run(["bash", "-c", SCRIPTS[name]], env={**place, "SONDE": prefix}) for prefix in ("", words)]
    assert without_pids(ran[1]) == without_pids(ran[0])
