"""The book as one PDF: the pages of the site behind each other, on paper by its style sheet; a browser prints it, and
qpdf packs what the browser leaves unpacked, two thirds of the file."""

import re
import shutil
import subprocess
import tempfile

from tools.book.results import BookError

# The tests use all three as well.
PACKER = shutil.which("qpdf")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars")


def as_one(pages):
    """The pages as one: links between them are links within it, and others are words."""
    names = {page.name for page in pages}
    frame = pages[0].read_text("utf-8")
    articles = []
    for page in pages:
        main = re.search(r"<main [^>]*>(.*)</main>", page.read_text("utf-8"), re.DOTALL)[1]
        main = re.sub(r'<nav class="pager".*?</nav>', "", main, flags=re.DOTALL)

        def link(match):
            file, _, anchor = match[2].partition("#")
            if not file or re.match(r"[a-z]+:", match[2]):
                return match[0]
            return f'{match[1]}href="#{anchor or file}"' if file in names else match[1]
        main = re.sub(r'(<a [^>]*?)href="([^"]*)"', link, main)
        articles.append(f'<article id="{page.name}">{main}</article>')
    head = re.sub(r"<title>.*?</title>", "<title>Moving Bytes</title>", frame[:frame.index("<body>")], count=1)
    return (f"{head}<style>article + article {{ break-before: page; }}</style><body><main>"
            + "".join(articles) + "</main></body></html>")


def print_edition(site):
    """Writes moving-bytes.pdf, and the picture that a link to the site shows, next to the pages."""
    if not BROWSER or not PACKER:
        raise BookError("the print edition needs chromium and qpdf: apt-get install chromium qpdf.")
    out = site.out / "html"
    pages = [out / name for name in site.files()]
    with tempfile.TemporaryDirectory() as profile:
        whole = out / "whole.html"  # next to the style sheet, for the time of printing
        try:
            whole.write_text(as_one(pages), encoding="utf-8")
            browser = [BROWSER, *QUIET, f"--user-data-dir={profile}"]
            printed = f"{profile}/printed.pdf"
            for command in ([*browser, f"--print-to-pdf={printed}", "--no-pdf-header-footer",
                             "--generate-pdf-document-outline", whole.as_uri()],
                            [PACKER, "--object-streams=generate", printed, out / "moving-bytes.pdf"],
                            [*browser, f"--screenshot={out / 'preview.png'}", "--window-size=1200,630", pages[0].as_uri()]):
                subprocess.run(command, check=True, capture_output=True, timeout=300)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            raise BookError(f"the book was not printed: {error}.") from error
        finally:
            whole.unlink(missing_ok=True)
