"""tools/captures: what it draws of a screen, and the pictures that are kept in docs/."""

import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def captures():
    loader = importlib.machinery.SourceFileLoader("captures", str(ROOT / "tools" / "captures"))
    spec = importlib.util.spec_from_loader("captures", loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def drawn(captures, *lines, palette="dark", columns=80):
    text = captures.draw("a picture", list(lines), columns, captures.PALETTES[palette])
    return xml.etree.ElementTree.fromstring(text)


def words(picture):
    return [text.text for text in picture.iter(f"{SVG}text")]


def test_words_and_places(captures):
    picture = drawn(captures, "$ sonde show", "", "  a <b> & 'c'")
    assert words(picture) == ["$ sonde show", "a <b> & 'c'"]
    first, second = picture.iter(f"{SVG}text")
    assert float(second.get("x")) - float(first.get("x")) == pytest.approx(2 * captures.WIDE)
    assert float(second.get("y")) - float(first.get("y")) == pytest.approx(2 * captures.HIGH)
    assert float(first.get("textLength")) == pytest.approx(12 * captures.WIDE)
    assert float(picture.get("width")) == pytest.approx(80 * captures.WIDE + 2 * captures.EDGE)


def test_columns_far_apart_keep_their_places(captures):
    picture = drawn(captures, "left" + 30 * " " + "right")
    left, right = picture.iter(f"{SVG}text")
    assert float(right.get("x")) - float(left.get("x")) == pytest.approx(34 * captures.WIDE, abs=0.02)


@pytest.mark.parametrize("palette", ["dark", "light"])
def test_colours(captures, palette):
    picture = drawn(captures, "a\x1b[1mb\x1b[0mc\x1b[31md\x1b[39me\x1b[2mf\x1b[0m\x1b[1;31mg\x1b[0m",
                    palette=palette)
    colours = captures.PALETTES[palette]
    found = {text.text: (text.get("fill"), text.get("font-weight")) for text in picture.iter(f"{SVG}text")}
    assert found == {"a": (colours["plain"], None), "b": (colours["strong"], "bold"),
                     "c": (colours["plain"], None), "d": (colours[31], None),
                     "e": (colours["plain"], None), "f": (colours["faint"], None),
                     "g": (colours[31], "bold")}


@pytest.mark.parametrize("character, dots", [("\u2801", 1), ("\u28ff", 8), ("\u2840", 1), ("\u28c0", 2)])
def test_dots(captures, character, dots):
    picture = drawn(captures, character)
    path, = picture.iter(f"{SVG}path")
    assert path.get("d").count("h0") == dots and words(picture) == []


def test_too_long_a_page_says_so(captures):
    assert words(drawn(captures, *["line"] * 500))[-1] == "..."


def test_unknown_picture():
    ran = subprocess.run([sys.executable, ROOT / "tools" / "captures", "elephant"], text=True,
                         capture_output=True, check=False)
    assert ran.returncode == 1 and "no picture 'elephant'" in ran.stderr and "hint:" in ran.stderr


def test_kept_pictures(captures):
    """All are there, all can be read, and none names the machine that it was made on."""
    wanted = {f"{name}-{palette}.svg" for name, _, _, _, palettes in captures.SHOTS for palette in palettes}
    assert {path.name for path in captures.PICTURES.iterdir()} == wanted
    for path in captures.PICTURES.iterdir():
        text = path.read_text()
        xml.etree.ElementTree.fromstring(text)
        said = "\n".join(words(xml.etree.ElementTree.fromstring(text)))
        assert said.startswith(("$ sonde ", "$ LC_ALL=C sonde ")), path.name
        assert "command not found" not in said and "cannot" not in said.split("\n")[1], path.name
        assert set(re.findall(r" on (\S+) by (\S+)$", said, re.MULTILINE)) <= {("node7", "ann")}
        foreign = [place for place in re.findall(r"(?<![\w.])/[a-z][\w./-]*", said)
                   if not place.startswith(("/home/ann", "/tmp/tmp.", "/proc/", "/sys/", "/bin/sh", "/dev/null"))]
        assert foreign == [], path.name
