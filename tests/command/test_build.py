"""The Makefile keeps its promises: nothing is made twice, a change makes anew what it touches."""

import os
import re
import subprocess

import pytest
from conftest import BUILD, ROOT

if BUILD != ROOT / "build":
    pytest.skip("the build under test is not the default one", allow_module_level=True)


def make(*words):
    flags = re.sub(r"-j\S*|--jobserver\S*", "", os.environ.get("MAKEFLAGS", ""))
    env = {**os.environ, "MAKEFLAGS": flags, "MAKELEVEL": "0"}
    return subprocess.run(["make", *words], cwd=ROOT, env=env, capture_output=True, text=True)


def test_second_make_does_nothing():
    ran = make("--question")
    assert ran.returncode == 0, make("--dry-run").stdout


def test_header_change_rebuilds_what_includes_it():
    ran = make("--dry-run", "--what-if=src/base/opt.h")
    made = re.findall(r"-o \S*?src/(\S+)\.o\b", ran.stdout)
    assert {"base/opt", "cmd/main", "cmd/help"} <= set(made)
    assert "base/err" not in made
    assert "-o build/sonde " in ran.stdout


def test_install_goes_below_destdir(tmp_path):
    ran = make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/sonde")
    assert ran.returncode == 0, ran.stderr
    binary = tmp_path / "opt/sonde/bin/sonde"
    said = subprocess.run([binary, "--version"], capture_output=True, text=True)
    assert said.stdout.startswith("sonde ")
    share = tmp_path / "opt/sonde/share"
    assert (share / "doc/sonde/LICENSE").exists()
    assert (share / "man/man1/sonde.1").exists() and (share / "man/man1/sonde-run.1").exists()
    for shell, path in {
        "bash": "bash-completion/completions/sonde",
        "zsh": "zsh/site-functions/_sonde",
        "fish": "fish/vendor_completions.d/sonde.fish",
    }.items():
        said = subprocess.run([binary, "completion", shell], capture_output=True, text=True)
        assert (share / path).read_text() == said.stdout


def test_help_lists_what_the_docs_name():
    listed = re.findall(r"make ([a-z-]+)", make("help").stdout)
    for target in "all install demo check check-asan lint bench fuzz format help".split():
        assert target in listed
