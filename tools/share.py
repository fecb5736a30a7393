"""A share of what takes long: with MOVING_BYTES_SHARE=2/3 the second of every three. Without, all."""

import os


def numbers():
    """Which share, from 0, and of how many."""
    which, _, parts = os.environ.get("MOVING_BYTES_SHARE", "1/1").partition("/")
    if not (which.isdigit() and parts.isdigit() and 1 <= int(which) <= int(parts)):
        raise SystemExit(f"MOVING_BYTES_SHARE is '{which}/{parts}', and not like 2/3.")
    return int(which) - 1, int(parts)


def of(things):
    which, parts = numbers()
    return things[which::parts]
