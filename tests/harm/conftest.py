import pathlib
import shutil
import signal
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "truth")]

# Who starts the tests by nohup, or in the background of a script, has these ignored, and so had every program.
for name in ("SIGHUP", "SIGINT", "SIGQUIT"):
    if signal.getsignal(signal.Signals[name]) == signal.SIG_IGN:
        signal.signal(signal.Signals[name], signal.SIG_DFL)


@pytest.fixture
def tmp_path():
    """A folder that other users may enter, unlike pytest's own: some tests become nobody."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sonde-harm-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
