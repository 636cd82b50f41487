import pathlib
import shutil
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "truth")]


@pytest.fixture
def tmp_path():
    """A folder that other users may enter, unlike pytest's own: some tests become nobody."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sonde-harm-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
