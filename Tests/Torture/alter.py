"""Exchanges messages with extreme values with a session and with its clients, and prints the faults.

alter.py RECORDER RECORD EVERY: RECORD is the file of the session, EVERY is 1 to try all values. The session must be
recording, and must survive.
"""

import json
import os
import random
import re
import socket
import subprocess
import sys
import threading

recorder, record, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(record) as file:
    session = json.load(file)
real = session["socket"]

NUMBERS = ["0", "1", "-1", str(2**63 - 1), str(2**63), str(-(2**63))]
TEXTS = [json.dumps(text, ensure_ascii=False) for text in ("\u00e9", "e\u0301", "", "x" * 65_000)]
VERBS = ["status", "watch", "resume", "mark", "wait", "trigger", "permission", "tap", "", "\u00e9", "x" * 65_000]
MEMBERS = ["text", "track", "client", "delete", "protocol"]
# A number, a text or a literal of a message, but not the name of a member.
SCALAR = re.compile(rb'[:\[,]("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)(?=[,}\]])')


def connect():
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(30)
    client.connect(real)
    return client, client.makefile("rb")


def state():
    """Returns the state of the session, and the number of its marks."""
    client, lines = connect()
    lines.readline()
    client.sendall(b'{"id":1,"do":"status"}\n')
    result = json.loads(lines.readline())["result"]
    return result["state"], result["pid"], result["path"]


def expect_unharmed(before, *words):
    try:
        after = state()
    except (OSError, ValueError, KeyError) as error:
        after = repr(error)
    if after != before:
        print(*words, before, "→", after)
        sys.exit()


def requests():
    """Sends requests with extreme values. Only the texts of marks and verbs without an effect are correct."""
    before = state()
    lines = []
    for verb in VERBS:
        lines += [f'{{"id":{value},"do":{json.dumps(verb, ensure_ascii=False)}}}' for value in NUMBERS + TEXTS]
        for member in MEMBERS:
            lines += [f'{{"id":1,"do":{json.dumps(verb)},"{member}":{value}}}' for value in NUMBERS + TEXTS]
    # An extreme verb or a wrong type must not become another request.
    lines += [f'{{"id":1,"do":{value}}}' for value in NUMBERS]
    lines += [f'{{"id":1,"do":"{verb}\u0301"}}' for verb in ("stop", "cancel", "pause")]
    for line in lines[random.randrange(every)::every]:
        client, replies = connect()
        replies.readline()
        client.sendall(line.encode()[:70_000] + b"\n")
        # The session replies, or closes the connection. `wait` waits for the end of the session.
        if '"do":"wait"' not in line:
            try:
                replies.readline()
            except ConnectionError:
                pass
            except TimeoutError:
                print("no reply to", line[:120])
        client.close()
        expect_unharmed(before, line[:120])


class Proxy(threading.Thread):
    """A socket that forwards each line, and replaces one value in the lines of the session."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(64)
        self.line, self.index, self.value = 0, 0, b""
        self.connections = 0

    def altered(self, number, line):
        if number != self.line:
            return line
        places = list(SCALAR.finditer(line))
        if self.index >= len(places):
            return line
        start, end = places[self.index].span(1)
        return line[:start] + self.value + line[end:]

    def run(self):
        while True:
            client = self.listener.accept()[0]
            self.connections += 1
            threading.Thread(target=self.forward, args=(client,), daemon=True).start()

    def forward(self, client):
        server, lines = connect()
        threading.Thread(target=self.copy, args=(client, server), daemon=True).start()
        try:
            for number, line in enumerate(lines):
                client.sendall(self.altered(number, line))
        except OSError:
            pass
        finally:
            client.close()
            server.close()

    def copy(self, client, server):
        try:
            while data := client.recv(65_536):
                server.sendall(data)
        except OSError:
            pass
        finally:
            try:
                server.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def replies():
    """Lets commands read replies with extreme values."""
    before = state()
    path = os.path.join(os.path.dirname(real), "altered")
    proxy = Proxy(path)
    proxy.start()
    with open(record, "w") as file:
        json.dump({**session, "socket": path}, file)
    cases = []
    for line, request in ((0, {}), (1, b'{"id":1,"do":"status"}\n'), (1, b'{"id":1,"do":"mark","text":"x"}\n')):
        client, lines = connect()
        text = lines.readline()
        if line:
            client.sendall(request)
            text = lines.readline()
        words = ["mark", "x"] if request and b"mark" in request else ["status"]
        for index, match in enumerate(SCALAR.finditer(text)):
            former = match[1].decode()
            values = TEXTS if former[0] == '"' else NUMBERS if former[0] in "-0123456789" else ["true", "false", "1"]
            cases += [(line, index, value, words, former) for value in values if value != former]
    for line, index, value, words, former in cases[random.randrange(every)::every]:
        proxy.line, proxy.index, proxy.value = line, index, value.encode()
        ended = subprocess.run(
            [recorder, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60)
        if ended.returncode < 0 or ended.returncode >= 100:
            print(f"{words} with {value[:60]} for {former}:", ended.returncode, ended.stderr[-2_000:])
        expect_unharmed(before, words, value[:60], "for", former)
    if not proxy.connections:
        print("no command used the socket", path)


requests()
replies()
