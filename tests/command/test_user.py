"""The fixture itself: a test as "somebody without rights" must not run with rights."""

import os

from conftest import NOBODY


def test_user_has_no_rights(user):
    ran = user("run", "--quiet", "id", "-u")
    assert ran.status == 0, ran.err
    assert int(ran.out) == (NOBODY if os.geteuid() == 0 else os.geteuid())
    locked = user.home.parent / "locked"
    locked.touch(mode=0o000)
    assert user("run", "--quiet", "cat", locked).status != 0
