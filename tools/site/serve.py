"""The site on this machine alone: what a browser does not do for a page that is opened from a disk, it does for this."""

import functools
import http.server
import sys
from http import HTTPStatus

FIRST_PORT = 8000


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".wasm": "application/wasm"}

    timeout = 30  # seconds, after which a client that says nothing is dropped

    def log_message(self, *_):
        pass

    def send_head(self):
        try:
            return super().send_head()
        except ValueError:  # a name that no file can have
            self.send_error(HTTPStatus.NOT_FOUND)
            return None


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # a client that has left is none
            super().handle_error(request, client_address)


def server(folder):
    """On the first free port from 8000 on, or on any."""
    handler = functools.partial(Quiet, directory=str(folder))
    for port in (*range(FIRST_PORT, FIRST_PORT + 10), 0):
        try:
            return Server(("127.0.0.1", port), handler)
        except OSError:  # taken
            continue
    raise AssertionError("port 0 is any that is free")


def serve(folder):
    """Until it is interrupted."""
    with server(folder) as running:
        print(f"The site is at http://127.0.0.1:{running.server_port}/ until you press Ctrl-C.", flush=True)
        running.serve_forever()
