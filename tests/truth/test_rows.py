"""Who did it: what a process did itself stands in its own row, not in its parent's and not in its child's."""

import pathlib
import subprocess
import sys
import tempfile

import workbench
from workbench import SONDE


def rows_of(*command):
    with tempfile.TemporaryDirectory(dir=workbench.BUILD) as name:
        recording = pathlib.Path(name) / "run.sonde"
        subprocess.run([SONDE, "run", "-q", "-o", str(recording), "--", *command], check=True, timeout=60)
        shown = workbench.show(recording)
    named = {}
    for process in shown["processes"]:
        for metric, figure in process["totals"].items():
            if figure["value"] is not None:
                totals = named.setdefault(process["name"], {})
                totals[metric] = totals.get(metric, 0) + figure["value"]
    return named, {name: figure["value"] for name, figure in shown["totals"].items()}


def test_a_shell_has_not_done_what_its_children_did():
    """Each dd reads 1.3 GB in about 0.2 s and ends between two looks."""
    script = "for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=64k count=20000 2>/dev/null; done; sleep 0.3"
    rows, totals = rows_of("sh", "-c", script)
    assert rows["sh"]["io_read_bytes"] < 1e6, rows
    assert rows["dd"]["io_read_bytes"] > 0.99 * 3 * 65536 * 20000, rows
    assert rows["sh"]["cpu_s"] < 0.1 * totals["cpu_s"], rows


def test_a_parent_has_done_what_it_did_itself():
    """It hands 400 MB to children through pipes, and then sleeps, so that a look sees it all."""
    script = ("import subprocess, time; data = bytes(10_000_000)\n"
              "for i in range(40): subprocess.run(['wc', '-c'], input=data, stdout=subprocess.DEVNULL)\n"
              "time.sleep(1.5)")
    rows, totals = rows_of(sys.executable, "-c", script)
    parent = next(name for name in rows if name.startswith("python"))
    assert abs(rows[parent]["io_write_bytes"] - 400e6) < 2e6, rows
    # Less where a child came and went between two looks, and nobody saw what it read; never more.
    assert sum(row.get("io_read_bytes", 0) for row in rows.values()) < totals["io_read_bytes"] + 2e6, (rows, totals)


def test_a_parent_that_ends_with_its_child_has_only_its_own():
    """The child lives until the end, is waited for after the last look, and its time must not be the parent's, too."""
    burn = "import time\nwhile time.process_time() < 0.4: pass"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}], executable='/proc/self/exe')"
    with tempfile.TemporaryDirectory(dir=workbench.BUILD) as name:
        recording = pathlib.Path(name) / "run.sonde"
        subprocess.run([SONDE, "run", "-q", "-o", str(recording), "--", sys.executable, "-c", script], check=True, timeout=60)
        shown = workbench.show(recording)
    own = [process["totals"]["cpu_s"]["value"] for process in sorted(shown["processes"], key=lambda p: p["id"])]
    total = shown["totals"]["cpu_s"]["value"]
    assert abs(sum(own) - total) < 0.01 + 0.02 * total, (own, total)
    assert own[0] < 0.2 * total, f"the parent has its child's: {own} of {total}"


def test_a_parent_that_ends_with_its_children_between_two_looks():
    """What the grandparent then has is the children's, who have rows of their own, and not the parent's once more."""
    script = ("import os, time\n"
              "hold, go = os.pipe()\n"
              "for i in range(3):\n"
              "    if os.fork() == 0:\n"
              "        os.close(go)\n"
              "        with open('/dev/zero', 'rb', buffering=0) as zero:\n"
              "            for k in range(64): zero.read(1_000_000)\n"
              "        os.read(hold, 1)\n"
              "        os._exit(0)\n"
              "time.sleep(0.8)\n"
              "os.close(go)\n"
              "for i in range(3): os.wait()\n")
    rows, totals = rows_of("sh", "-c", f'{sys.executable} -c "{script}"; sleep 0.4')
    told = sum(row.get("io_read_bytes", 0) for row in rows.values())
    assert told <= totals["io_read_bytes"] + 2e6, (rows, totals)
    assert told > 0.99 * 3 * 64e6, (rows, totals)
