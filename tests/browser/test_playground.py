"""The playground on the site, served as ./run docs --serve does it, in a real browser."""

import base64
import contextlib
import re
import socket
import subprocess
import tempfile
import zlib

from tests.browser.served import Served
from tests.docs.test_accessibility import look
from tests.docs.site import REPOSITORY, SITE, leave_out
from tools.site.explore import offered

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

PROGRAMS = {program.partition("\n")[0].lstrip("/ "): program for program in offered(REPOSITORY)}
BUILD = REPOSITORY / "build" / "cpu"


# Every way to ask another host that a page has and a policy can refuse; how many it refused.
ASK = """
    const [there, done] = arguments, http = `http://${there}/`;
    let refused = 0;
    document.addEventListener("securitypolicyviolation", () => { ++refused; });
    fetch(http).catch(() => {});
    fetch(http, { mode: "no-cors", method: "POST", body: "x" }).catch(() => {});
    try { new WebSocket(`ws://${there}/`); } catch {}
    try { new EventSource(http); } catch {}
    try { navigator.sendBeacon(http, "x"); } catch {}
    const asked = new XMLHttpRequest();
    try { asked.open("GET", http); asked.send(); } catch {}
    import(`${http}m.js`).catch(() => {});
    for (const [tag, name] of [["img", "src"], ["script", "src"], ["iframe", "src"], ["video", "src"], ["object", "data"], ["link", "href"]]) {
      const element = document.createElement(tag);
      if (tag === "link") element.rel = "stylesheet";
      element[name] = http;
      document.body.append(element);
    }
    const form = document.createElement("form");
    form.action = http;
    document.body.append(form);
    form.submit();
    setTimeout(() => done(refused), 1500);
"""


