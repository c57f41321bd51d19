"""A hub on this machine that speaks as much of the real one's protocol as a download needs."""

import hashlib
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.serving import serve_requests

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".safetensors", ".bin")


class Hub:
    """`repos` maps ids to files by name. `redirects` tells of some where they are. A file named in `stalls` stops after so many bytes, until let go."""

    def __init__(self):
        self.repos = {}
        self.stalls = {}
        self.damaged = set()
        self.endless = set()
        self.closed = set()
        self.redirects = {}
        self.asked = []
        self.address = ""
        self.release = threading.Event()

    def put(self, repo, folder):
        self.repos[repo] = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    def fetched(self, name):
        return [(file, begin) for file, begin in self.asked if file == name]


class Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body):
        path = self.path.split("?")[0]
        if match := re.fullmatch(r"/api/models/(.+?)(?:/revision/\w+)?", path):
            self.describe(match[1])
        elif match := re.fullmatch(rf"/(.+)/resolve/{COMMIT}/(.+)", path):
            self.give(self.hub.repos.get(match[1], {}).get(match[2]), match[2], with_body)
        else:
            self.refuse(404, "EntryNotFound")

    def describe(self, repo):
        if repo in self.hub.closed:
            return self.refuse(403, "GatedRepo")
        if repo not in self.hub.repos:
            return self.refuse(404, "RepoNotFound")
        siblings = [
            {"rfilename": name, "size": len(content), "blobId": "x"}
            | (
                {"lfs": {"sha256": digest(content), "size": len(content), "pointerSize": 1}}
                if name.endswith(LARGE)
                else {}
            )
            for name, content in self.hub.repos[repo].items()
        ]
        body = json.dumps(
            {"id": repo, "modelId": repo, "sha": COMMIT, "siblings": siblings, "tags": []}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def refuse(self, status, code):
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def give(self, content, name, with_body):
        if name in self.hub.redirects:
            self.send_response(302)
            self.send_header("Location", self.hub.redirects[name])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        if content is None:
            return self.refuse(404, "EntryNotFound")
        begin = int((re.match(r"bytes=(\d+)-", self.headers.get("Range", "")) or [0, 0])[1])
        self.send_response(206 if begin else 200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{digest(content)}"')
        self.send_header("Accept-Ranges", "bytes")
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        if name in self.hub.endless:
            return self.give_without_end(with_body)
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        if not with_body:
            return None
        self.hub.asked.append((name, begin))
        if name in self.hub.damaged:
            content = bytes(len(content))
        stall = self.hub.stalls.get(name, 0)
        if stall and not self.hub.release.is_set():
            self.wfile.write(content[begin:stall])
            self.wfile.flush()
            self.hub.release.wait(60)
            begin = max(begin, stall)
        self.wfile.write(content[begin:])
        return None

    def give_without_end(self, with_body):
        self.send_header("Connection", "close")
        self.end_headers()
        while with_body and not self.hub.release.is_set():
            self.wfile.write(bytes(1_000_000))

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):  # whoever downloads has been ended
            self.close_connection = True


@contextmanager
def loopback_hub():
    hub = Hub()

    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_port}"
    with serve_requests(server):
        try:
            yield hub
        finally:
            hub.release.set()


def digest(content):
    return hashlib.sha256(content).hexdigest()
