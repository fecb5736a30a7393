"""An exercise and an edited kernel in Firefox, by WebDriver BiDi.

It takes firefox-esr, and what drives it, fetched for this test alone into build/puppeteer:
    npm install --prefix build/puppeteer --no-save puppeteer-core@24.43.1
"""

import json
import shutil
import subprocess
import threading
import unittest

from tests.docs.site import REPOSITORY, SITE, leave_out
from tools.site.serve import server

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PUPPETEER = REPOSITORY / "build/puppeteer/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js"


def setUpModule():
    if not (FIREFOX and PUPPETEER.exists() and (SITE / "edit" / "exercises.wasm").exists()):
        leave_out("no check in Firefox without firefox-esr, ./run docs where npm is, and npm install --prefix build/puppeteer "
                  "--no-save puppeteer-core@24.43.1")


class Firefox(unittest.TestCase):
    def test_an_exercise_wrong_and_right_and_an_edited_kernel(self):
        with server(SITE) as running:
            threading.Thread(target=running.serve_forever, daemon=True).start()
            done = subprocess.run(["node", "tests/browser/firefox.mjs", PUPPETEER, FIREFOX, f"http://127.0.0.1:{running.server_port}"],
                                  cwd=REPOSITORY, text=True, capture_output=True, timeout=800, check=False)
            running.shutdown()
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(told["starter"]["goals"], ["ok", "ok", "MISSED", "-", "-", "-", "-"])
        self.assertIn("753 of 1,009 elements are wrong", told["starter"]["below"])
        self.assertEqual(told["right"]["goals"], 6 * ["ok"] + ["-"])
        self.assertIn("Every goal that a page can check is met", told["right"]["below"])
        self.assertIn("Verified with 1,009 elements", told["figure"])
        self.assertEqual(told["wrong"], [])
