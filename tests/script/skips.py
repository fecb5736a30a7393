"""What cannot run here is said where `./run test` looks for it: at the beginning of a line."""


def skip(test, why):
    """Ends the test as skipped."""
    print(f"\nskipped: {why}")
    test.skipTest(why)
