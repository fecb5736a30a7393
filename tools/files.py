"""Files that are there whole or not at all."""

import contextlib
import fcntl
import os
import stat
import tempfile
from pathlib import Path


def write_whole(path, content):
    """Puts text or bytes in the place of the file. What is written first has a name of its own beside it, which did not
    exist before: no link that somebody planted is written through, and a full disk leaves what was there. A device or a
    pipe is written to, and stays what it is. An OSError names the file."""
    path = Path(path)
    content = content.encode() if isinstance(content, str) else content
    try:
        if os.path.lexists(path) and not any(kind(path.lstat().st_mode) for kind in (stat.S_ISREG, stat.S_ISLNK, stat.S_ISDIR)):
            path.write_bytes(content)
        else:
            _replace(path, content)
    except OSError as error:
        error.filename = str(path)
        raise


def _replace(path, content):
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(handle, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def free_name(path):
    """The path with the first number behind it that no file has."""
    count = 1
    while os.path.lexists(f"{path}-{count}"):
        count += 1
    return Path(f"{path}-{count}")


@contextlib.contextmanager
def locked(folder, waits=lambda: None):
    """Whoever holds it is alone with the folder, among those who ask; `waits` is called if somebody else is."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waits()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