def address(data):
    """A program as an address holds it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    return "#program=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def setUpModule():
    if not (SITE / "edit" / "waiting.wasm").exists():
        leave_out("no playground on the site: it is built by ./run docs where npm is")


class Playground(Served):
    def open(self, program=None):
        """The page anew, with a program in its address."""
        self.browser.get("about:blank")
        self.browser.get(f"http://127.0.0.1:{self.server.server_port}/page_playground.html" + (address(program.encode()) if program else ""))
        self.section = self.browser.find_element(By.ID, "playground")
        self.until(lambda: self.section.find_elements(By.CSS_SELECTOR, ".cm-content") and self.text(".busy"))

    def output(self):
        return self.section.find_element(By.CSS_SELECTOR, "[aria-label='Program output']").text

    def compiler(self):
        return self.section.find_element(By.CSS_SELECTOR, "[aria-label='Compiler output']").text

    def run_it(self):
        """What stands below when it is over."""
        self.press("Run")
        self.until(lambda: re.search(r"ended|exited|was stopped|does not compile|browser", self.text(".busy")))
        return self.output()

    def marked(self):
        return self.section.find_elements(By.CSS_SELECTOR, ".cm-lintRange-error")

    def test_each_program_counts_as_in_the_terminal(self):
        self.open()
        titles = [option.text for option in Select(self.browser.find_element(By.ID, "playground-program")).options[1:]]
        self.assertEqual(titles, list(PROGRAMS))
        for title, program in PROGRAMS.items():
            with self.subTest(title):
                Select(self.browser.find_element(By.ID, "playground-program")).select_by_visible_text(title)
                said = self.run_it()
                if "fault" in title:
                    self.assertIn("before", said)
                    self.assertNotIn("after", said)
                    self.assertRegex(said, r"kernel fill \(launched at program.cu:\d+\), block \(3, 0, 0\), thread \(232, 0, 0\): writes 4 bytes")
                    self.assertTrue(self.marked())
                    continue
                self.assertEqual(self.text(".busy"), "The program has ended.")
                if (BUILD / "compile_cuda").exists():
                    with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
                        print(program, file=file, flush=True)
                        done = subprocess.run([BUILD / "compile_cuda", file.name], text=True, capture_output=True, check=True)
                    self.assertEqual(self.rows(said), self.rows(done.stdout), said)

    @staticmethod
    def rows(said):
        """What the program printed, and the numbers of each kernel, however wide the table is."""
        program, _, told = said.strip().partition("\n\nCPU device: ")
        table = re.split(r"\n\n(?:Modelled|No time)", told)[0]
        names = re.findall(r"^(\w[\w<>]*)(?=  +\S|$)", table, flags=re.MULTILINE)
        return program, [name for name in names if name != "kernel"], sorted(re.findall(r"(?<![\w.])\d[\d.]*(?: \d{3})*(?![\w.])", table.partition("32 bytes.")[2]))

    def test_an_error_is_told_at_its_line(self):
        self.open("int main()\n{\n    return missing;\n}\n")
        self.run_it()
        self.assertIn("program.cu:3:12: error: use of undeclared identifier 'missing'", self.compiler())
        self.assertIn("It does not compile", self.text(".busy"))
        self.assertTrue(self.marked())

    def test_what_a_page_has_not_is_refused_by_a_sentence(self):
        for line, sentence in (("#include <thread>", "A page cannot start host threads."), ("#include <fstream>", "A page cannot access files."),
                               ("#include <cublas_v2.h>", "A page has no CUDA libraries."),
                               ('__device__ int lane() { int y; asm("mov.u32 %0, %%laneid;" : "=r"(y)); return y; }',
                                "A page has no PTX special registers. On your machine, ./run FILE runs such a program.")):
            with self.subTest(line=line):
                self.open(f"{line}\nint main() {{}}\n")
                self.run_it()
                self.assertIn(sentence, self.compiler())

    def test_a_barrier_that_is_missing_is_told(self):
        text = list(PROGRAMS.values())[2].replace("    __syncthreads(); // take it away, and see\n", "    __syncwarp();\n")
        self.open(text)
        said = " ".join(self.run_it().split())
        line = text[:text.index("cudaMalloc(&out")].count("\n") + 1
        self.assertIn(f"byte 4 of allocation 2 (65536 bytes, made at program.cu:{line})", said)
        self.assertRegex(said, r"Warning: kernel transpose<0> .* uses byte 128 of __shared__ tile at program.cu:\d+, which thread \(0, 1, 0\) "
                         r"writes at program.cu:\d+ with no __syncthreads\(\) in between")

    def test_a_barrier_that_some_threads_do_not_reach_is_a_fault(self):
        self.open("__global__ void k()\n{\n    if (threadIdx.x < 16)\n        __syncthreads();\n    else\n        __syncthreads();\n}\n"
                  "int main()\n{\n    k<<<1, 32>>>();\n    cudaDeviceSynchronize();\n}\n")
        said = " ".join(self.run_it().split())
        self.assertIn("divergent barrier: thread (0, 0, 0) and 15 others wait at the barrier at program.cu:4", said)

    def test_an_endless_loop_is_stopped_and_the_page_answers_meanwhile(self):
        self.open("#include <cstdio>\nint main()\n{\n    for (volatile int i = 0;; i = i + 1)\n        if (i % 100 == 0)\n"
                  "            std::printf(\"%d\\n\", i);\n}\n")
        self.press("Run")
        self.until(lambda: "output truncated" in self.output())
        self.assertEqual(self.text(".busy"), "Running …")
        self.press("Stop")
        self.assertEqual(self.text(".busy"), "Stopped.")
        self.assertLess(len(self.output()), 300_000)

    def test_the_address_holds_the_program_and_runs_nothing(self):
        text = "// ½ <script>alert(1)</script>\n#include <cstdio>\nint main() { std::puts(\"here\"); return 3; }\n"
        self.open(text)
        self.assertEqual(self.text(".busy"), "This program is from the address. It has not run yet.")
        self.assertEqual(self.output(), "")
        self.press("Make a link")
        self.until(lambda: "now contains the program" in self.text(".busy"))
        self.assertIn("#program=", self.browser.current_url)
        self.browser.refresh()
        self.section = self.browser.find_element(By.ID, "playground")
        self.until(lambda: "is from the address" in self.text(".busy"))
        self.assertIn("½ <script>alert(1)</script>", self.text(".cm-content"))
        self.assertIn("here", self.run_it())
        self.assertEqual(self.text(".busy"), "The program exited with status 3.")

    def test_a_program_that_came_with_the_address_takes_no_other_s_place(self):
        kept = "return JSON.parse(localStorage.getItem('playground') ?? '[]')"
        self.open()
        self.browser.execute_script("localStorage.setItem('playground', '// my own\\nint main() {}\\n')")  # as it was kept once
        self.open("// foreign\nint main() { return 1; }\n")
        self.assertIn("// foreign", self.text(".cm-content"))
        self.open()
        self.assertIn("// my own", self.text(".cm-content"))
        self.open("// foreign\nint main() { return 1; }\n")
        self.change("return 1", "return 2")
        self.assertEqual(self.browser.execute_script(kept), ["// foreign\nint main() { return 2; }\n", "// my own\nint main() {}\n"])
        Select(self.browser.find_element(By.ID, "playground-program")).select_by_visible_text("my own")
        self.assertIn("// my own", self.text(".cm-content"))
        self.change("int main", "long main")
        self.assertEqual(self.browser.execute_script(kept), ["// my own\nlong main() {}\n", "// foreign\nint main() { return 2; }\n"])
        self.browser.execute_script("localStorage.removeItem('playground')")

    def test_a_kernel_that_waits_for_ever_has_the_native_sentence(self):
        self.open("__global__ void k(volatile int* flag)\n{\n    while (*flag == 0) {\n    }\n}\n"
                  "int main()\n{\n    int* flag;\n    cudaMalloc(&flag, 4);\n    cudaMemset(flag, 0, 4);\n    k<<<1, 32>>>(flag);\n"
                  "    return cudaDeviceSynchronize();\n}\n")
        said = " ".join(self.run_it().split())
        self.assertIn("has accessed only the same addresses for", said)
        self.assertNotIn("Stopped by the browser", said)

    def test_an_address_that_is_damaged_or_much_too_long_is_refused(self):
        for fragment in ("#program=%%%", "#program=AAAA", address(b"\xff\xfe"), address(b" " * (64 << 20))):
            with self.subTest(fragment=fragment[:40]):
                self.browser.get("about:blank")
                self.browser.get(f"http://127.0.0.1:{self.server.server_port}/page_playground.html{fragment}")
                self.section = self.browser.find_element(By.ID, "playground")
                self.until(lambda: "cannot be read" in self.text(".busy"))

    def test_a_program_reaches_its_memory_and_nothing_else(self):
        """Its module imports the CPU device, and of the system an output, a clock and its like: names that a page defines."""
        self.open("#include <cstdio>\n#include <cstdlib>\n__attribute__((import_module(\"page\"), import_name(\"fetch\"))) extern \"C\" void go(const char*);\n"
                  "int main() { go(\"/index.html\"); }\n")
        self.run_it()
        self.assertIn("A page has no page.fetch", self.compiler())
        for name in ("constructor", "__proto__", "toString", "sock_open"):
            self.open(f"__attribute__((import_module(\"wasi_snapshot_preview1\"), import_name(\"{name}\"))) extern \"C\" int go();\n"
                      "int main() { return go(); }\n")
            self.run_it()
            self.assertIn(f"A page has no wasi_snapshot_preview1.{name}", self.compiler())
        self.open("#include <cstdio>\n#include <cstdlib>\n#include <vector>\nint main()\n{\n    for (std::size_t all = 0;; all += 1 << 26) {\n"
                  "        void* volatile more = std::malloc(1 << 26);\n        if (more == nullptr) {\n"
                  "            std::printf(\"%zu MiB, %s\\n\", all >> 20, std::getenv(\"HOME\") ? \"home\" : \"no home\");\n            return 0;\n        }\n    }\n}\n")
        told = re.search(r"(\d+) MiB, no home", self.run_it())
        self.assertLess(int(told[1]), 2048)

    def test_nothing_that_a_page_asks_of_elsewhere_leaves_it(self):
        heard = []
        with socket.create_server(("127.0.0.1", 0)) as elsewhere:
            elsewhere.settimeout(1)
            self.open()
            refused = self.browser.execute_async_script(ASK, f"127.0.0.1:{elsewhere.getsockname()[1]}")
            with contextlib.suppress(TimeoutError):
                while True:  # a browser may connect before it asks its policy, and says nothing then
                    client, _ = elsewhere.accept()
                    client.settimeout(0.2)
                    with client, contextlib.suppress(TimeoutError):
                        heard.append(client.recv(100))
        self.assertEqual(b"".join(heard), b"")
        self.assertGreaterEqual(refused, 12)
        self.browser.get_log("browser")  # in which the refusals stand

    def test_it_fits_and_is_read_in_both_themes(self):
        self.open(list(PROGRAMS.values())[4])
        self.run_it()
        look(self)

    def test_from_a_disk_it_says_how_it_can_run(self):
        self.browser.get((SITE / "page_playground.html").as_uri())
        self.section = self.browser.find_element(By.ID, "playground")
        self.until(lambda: "./run docs --serve" in self.text(".busy"))
