"""export --format openmetrics and --textfile: read by Debian's promtool and by a real Prometheus."""

import calendar
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import time
import urllib.parse
import urllib.request

import pytest

PROMTOOL, PROMETHEUS = shutil.which("promtool"), shutil.which("prometheus")
WORK = "head -c 2000000 /dev/zero > out; for i in 1 2 3 4; do sleep 0.4; done; exit 3"
EVIL = 'a "quote", a \\ and\ntwo lines \x1b[2J'
ROOT = pathlib.Path(__file__).resolve().parents[2]

needs_promtool = pytest.mark.skipif(not PROMTOOL, reason="promtool is not installed")
needs_prometheus = pytest.mark.skipif(not (PROMTOOL and PROMETHEUS),
                                      reason="prometheus or promtool is not installed")


@pytest.fixture
def fit(sonde):
    ran = sonde("run", "--name", EVIL, "--tag", "size=large", "--tag", "jobName=x", "--tag",
                "job-name=y", "sh", "-c", WORK, env={"SLURM_JOB_ID": "4711"})
    assert ran.status == 3, ran.err
    return ran


@pytest.fixture
def quick(sonde):
    ran = sonde("run", "true")
    assert ran.status == 0, ran.err
    return ran


def samples(text):
    """{(name, labels as they stand): [(time, value), ...]}; nothing else may be there."""
    found = {}
    lines = text.splitlines()
    assert lines[-1] == "# EOF"
    for line in lines[:-1]:
        if line.startswith("# "):
            assert line.split()[1] in ("HELP", "TYPE", "UNIT"), line
            continue
        name, labels, value, stamp = re.fullmatch(r"(\w+)\{(.*)\} (\S+) (\S+)", line).groups()
        found.setdefault((name, labels), []).append((float(stamp), float(value)))
    return found


def check_metrics(text):
    ran = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True,
                         timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_says_what_was_recorded(sonde, fit):
    found = samples(sonde("export", "--format", "openmetrics", "--step", "1ms").out)
    run = json.loads(sonde("show", "--json", "--series", "all").out)
    start = calendar.timegm(time.strptime(run["run"]["started"], "%Y-%m-%dT%H:%M:%SZ"))
    by_name = {name: points for (name, _), points in found.items()}
    for series, name in [("memory_tree_bytes", "sonde_memory_tree_bytes"),
                         ("cpu_s", "sonde_cpu_seconds_total"), ("cores", "sonde_cores")]:
        expected = [(start + t, v) for t, v in run["series"][series] if v is not None]
        assert [v for _, v in by_name[name]] == [v for _, v in expected]
        for (got, _), (there, _) in zip(by_name[name], expected):
            assert 0 <= got - there < 0.00101
    for total, name in [("wall_s", "sonde_run_wall_seconds"), ("processes", "sonde_run_processes"),
                        ("io_write_bytes", "sonde_run_io_write_bytes")]:
        assert [v for _, v in by_name[name]] == [run["totals"][total]["value"]]
    for figure, name in [("gpu_s", "gpu"), ("energy_j", "energy"), ("co2e_g", "co2e")]:
        assert run["totals"][figure]["how"] == "absent"
        assert not any(name in family for family in by_name)
    assert by_name["sonde_run_exit_status"][0][1] == 3


def test_labels(sonde, fit):
    run = json.loads(sonde("show", "--json").out)["run"]
    name = 'a \\"quote\\", a \\\\ and\\ntwo lines \\\\x1b[2J'
    expected = (f'run="{run["id"]}",name="{name}",host="{run["host"]}",job_id="4711",'
                'tag_job_name="y",tag_jobname="x",tag_size="large"')
    ran = sonde("export", "--format", "openmetrics")
    assert "\x1b" not in ran.out
    assert all(labels.startswith(expected) for _, labels in samples(ran.out))


