"""What ./run does once all that it needs is installed: python3 -m tools DEVICE FORM [ARGUMENT...].

DEVICE is cpu or gpu; for `test` also both, as cpu,gpu.
"""

import errno
import importlib
import os
import signal
import sys

from tools import chapters, words
from tools.build import ROOT, Build
from tools.results.schema import NotResults

NOT_WRITTEN = "the text could not be written to standard output: its reader has ended, or the disk is full."
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
NO_RIGHT = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST)


def imported(module, make=lambda device, arguments: (arguments,)):
    """A form that is the main() of a module, imported when it is requested: matplotlib takes a second."""
    return lambda device, arguments: importlib.import_module(module).main(*make(device, arguments))


def record(device, arguments):
    from tools.results.record import arguments_for, main
    values = ("--rounds", "--seconds")
    asked = [word if word.startswith("-") or before in values else chapters.find(word)
             for before, word in zip(["", *arguments], arguments)]
    build = Build(device)
    build.make("all chapters", *chapters.names())
    hot = ",".join(importlib.import_module("tools.book.pages").hot(ROOT))
    return main([*(["--hot", hot] if hot else []), *arguments_for(build, ROOT, asked)])


def chapter(device, arguments):
    return chapters.run_one(Build(device), chapters.find(arguments[0]), arguments[1:])


FORMS = {
    "list": lambda device, arguments: chapters.show_list(),
    "find": lambda device, arguments: chapters.find(*arguments) and 0,
    "all": lambda device, arguments: chapters.run_all(Build(device), arguments),
    "refuse": lambda device, arguments: chapters.refuse_options(arguments) or 0,
    "chapter": chapter, "record": record,
    "book": imported("tools.book.__main__"), "docs": imported("tools.site.command"), "predict": imported("tools.predict"),
    "files": imported("own_program.driver", lambda device, arguments: (Build(device), arguments)),
    "exercise": imported("tools.exercise", lambda device, arguments: (device, arguments)),
    "compare": imported("tools.results.compare", lambda device, arguments: (arguments, ROOT)),
    "counters": imported("tools.results.counters", lambda device, arguments: (Build(device), arguments)),
    "calibrate": imported("tools.results.calibrate", lambda device, arguments: (Build, arguments)),
    "test": imported("tools.run_tests", lambda device, arguments: (device.split(","), arguments)),
}


def run(device, form, arguments):
    """The status of a form; what ends it is a sentence."""
    try:
        if sys.stdout is None:
            raise words.Refused(NOT_WRITTEN)
        status = FORMS[form](device, arguments)
        sys.stdout.flush()
        return status
    except (words.Refused, NotResults) as refused:
        print(f"run: {refused}", file=sys.stderr)
        return getattr(refused, "status", 2)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:  # nobody reads
        return 141
    except OSError as error:
        if error.errno not in NO_ROOM + NO_RIGHT:
            raise
        print("run: " + (NOT_WRITTEN if error.filename is None else
                         f"cannot write to {words.printable(error.filename)} ({error.strerror}): change its owner or permissions, use a clone "
                         "of your own, or free disk space."), file=sys.stderr)
        return 2


def main(arguments):
    # ./run set these for this process, and not for the programs that it starts.
    os.environ.pop("PYTHONSAFEPATH", None)
    os.environ["PYTHONPATH"] = os.environ.get("PYTHONPATH", "").removeprefix(str(ROOT)).removeprefix(os.pathsep)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is half written is taken away
    status = run(arguments[0], arguments[1], arguments[2:])
    try:
        sys.stdout.flush()
    except (OSError, AttributeError):  # said already; Python would say it once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
