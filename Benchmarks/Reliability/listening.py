"""The sound of a take. Every frame holds its frame number on the server."""

import os
import struct
import subprocess
import tempfile
import time

import numpy

RATE = 48_000
# The numbers have 24 bits and count from the start of the machine.
ROUND = 1 << 24
# While programs connect, the server changes its cycle length, and the numbers jump.
BEGINNING = RATE
# A shorter loss is one late cycle of the server, which affects all programs.
LEAST = RATE // 10


def _ffmpeg(path, raw):
    return ["ffmpeg", "-v", "error", "-y", "-i", path, "-f", "s16le", raw]


def _sox(path, raw):
    return ["sox", path, "-t", "raw", raw]


def _sndfile(path, raw):
    return ["sndfile-convert", "-pcm16", path, raw]


READERS = {"ffmpeg": _ffmpeg, "sox": _sox, "libsndfile": _sndfile}


def frames(path, reader):
    """Returns the samples that a program reads, one row per frame; empty if it refuses the file."""
    with tempfile.TemporaryDirectory() as folder:
        # Programs detect the format by the extension, so the link has a name without a leading dot.
        link, raw = os.path.join(folder, "take.wav"), os.path.join(folder, "take.raw")
        os.symlink(path, link)
        subprocess.run(READERS[reader](link, raw), capture_output=True)
        if not os.path.exists(raw):
            return numpy.zeros((0, 2), "<i2")
        samples = numpy.fromfile(raw, "<i2")
    return samples[: len(samples) // 2 * 2].reshape(-1, 2)


class Sound:
    """The content of a file, as the readers decode it."""

    def __init__(self, path):
        read = {name: frames(path, name) for name in READERS} if path else {}
        most = max((len(samples) for samples in read.values()), default=0)
        self.readers = [name for name, samples in read.items() if most and len(samples) == most]
        samples = next((one for one in read.values() if len(one) == most), [])
        self.count = most
        self.header = header(path) if path else "no file"
        if most:
            halves = (numpy.asarray(samples, "i4") >> 4) + 2048
            self._is_sound = numpy.any(samples != 0, axis=1)
            self._numbers = halves[:, 0] | halves[:, 1] << 12
            self._follows = numpy.diff(self._numbers) % ROUND == 1

    @property
    def is_whole(self):
        """True if every reader decodes the same number of frames, and the header states that length."""
        return len(self.readers) == len(READERS) and self.header == "right"

    def _stretch(self, of, size=2_000):
        """Returns the index of the first or last frame of an unbroken stretch, or None."""
        sums = numpy.convolve(self._follows, numpy.ones(size, "i4"), "valid")
        places = numpy.flatnonzero(sums == size)
        if not len(places):
            return None
        if of == "last":
            return int(places[-1]) + size
        places = places[places >= min(BEGINNING, places[-1])]
        return int(places[0])

    def missing_at_end(self, moment):
        """Returns the seconds between the last frame of the file and a moment of the monotonic clock."""
        last = self.count and self._stretch("last")
        if not last:
            return None
        late = (int(moment * RATE) - int(self._numbers[last])) % ROUND
        return (late if late < ROUND // 2 else late - ROUND) / RATE

    def lost(self):
        """Returns the seconds of sound that are missing inside the file, and by how many seconds the file is too
        short."""
        first, last = (self.count and self._stretch(which) for which in ("first", "last"))
        if not last:
            return None, None
        passed = (int(self._numbers[last]) - int(self._numbers[first])) % ROUND
        # Lost frames are replaced by silence.
        missing = passed - int(numpy.count_nonzero(self._is_sound[first:last]))
        missing = missing if missing > LEAST else 0
        return missing / RATE, (passed - (last - first)) / RATE


def header(path):
    """Returns the length that the header of a WAV file claims, in words."""
    with open(path, "rb") as file:
        data = file.read(1 << 16)
    size = os.path.getsize(path)
    place = 12
    while place + 8 <= len(data):
        name, length = data[place : place + 4], struct.unpack("<I", data[place + 4 : place + 8])[0]
        if name == b"data":
            there = size - place - 8
            # Text chunks may follow the samples.
            if length == there or 0 < length < there < length + 4096:
                return "right"
            if length > 1 << 30:
                return f"claims {length / (1 << 30):.0f} GiB"
            missing = (there - length) / (4 * RATE) * 1000
            more = f"claims {-missing:.0f} ms too much" if missing < 0 else f"{missing:.0f} ms too short"
            return more if length else "claims 0"
        place += 8 + length + length % 2
    return "no header" if size else "empty"


def now():
    return time.monotonic()