@pytest.mark.parametrize("step, apart", [("1s", 1), ("2s", 2), ("250ms", 0.25)])
def test_step(sonde, fit, step, apart):
    found = samples(sonde("export", "--format", "openmetrics", "--step", step).out)
    whole = samples(sonde("export", "--format", "openmetrics", "--step", "1ms").out)
    for series, points in whole.items():
        if series[0].startswith("sonde_run_"):
            continue
        last = {}
        for stamp, value in points:
            last[-(-round(stamp * 1000) // round(apart * 1000)) * apart] = value
        assert found[series] == sorted(last.items())


@needs_promtool
def test_check_metrics(sonde, fit, tmp_path):
    assert sonde("export", "-o", "fit.om").status == 0  # the name says the format
    check_metrics((tmp_path / "fit.om").read_text())
    assert sonde("export", "--textfile", "fit.prom").status == 0
    check_metrics((tmp_path / "fit.prom").read_text())


@pytest.fixture
def prometheus(tmp_path):
    """prometheus(blocks): starts one on that directory, and returns a function that asks it."""
    running = []

    def start(blocks):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"127.0.0.1:{free.getsockname()[1]}"
        (tmp_path / "prometheus.yml").write_text("scrape_configs: []\n")
        log = open(tmp_path / "prometheus.log", "w")
        running.append(subprocess.Popen(
            [PROMETHEUS, f"--config.file={tmp_path}/prometheus.yml", f"--web.listen-address={url}",
             f"--storage.tsdb.path={blocks}", "--storage.tsdb.retention.time=10y"],
            cwd=tmp_path, stdout=log, stderr=log))
        log.close()
        await_ready(f"http://{url}/-/ready", running[0], tmp_path / "prometheus.log")
        return lambda **what: ask(f"http://{url}/api/v1/query", what)

    yield start
    for process in running:
        process.terminate()
        process.wait(timeout=60)


def await_ready(url, process, log):
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            return urllib.request.urlopen(url, timeout=5).read()
        except OSError:
            time.sleep(0.1)
    pytest.fail("Prometheus does not answer: " + log.read_text())


def ask(url, what):
    answer = urllib.request.urlopen(f"{url}?{urllib.parse.urlencode(what)}", timeout=30)
    return json.load(answer)["data"]["result"]


def unescape(labels):
    pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)
    return {name: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value)
            for name, value in pairs}


