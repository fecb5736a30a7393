"""The site on this machine alone: what a browser does not do for a page that is opened from a disk, it does for this."""

import functools
import http.server

FIRST_PORT = 8000


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *_):
        pass


def server(folder):
    """On the first free port from 8000 on, or on any."""
    handler = functools.partial(Quiet, directory=str(folder))
    for port in (*range(FIRST_PORT, FIRST_PORT + 10), 0):
        try:
            return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError:  # taken
            continue
    raise AssertionError("port 0 is any that is free")


def serve(folder):
    """Until it is interrupted."""
    with server(folder) as running:
        print(f"The site is at http://127.0.0.1:{running.server_port}/ until you press Ctrl-C.", flush=True)
        running.serve_forever()
