"""Programs under test in a terminal of their own."""

import os
import pty
import termios
import time


def in_a_terminal(*command, columns=60, ctrl_c_after=None):
    """Runs the command in a terminal of its own, whatever this one is; returns its status, what the
    terminal got, and whether the terminal's modes are as they were."""
    child, terminal = pty.fork()
    if child == 0:
        try:
            os.environ["TERM"] = "xterm"
            os.execvp("sh", ["sh", "-c", f'stty cols {columns} rows 24; exec "$0" "$@"', *command])
        finally:
            os._exit(127)
    before = termios.tcgetattr(terminal)
    shown, started = b"", time.monotonic()
    os.set_blocking(terminal, False)
    status = None
    while True:
        if ctrl_c_after and time.monotonic() > started + ctrl_c_after:
            os.write(terminal, b"\x03")
            ctrl_c_after = None
        try:
            shown += os.read(terminal, 65536)
        except BlockingIOError:
            time.sleep(0.02)
        except OSError:  # the child has closed its side
            break
    _, status = os.waitpid(child, 0)
    after = termios.tcgetattr(terminal)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode(), before == after