def backfill(sonde, prometheus, tmp_path, *words):
    """Exports a run, has promtool make blocks of it, and checks that a Prometheus on these answers
    every sample as it was exported, and no others. Returns the function that asks, and the samples."""
    assert sonde("export", "-f", "openmetrics", "-o", "fit.om", *words).status == 0
    made = subprocess.run([PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", "fit.om", "blocks"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    exported = samples((tmp_path / "fit.om").read_text())
    query = prometheus(tmp_path / "blocks")
    answered = {}
    for series in query(query='{__name__=~"sonde_.*"}[1h]', time=last_time(exported)):
        labels = series["metric"]
        points = [(stamp, float(value)) for stamp, value in series["values"]]
        answered[labels.pop("__name__"), frozenset(labels.items())] = points
    assert answered == {(name, frozenset(unescape(labels).items())): points
                        for (name, labels), points in exported.items()}
    return query, exported


def last_time(exported):
    return max(stamp for points in exported.values() for stamp, _ in points)


@needs_prometheus
@pytest.mark.parametrize("step", ["1s", "1ms"])
def test_backfills_prometheus(sonde, fit, prometheus, tmp_path, step):
    query, exported = backfill(sonde, prometheus, tmp_path, "--step", step)
    wall = json.loads(sonde("show", "--json").out)["totals"]["wall_s"]["value"]
    (total,) = query(query='sonde_run_wall_seconds{job_id="4711",tag_size="large"}',
                     time=last_time(exported))
    assert float(total["value"][1]) == wall


@pytest.fixture
def over_the_hour(tmp_path):
    """A recording that begins before and ends after the full hour at which Prometheus begins a new
    block, with gaps of three seconds and a metric that could not always be read."""
    path = tmp_path / "old.sonde"
    shutil.copy(ROOT / "tests/recordings/v1.sonde", path)
    recording = sqlite3.connect(path)
    recording.execute("INSERT INTO fact(section, name, kind, text) "
                      "VALUES ('run', 'started', 'text', '2026-11-16T05:59:30Z')")
    recording.commit()
    recording.close()
    return path


@needs_prometheus
def test_backfills_several_blocks(sonde, prometheus, over_the_hour, tmp_path):
    _, exported = backfill(sonde, prometheus, tmp_path, over_the_hour)
    assert len(list((tmp_path / "blocks").glob("*/meta.json"))) == 2
    run = json.loads(sonde("show", "--json", "--series", "all", over_the_hour).out)
    gaps = [t for t, value in run["series"]["cores"] if value is None]
    stamps = [stamp for (name, _), points in exported.items() for stamp, _ in points
              if name == "sonde_cores"]
    apart = [later - sooner for sooner, later in zip(stamps, stamps[1:])]
    assert len(gaps) > 0 and sum(step >= 3 for step in apart) == len(gaps)
    assert not any(name == "sonde_run_energy_joules" for name, _ in exported)  # it is absent


def test_textfile_is_replaced_at_once(sonde, quick, tmp_path):
    assert sonde("export", "--textfile", tmp_path / "fit.prom").status == 0
    first = (tmp_path / "fit.prom").read_text()
    assert "sonde_run_exit_status{" in first and "# EOF" not in first
    assert not re.search(r"\} \S+ \d", first), "a time"
    assert os.stat(tmp_path / "fit.prom").st_mode & 0o777 == 0o644
    old = os.open(tmp_path / "fit.prom", os.O_RDONLY)
    assert sonde("run", "--name", "second", "true").status == 0
    assert sonde("export", "--textfile", tmp_path / "fit.prom").status == 0
    assert os.read(old, 10_000_000).decode() == first  # who reads the old one reads all of it
    os.close(old)
    assert 'name="second"' in (tmp_path / "fit.prom").read_text()
    assert [path.name for path in tmp_path.glob("fit.prom*")] == ["fit.prom"]


@pytest.mark.parametrize("words, status, said", [
    (["--textfile", "fit.txt"], 2, "--textfile fit.txt.prom"),
    (["--textfile", ".prom"], 2, "must end in .prom"),
    (["--textfile", "fit.prom", "-o", "x"], 2, "--textfile needs no --output"),
    (["--textfile", "fit.prom", "--step", "1s"], 2, "--textfile needs no --step"),
    (["--textfile", "fit.prom", "--format", "csv"], 2, "--textfile is for openmetrics"),
    (["--textfile", "fit.prom", "nonesuch"], 1, "no run 'nonesuch'"),
    (["--textfile", "none/fit.prom"], 1, "cannot write 'none/fit.prom': No such file"),
    (["--textfile", "directory.prom"], 1, "cannot write 'directory.prom': Is a directory"),
    (["-o", "fit.prom"], 2, "--textfile instead of -o"),
    (["--format", "openmetric"], 2, "did you mean 'openmetrics'"),
    (["--format", "csv", "--step", "1s"], 2, "--step is for openmetrics, not for csv"),
    (["--format", "openmetrics", "--step", "10us"], 2, "--step 1ms is the shortest"),
    (["--format", "openmetrics", "--step", "often"], 2, "not a duration"),
    (["--format", "openmetrics", ROOT / "tests/recordings/v1.sonde"], 1, "when the run started"),
])
def test_what_cannot_be_done(sonde, quick, tmp_path, words, status, said):
    (tmp_path / "fit.prom").write_text("the old one\n")
    (tmp_path / "directory.prom").mkdir()
    before = sorted(tmp_path.iterdir())
    ran = sonde("export", *words)
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err
    assert (tmp_path / "fit.prom").read_text() == "the old one\n"
    assert sorted(tmp_path.iterdir()) == before


def test_a_directory_of_somebody_else(user):
    assert user("run", "true").status == 0
    os.chmod(user.home, 0o555)
    ran = user("export", "--textfile", "fit.prom")
    os.chmod(user.home, 0o755)
    assert ran.status == 1 and "cannot write 'fit.prom': Permission denied" in ran.err


def test_full_disk(sonde, quick):
    with open("/dev/full", "w") as full:
        ran = sonde("export", "--format", "openmetrics", stdout=full)
    assert ran.status == 1 and "cannot write" in ran.err
