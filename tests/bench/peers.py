"""sonde and its peers: how each is got, how it runs a command, and what it says of it afterwards.

A reader returns {"cpu_s": ..., "peak_bytes": ..., "samples": ...} with what the tool says; what it does not say is not in
there. What we work out by hand where a tool prints no total is said beside it.
"""

import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import workbench

VENV = workbench.BUILD / "bench-venv"

Tool = collections.namedtuple("Tool", "name package command read")


def said_by_sonde(path):
    shown = workbench.show(path, "--series", "cpu_s")
    totals = shown["totals"]
    return {"cpu_s": totals["cpu_s"]["value"], "peak_bytes": totals["memory_tree_peak_bytes"]["value"],
            "bracket": (totals["memory_tree_peak_bytes"].get("low"), totals["memory_tree_peak_bytes"].get("high")),
            "own_s": shown["sonde"]["own"]["cpu_s"]["value"],
            "samples": len(next(iter(shown["series"].values())))}


def said_by_time(path):
    text = open(path).read()
    user, system, kilobytes = (float(re.search(rf"{name}[^:]*: ([\d.]+)", text).group(1))
                               for name in ("User time", "System time", "Maximum resident set size"))
    return {"cpu_s": user + system, "peak_bytes": kilobytes * 1024}


def said_by_perf(path):
    found = re.search(r"^([\d.]+),msec,task-clock", open(path).read(), re.MULTILINE)
    return {"cpu_s": float(found.group(1)) / 1000} if found else {}


def said_by_hyperfine(path):
    result = json.load(open(path))["results"][0]
    said = {"cpu_s": result["user"] + result["system"]}
    if result.get("memory_usage_byte"):
        said["peak_bytes"] = max(result["memory_usage_byte"])
    return said


def said_by_psrecord(path):
    """Rows of "elapsed %CPU MB MB-virtual"; it prints no total, so we add up percent x time."""
    rows = [[float(word) for word in line.split()] for line in open(path) if line.strip() and line.lstrip()[0] != "#"]
    cpu_s = sum((b[0] - a[0]) * b[1] / 100 for a, b in zip(rows, rows[1:]))
    return {"cpu_s": cpu_s, "peak_bytes": max((row[2] for row in rows), default=0) * 1024 * 1024, "samples": len(rows)}


def said_by_mprof(path):
    """Rows of "MEM MiB time". No CPU time at all."""
    rows = [float(line.split()[1]) for line in open(path) if line.startswith("MEM")]
    return {"peak_bytes": max(rows, default=0) * 1024 * 1024, "samples": len(rows)}


TOOLS = [
    Tool("sonde", None, lambda out, words: [workbench.SONDE, "run", "--quiet", "-o", out, "--", *words], said_by_sonde),
    Tool("GNU time", "apt time", lambda out, words: ["/usr/bin/time", "-v", "-o", out, *words], said_by_time),
    Tool("perf stat", "apt linux-perf",
         lambda out, words: ["perf", "stat", "-x", ",", "-e", "task-clock", "-o", out, "--", *words], said_by_perf),
    Tool("hyperfine", "apt hyperfine",
         lambda out, words: ["hyperfine", "-N", "-i", "--runs", "1", "--style", "none", "--export-json", out,
                             shlex.join(words)], said_by_hyperfine),
    Tool("psrecord", "pip psrecord psutil",
         lambda out, words: [str(VENV / "bin/psrecord"), "--log", out, "--interval", "0.1", "--include-children",
                             shlex.join(words)], said_by_psrecord),
    Tool("mprof", "pip memory_profiler psutil",
         lambda out, words: [str(VENV / "bin/mprof"), "run", "-C", "-T", "0.1", "-o", out, *words], said_by_mprof),
]
WAITING = Tool("sonde", None, lambda out, words: [workbench.SONDE, "run", "--wait", "--quiet", "-o", out, "--", *words],
               said_by_sonde)
BARE = Tool("bare", None, lambda out, words: list(words), lambda path: {})
ENV = Tool("env", None, lambda out, words: ["env", *words], lambda path: {})


def _executable(tool):
    return tool.command("out", ["true"])[0]


def _is_there(tool):
    return shutil.which(_executable(tool)) is not None


def _install(tool):
    """One attempt, quietly; root or passwordless sudo for Debian packages, a venv of our own for the others."""
    how, *packages = tool.package.split()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    if how == "apt":
        sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run([*sudo, "apt-get", "install", "-y", "-qq", *packages], env=environment, check=False, **quiet)
    else:
        if not (VENV / "bin/pip").exists():
            subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False, **quiet)
        subprocess.run([str(VENV / "bin/pip"), "install", "-q", *packages], check=False, **quiet)


def available():
    """(tools that are here now, names of those that could not be had)."""
    missing = []
    for tool in TOOLS:
        try:
            if tool.package and not _is_there(tool):
                _install(tool)
        except OSError:
            pass
        if not _is_there(tool):
            missing.append(f"{tool.name} ({tool.package or workbench.SONDE})")
    return [tool for tool in TOOLS if _is_there(tool)], missing
