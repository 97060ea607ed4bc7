"""Misuses the socket of a session in every way that a client can, and reports the effects.

mistreat.py SOCKET PID COUNT: prints one JSON object. COUNT is the number of clients in the tests with many clients.
"""

import errno
import json
import os
import socket
import sys
import time

path, process, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def connect():
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.connect(path)
    client.settimeout(120)
    return client


def is_closed(client):
    try:
        while client.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def say(client, data):
    try:
        client.sendall(data)
    except ConnectionError:
        pass


def descriptors():
    return len(os.listdir(f"/proc/{process}/fd"))


def kilobytes():
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


slowest = 0.0


def status():
    """Asks for the status as a program of the owner does, and repeats if the session is busy. Stores the longest
    time."""
    global slowest
    began = time.monotonic()
    while True:
        try:
            client = connect()
            client.sendall(b'{"id":7,"do":"status"}\n')
        except ConnectionError:
            continue
        text = b""
        while b'"id":7,"ok":true' not in text:
            try:
                piece = client.recv(65536)
            except ConnectionError:
                piece = b""
            if not piece:
                break
            text += piece
        else:
            slowest = max(slowest, time.monotonic() - began)
            return


status()
before = {"descriptors": descriptors(), "kilobytes": kilobytes()}

# Lines that are not messages.
for data in [b"\n", b"x" * 65535 + b"\n", b"x" * 65536, b"x" * 65537 + b"\n", b"\0" * 100 + b"\n", b"\xff\xfe\n"]:
    client = connect()
    say(client, data)
    is_closed(client)
    status()

# A line without an end.
client = connect()
try:
    for _ in range(1024):
        client.sendall(b"y" * 65536)
except ConnectionError:
    pass
is_closed(client)

# One byte per 0.7 s, half a message, and messages from clients that disconnect.
slow, half = connect(), connect()
began = time.monotonic()
say(half, b'{"id":1,"do":"sta')
for byte in b'{"id':
    say(slow, bytes([byte]))
    time.sleep(0.7)
is_closed(slow)
is_closed(half)
patience = time.monotonic() - began
client = connect()
say(client, b'{"id":1,"do":"status"')
client.close()
client = connect()
client.shutdown(socket.SHUT_RD)
say(client, b'{"id":1,"do":"status"}\n' * 50)
client.close()

# Idle clients, and clients that connect and disconnect.
idle = [connect() for _ in range(count)]
for _ in range(10):
    status()
for client in idle:
    client.close()
for _ in range(count):
    connect().close()
status()

# A client that sends requests and never reads.
deaf = connect()
deaf.settimeout(1)
try:
    for _ in range(20000):
        deaf.sendall(b'{"id":1,"do":"status"}\n')
except (ConnectionError, TimeoutError):
    pass
status()
deaf.close()

# Descriptors that are sent without a request for them.
with open("/dev/null") as null:
    for _ in range(count):
        client = connect()
        try:
            socket.send_fds(client, [b'{"id":1,"do":"status"}\n'], [null.fileno()] * 253)
            client.recv(65536)
        except ConnectionError:
            pass
        except OSError as error:
            # The kernel limits the descriptors in transit per user. The answer to `status` means that some have
            # arrived.
            if error.errno != errno.ETOOMANYREFS:
                raise
            status()
        client.close()
status()

deadline = time.monotonic() + 10
while descriptors() > before["descriptors"] and time.monotonic() < deadline:
    time.sleep(0.05)
print(json.dumps({
    "slowest": slowest,
    "patience": patience,
    "descriptors": descriptors() - before["descriptors"],
    "kilobytes": kilobytes() - before["kilobytes"],
}))
