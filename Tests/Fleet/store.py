"""OpenStack Swift with its S3 interface on loopback ports, and a proxy that keeps only half of an upload."""

import hashlib
import http.client
import http.server
import os
import subprocess
import threading

from theatre import answers, run, wait_for

# Debian's Python has Swift's modules.
PYTHON = "/usr/bin/python3"
# Swift reads /etc/swift/swift.conf, wherever its other files are. This sets another directory.
LAUNCHER = """
import runpy, sys
from swift.common import utils
utils.set_swift_dir(sys.argv[1])
program, sys.argv = sys.argv[2], sys.argv[2:]
runpy.run_path(program, run_name="__main__")
"""
ACCESS, SECRET = "recordings:writer", "nobodys-secret"

BACKEND = """[DEFAULT]
bind_ip = {address}
bind_port = {port}
swift_dir = {directory}
devices = {directory}/nodes
mount_check = false
user = {user}
workers = 0
log_name = {kind}
log_address = {directory}/no-syslog
disable_fallocate = true
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
log_requests = false
"""

PROXY = """[DEFAULT]
bind_ip = {listen}
bind_port = {port}
swift_dir = {directory}
user = {user}
workers = {workers}
log_name = proxy
[pipeline:main]
pipeline = catch_errors proxy-logging cache listing_formats bulk s3api tempauth slo dlo proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# Without this the proxy would ignore the only device for a minute after a restart.
error_suppression_limit = 100000
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
check_bucket_owner = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_recordings_writer = {secret} .admin
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = {address}:{memcached}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


class Store:
    """A Swift with one device and one replica. `prefix` is a command in front of each server's command."""

    def __init__(self, theatre, listen="127.0.0.1", prefix=()):
        self.theatre, self.prefix, self.listen = theatre, list(prefix), listen
        self.directory = theatre.path("store", "nodes", "disk", ".keep").parents[2]
        self.launcher = theatre.write("store/launch.py", LAUNCHER)
        self.ports = {kind: theatre.port() for kind in
                      ("object", "container", "account", "proxy", "memcached")}
        self.servers = []
        self._configure()
        self.start()

    def _configure(self):
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        common = {"address": "127.0.0.1", "listen": self.listen, "directory": self.directory,
                  "user": user, "secret": SECRET, "workers": 0, "memcached": self.ports["memcached"]}
        self.theatre.write("store/swift.conf", "[swift-hash]\nswift_hash_path_suffix = fleet\n"
                           "[storage-policy:0]\nname = plain\ndefault = yes\n")
        for kind in ("object", "container", "account"):
            self.theatre.write(f"store/{kind}.conf",
                               BACKEND.format(kind=kind, port=self.ports[kind], **common))
            builder = self.directory / f"{kind}.builder"
            for words in (["create", "6", "1", "1"],
                          ["add", "--region", "1", "--zone", "1", "--ip", "127.0.0.1", "--port",
                           str(self.ports[kind]), "--device", "disk", "--weight", "1"],
                          ["rebalance"]):
                run(["swift-ring-builder", builder, *words], env=self.theatre.environment())
        self.theatre.write("store/proxy.conf", PROXY.format(port=self.ports["proxy"], **common))

    @property
    def address(self):
        return f"http://{self.listen}:{self.ports['proxy']}"

    def start(self):
        memory = ["memcached", "-l", "127.0.0.1", "-p", self.ports["memcached"], "-m", "32"]
        if os.geteuid() == 0:
            memory += ["-u", "nobody"]
        self.servers = [self.theatre.start("memcached", self.prefix + memory)]
        backends = ("object", "container", "account")
        for kind in (*backends, "proxy"):
            self.servers.append(self.theatre.start(
                "swift-" + kind, self.prefix
                + [PYTHON, self.launcher, self.directory, f"/usr/bin/swift-{kind}-server",
                   self.directory / f"{kind}.conf", "-v"]))
        if not self.prefix:
            # While the account server does not answer, the proxy reports that the bucket does not exist.
            for kind in backends:
                wait_for(lambda: answers(f"http://127.0.0.1:{self.ports[kind]}/"), 20,
                         f"the {kind} server of the object store answers")
            self.await_start()

    def await_start(self):
        wait_for(lambda: answers(self.address + "/healthcheck"), 20, "the object store answers")

    def stop(self):
        for server in self.servers:
            self.theatre.stop(server)
        self.servers = []

    def environment(self, address=None, secret=SECRET):
        """Returns the settings of rclone for a remote named "store"."""
        return {"RCLONE_CONFIG_STORE_TYPE": "s3", "RCLONE_CONFIG_STORE_PROVIDER": "Other",
                "RCLONE_CONFIG_STORE_ACCESS_KEY_ID": ACCESS,
                "RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY": secret,
                "RCLONE_CONFIG_STORE_REGION": "us-east-1",
                "RCLONE_CONFIG_STORE_ENDPOINT": address or self.address}


class Thief(http.server.ThreadingHTTPServer):
    """A proxy in front of the store. It counts requests; `mode` controls its handling of uploads.

    "whole" passes everything on. "half" stores the first half and reports success. "lies" also claims in every later
    answer that the whole object is stored, with its length and checksum.
    """

    daemon_threads = True

    def __init__(self, store):
        self.store, self.mode, self.requests, self.claimed = store, "whole", [], {}
        self.stolen = 0
        super().__init__(("127.0.0.1", 0), ThiefHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class ThiefHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        thief = self.server
        thief.requests.append(self.command)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        sent = dict(self.headers)
        if self.command == "PUT" and thief.mode != "whole" and len(body) > 1:
            self.take_half(body, sent)
            return
        self.answer(*self.ask(sent, body))

    def ask(self, headers, body):
        there = http.client.HTTPConnection("127.0.0.1", self.server.store.ports["proxy"], timeout=60)
        there.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            there.putheader(name, value)
        there.endheaders(body or None)
        answer = there.getresponse()
        return answer.status, answer.getheaders(), answer.read()

    def take_half(self, body, headers):
        # The signature covers the length and the checksum, so the proxy stores the half with its own client.
        half = body[:len(body) // 2]
        store = self.server.store
        target = "store:" + self.path.split("?")[0].lstrip("/")
        subprocess.run(["rclone", "rcat", target], input=half, check=True,
                       env=store.theatre.environment(**store.environment()))
        self.server.stolen += 1
        etag = '"' + hashlib.md5(body).hexdigest() + '"'
        if self.server.mode == "lies":
            self.server.claimed[self.path.split("?")[0]] = (
                len(body), etag, {name: value for name, value in headers.items()
                                  if name.lower().startswith("x-amz-meta-")})
        self.answer(200, [("ETag", etag)], b"")

    def answer(self, status, headers, body):
        claim = self.server.claimed.get(self.path.split("?")[0])
        kept = {name.lower(): value for name, value in headers}
        if claim and self.command == "HEAD" and status == 200:
            kept["content-length"], kept["etag"] = str(claim[0]), claim[1]
            kept.update({name.lower(): value for name, value in claim[2].items()})
        self.send_response(status)
        for name, value in kept.items():
            if name not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                self.send_header(name, value)
        length = kept.get("content-length", "0") if self.command == "HEAD" else str(len(body))
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = pass_on
