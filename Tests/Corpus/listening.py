"""The sound of a file, as decoded by recorder and by other programs."""

import json
import os
import shlex
import subprocess

import numpy

DECODER = 'exec "$0" decode "$1" <"$2" 3>&2 2>/dev/null'


class Failed(Exception):
    """A program could not decode a file."""


def decode(recorder, path, rate, channels):
    """Decodes a file as the player does: frames announced, frames, exit code, reason."""
    order = {"format": {"rate": rate, "channels": channels, "sample": "FLOAT"}}
    done = subprocess.run(
        ["bash", "-c", DECODER, recorder, json.dumps(order), path], capture_output=True, timeout=60
    )
    announced = int.from_bytes(done.stdout[:8], "little", signed=True) if done.stdout else None
    body = done.stdout[8 : 8 + (len(done.stdout) - 8) // (4 * channels) * 4 * channels]
    frames = numpy.frombuffer(body, "<f4").reshape(-1, channels)
    return announced, frames, done.returncode, done.stderr.decode(errors="replace").strip()


def information(recorder, path):
    """Returns the JSON of `info` for a file, its exit code and its messages."""
    done = subprocess.run([recorder, "info", "--json", path], capture_output=True, timeout=60)
    try:
        found = json.loads(done.stdout)["files"][0]
    except (ValueError, LookupError):
        found = {}
    return found, done.returncode, done.stderr.decode(errors="replace").strip()


def _floats(command, channels):
    done = subprocess.run(
        ["bash", "-c", "set -o pipefail; " + command], capture_output=True, timeout=60
    )
    if done.returncode or not done.stdout:
        raise Failed(f"{command}: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return numpy.frombuffer(done.stdout, "<f4").reshape(-1, channels)


def converted(path, channels, rate=None):
    """Returns the sound of a file as ffmpeg decodes it."""
    to = f"-ar {rate} " if rate else ""
    return _floats(
        f"ffmpeg -v error -nostdin -i {shlex.quote(path)} -map 0:a:0 {to}-c:a pcm_f32le -f f32le -",
        channels,
    )


def reference(entry, directory, how):
    """Returns the expected sound of a file, from the program that its recipe names."""
    channels = entry["channels"]
    path = os.path.join(directory, entry["path"])
    if how == "ffmpeg":
        return converted(path, channels)
    if how == "source":
        return converted(os.path.join(directory, entry["source"]), channels)
    command = how.replace("{f}", shlex.quote(path))
    return _floats(
        f"{command} | ffmpeg -v error -i - -ar {entry['rate']} -c:a pcm_f32le -f f32le -", channels
    )


def links(entry, entries, directory):
    """Returns the parts of a joined file, each converted to the format of the joined file."""
    found = []
    for path in entry["reference"]:
        link = entries[path]
        sound = converted(os.path.join(directory, path), link["channels"], entry["rate"])
        found.append(mapped(sound, entry["channels"]))
    return found


def mapped(sound, channels):
    """Converts a sound to another number of channels in the usual way. Fails if there is no
    usual way."""
    given = sound.shape[1]
    if given == channels:
        return sound
    if given == 1:
        return numpy.repeat(sound, channels, axis=1)
    if channels == 1:
        return sound.mean(axis=1, keepdims=True)
    if given == 6 and channels == 2:
        half = 0.5**0.5
        front = sound[:, :2] + half * sound[:, 2:3]
        return front + half * sound[:, 4:6]
    if given == 2:
        return numpy.pad(sound, ((0, 0), (0, channels - 2)))
    raise Failed(f"no way from {given} to {channels} channels")
