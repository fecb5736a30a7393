"""Shares of what takes long: together they are all, and what is no share is refused."""

import os
import unittest
from unittest import mock

from tools import share

THINGS = list(range(10))


class Share(unittest.TestCase):
    def test_without_one_it_is_all(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("MOVING_BYTES_SHARE", None)
            self.assertEqual(share.of(THINGS), THINGS)

    def test_all_shares_together_have_each_thing_once(self):
        found = []
        for which in ("1/3", "2/3", "3/3"):
            with mock.patch.dict(os.environ, MOVING_BYTES_SHARE=which):
                found += share.of(THINGS)
        self.assertEqual(sorted(found), THINGS)

    def test_no_share_is_refused(self):
        for wrong in ("0/3", "4/3", "a/3", "1", ""):
            with self.subTest(wrong), mock.patch.dict(os.environ, MOVING_BYTES_SHARE=wrong), self.assertRaises(SystemExit):
                share.of(THINGS)
