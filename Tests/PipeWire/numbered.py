"""A source of numbered frames for PipeWire (numbers.c), and recordings of it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy

RATE, BITS = 48_000, 12


def run(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True).stdout


def until(condition, what):
    """Waits until a condition holds, for at most 10 s."""
    end = time.monotonic() + 10
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{os.path.basename(sys.argv[0])}: not within 10 s: {what}")
        time.sleep(0.02)


def prepare(recorder):
    """Builds the source in the current directory, and grants every permission."""
    source = Path(__file__).resolve().with_name("numbers.c")
    flags = run("pkg-config", "--cflags", "--libs", "libpipewire-0.3").split()
    run("cc", "-O1", "-o", "numbers", str(source), *flags, "-lm")
    for service in ("microphone", "system-audio"):
        run(recorder, "permission", "grant", "--quiet", service)


def connect(node, kind):
    """Connects the source to a node, once the node has its ports: its "playback" or its "input"."""
    for side in ("FL", "FR"):
        words = ["pw-link", f"numbers:{side}", f"{node}:{kind}_{side}"]
        until(lambda: subprocess.run(words, capture_output=True).returncode == 0, " ".join(words))


def samples(path, frames, channels, kind):
    """Returns the samples of a WAV file, a row for each frame. They are read when they are used."""
    with open(path, "rb") as file:
        header = file.read(4_096).index(b"data") + 8
    return numpy.memmap(path, kind, "r", header, (frames, channels))
