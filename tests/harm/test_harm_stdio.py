"""Bytes through stdin, stdout and stderr, pipes whose other end goes away."""

import os
import random
import subprocess

import harm
import pytest
from harm import both, shell_both


@pytest.mark.parametrize("size", [0, 1, 4096, 1_000_003])
def test_bytes_pass(size, tmp_path):
    data = random.Random(size).randbytes(size)
    ran, _ = both(["cat"], tmp_path / "run.sonde", stdin=data)
    assert ran.out == data


SCRIPTS = {
    "stderr": "$SONDE sh -c 'printf \"\\377\\0\\033[31mred\" >&2'",
    "mixed": "$SONDE sh -c 'echo 1; echo 2 >&2; echo 3' 2>&1",
    "closed_stdin": "$SONDE cat 0<&-; echo $?",
    "closed_stdout": "$SONDE /bin/echo hello 1>&-; echo $?",
    "closed_stderr": "$SONDE sh -c 'echo a; echo b >&2' 2>&-; echo $?",
    "full_device": "$SONDE sh -c 'echo a > /dev/full'; echo $?",
    "full_stdout": "$SONDE /bin/echo a > /dev/full; echo $?",
    "early_closing_reader": "$SONDE yes | head -1; echo ${PIPESTATUS[0]}",
    "reader": "seq 100000 | $SONDE head -1; echo ${PIPESTATUS[@]}",
    "middle": "seq 100000 | $SONDE grep 7 | tail -1; echo ${PIPESTATUS[@]}",
    "rest_of_stdin": "printf 'a\\nb\\nc\\n' | { $SONDE sh -c 'read x; echo $x'; cat; }",
    "here_document": "$SONDE cat <<< 'text'",
    "command_substitution": "x=$($SONDE printf 'a b'); echo \"[$x]\"",
    "process_substitution": "$SONDE cat <(echo one) <(echo two)",
    "extra_descriptors": "$SONDE sh -c 'echo three >&3; cat <&4' 3>&1 4<<< four",
    "background": "$SONDE sh -c 'sleep 0.2; exit 3' & wait $!; echo $?",
    "two_at_once": "$SONDE sh -c 'exit 4' & one=$!; $SONDE sh -c 'exit 5' & wait $one; echo $?; wait $!; echo $?",
    "timeout": "timeout 0.5 $SONDE sleep 30; echo $?",
    "timeout_kill": "timeout -s KILL 0.5 $SONDE sleep 30 2>/dev/null; echo $?",
    "timeout_foreground": "timeout --foreground 0.5 $SONDE sleep 30; echo $?",
    "timeout_ignored": "timeout -k 0.5 0.5 $SONDE sh -c 'trap \"\" TERM; sleep 3 & wait; wait' 2>/dev/null; echo $?",
    "nohup": "nohup $SONDE sh -c 'kill -HUP $$; echo alive' 2>/dev/null",
    "setsid": "setsid -w $SONDE sh -c 'echo $?; exit 3'; echo $?",
    "exec": "(exec $SONDE sh -c 'exit 9'); echo $?",
    "xargs": "seq 5 | xargs -n 1 -P 3 $SONDE sh -c 'exit $(( $1 > 3 ))' x; echo $?",
    "time_of_many": "for i in 1 2 3 4 5; do $SONDE true || echo bad; done; echo $?",
    "nice": "nice -n 3 $SONDE nice",
    "trap_int": "$SONDE bash -c 'trap \"echo int\" INT; kill -INT $$; echo on'; echo $?",
    "subshell_killed": "$SONDE bash -c 'kill -9 $$' 2>/dev/null; echo $?",
    "no_path": "PATH= $SONDE /bin/echo a; echo $?",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_shell(name, tmp_path):
    # Two runs at once must not write to one recording: the default place names them by itself.
    at_once = name in ("two_at_once", "xargs", "rest_of_stdin", "time_of_many")
    if at_once:
        prefix = f"{harm.SONDE} run --quiet --"
        place = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
        ran = [harm.run(["bash", "-c", SCRIPTS[name]], env={**place, "SONDE": words}) for words in ("", prefix)]
        assert (ran[1].status, ran[1].out, ran[1].err) == (ran[0].status, ran[0].out, ran[0].err)
    else:
        shell_both(SCRIPTS[name], tmp_path)


def test_nobody_holds_the_pipe_open(tmp_path):
    """When the program closes its stdout, the reader sees the end at once, though sonde is still there."""
    started = subprocess.Popen(harm.under(["sh", "-c", "echo last; exec 1>&- 2>&-; sleep 3"], tmp_path / "run.sonde"),
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert started.stdout.read() == b"last\n"
    assert started.poll() is None, "the end came only with the program's"
    started.kill()
    started.wait()


def test_daemon_does_not_hang_the_reader(tmp_path):
    """$(sonde run daemon) returns when the program ends, because nothing of sonde's lives on with our pipes."""
    script = "$SONDE sh -c 'sleep 5 >/dev/null 2>&1 & echo started' | cat"
    shell_both(script, tmp_path, timeout=4)


def test_nested(tmp_path):
    inner, outer = tmp_path / "inner.sonde", tmp_path / "outer.sonde"
    ran = harm.run(harm.under(harm.under(["sh", "-c", "echo out; exit 6"], inner), outer))
    assert (ran.status, ran.out, ran.err) == (6, b"out\n", b"")
    assert [harm.workbench.show(path)["run"]["complete"] for path in (inner, outer)] == [True, True]
