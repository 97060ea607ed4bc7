"""The compared programs, each with the options that its manual gives for the same take."""

import os
import re
import shutil
import subprocess


class Program:
    """A program that records 48 kHz, 16 bits, stereo from the paced card to a WAV file."""

    def __init__(self, name, command, version=("--version",), environment=(), options=()):
        self.name, self._command, self._version = name, command, version
        self.environment = dict(environment)
        self.options = dict(options)

    @property
    def is_ours(self):
        return self.name == "recorder"

    @property
    def is_there(self):
        return shutil.which(self._command[0]) is not None

    def command(self, path, wish=None):
        """Returns the command line that records to a path. `wish` names an option that only some programs have."""
        return [*self._command, *self.options.get(wish, ()), path]

    def version(self):
        told = subprocess.run(
            [self._command[0], *self._version], capture_output=True, text=True
        )
        return re.search(r"\d+(\.\d+)+\S*", told.stdout + told.stderr).group().strip(",")

    def names(self, path):
        """Returns the names that the file has over time, the first one first."""
        folder, name = os.path.split(path)
        return [f"{folder}/.{name}.part", path] if self.is_ours else [path]

    def written(self, path):
        """Returns the path of the file at this moment, or None."""
        return next((name for name in self.names(path) if os.path.exists(name)), None)


FORMAT = ["-f", "s16le", "-ac", "2", "-ar", "48000"]

ALL = [
    Program(
        "recorder",
        ["recorder", "start", "--foreground", "--quiet", "-d", "pipewire", "-r", "48000", "-c", "2"],
        options={
            "small disk": ["--min-free", "0"], "return": ["--reconnect", "1m"],
            "other": ["--name", "other"]},
    ),
    Program("arecord", ["arecord", "-q", "-D", "pipewire", "-t", "wav", "-f", "dat"]),
    Program(
        "sox",
        ["rec", "-q", "-r", "48000", "-c", "2", "-b", "16"],
        environment={"AUDIODRIVER": "alsa", "AUDIODEV": "pipewire"},
    ),
    Program(
        "ffmpeg",
        ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "warning", "-f", "alsa"]
        + ["-channels", "2", "-sample_rate", "48000", "-i", "pipewire"],
        version=("-version",),
    ),
    Program(
        "parecord",
        ["parecord", "--file-format=wav", "--format=s16le", "--rate=48000", "--channels=2"],
    ),
    Program("pw-record", ["pw-record", "--rate", "48000", "--channels", "2", "--format", "s16"]),
]
