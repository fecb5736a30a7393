"""A full disk: a small one in memory, which only the command sees that fills it."""

import functools
import subprocess
import unittest

MOUNTED = 'mount -t tmpfs -o "size=$1" none "$0" && cd "$0" && shift && "$@"; status=$?; ls -A; exit "$status"'


@functools.cache
def refused():
    """Why nothing can be mounted here, or ''."""
    return subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True).stderr.strip()


def on_full_disk(folder, size, *command, **options):
    """Runs the command in the folder, in the place of which stands a disk of that size, and returns its CompletedProcess; what it leaves
    there stands behind its output. Skips the test where nothing can be mounted."""
    if refused():
        raise unittest.SkipTest(f"no disk can be mounted: {refused()}")
    return subprocess.run(["unshare", "-rm", "sh", "-c", MOUNTED, str(folder), size, *map(str, command)], capture_output=True, text=True,
                          timeout=100, **options)
