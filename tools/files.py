"""Files: what is written is there whole or not at all, and what cannot be read is a refusal that names it."""

import contextlib
import csv
import errno
import fcntl
import os
import stat
import tempfile
from pathlib import Path

from tools.words import Refused, printable


@contextlib.contextmanager
def parsing(path, line=lambda: None):
    """Makes a refusal of whatever a parser throws at a file that somebody gave; it names the file, and the line that line() knows."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, csv.Error) as error:
        place = f", line {line()}," if line() else ""
        raise Refused(f"{printable(path)}{place} cannot be read: {error}.") from error


def require_writable(path, inputs=()):
    """Refuses a path at which no file can be written, before there is work to be lost, and one that is among the inputs: the same
    device and inode. Leaves no trace."""
    path = Path(path)
    try:
        if any(path.exists() and each.exists() and path.samefile(each) for each in map(Path, inputs)):
            raise Refused(f"{printable(path)} is read, so nothing can be written to it: name another file.")
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_special(path):
            with tempfile.NamedTemporaryFile(prefix=f".{path.name[:200]}.", dir=path.parent):
                return
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Refused(f"cannot write to {printable(path)}: {why}.") from error


def _is_special(path):
    """A device or a pipe."""
    return os.path.lexists(path) and not any(kind(path.lstat().st_mode) for kind in (stat.S_ISREG, stat.S_ISLNK, stat.S_ISDIR))


def write_whole(path, content):
    """Puts text or bytes in the place of the file. What is written first has a name of its own next to it, which did not
    exist before: no link that somebody planted is written through, and a full disk leaves what was there. A device or a
    pipe is written to, and stays what it is. An OSError names the file."""
    path = Path(path)
    content = content.encode() if isinstance(content, str) else content
    try:
        if _is_special(path):
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
