"""Real plays, on a sound card that writes its input into a file."""

import os
import select
import signal
import subprocess
import tempfile

import numpy

RATE = 48000

CARD = """\
</usr/share/alsa/alsa.conf>
pcm.tape {
  @args [ FILE ]
  @args.FILE { type string }
  type file  slave.pcm { type null }  file $FILE  format raw
}
"""


def trimmed(sound):
    """Removes the silence at both ends. A captured play has more silence than the file."""
    loud = numpy.flatnonzero(numpy.abs(sound).max(axis=1) > 2e-4)
    return sound[loud[0] : loud[-1] + 1] if len(loud) else sound[:0]


class Theatre:
    """A separate home. Its player ends when the context is left."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.directory = tempfile.mkdtemp(prefix="recorder-corpus.")
        os.chmod(self.directory, 0o700)
        card = os.path.join(self.directory, "asound.conf")
        with open(card, "w") as file:
            file.write(CARD)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": self.directory,
            "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": self.directory,
            "ALSA_CONFIG_PATH": card,
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_player()
        subprocess.run(["rm", "-rf", self.directory], check=True)

    def run(self, *arguments):
        """Runs the command in this home."""
        return subprocess.run(
            [self.recorder, *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
        )

    def play(self, path, device="test:null", *options):
        """Plays a file. Returns the exit code and the messages."""
        done = self.run("play", "--device", device, *options, os.path.abspath(path))
        return done.returncode, done.stderr.decode(errors="replace").strip()

    def stop(self):
        """Stops the playing sounds."""
        self.run("sound", "stop")

    def tape(self, number):
        """Returns the name of a card and the path of the file that it writes."""
        path = os.path.join(self.directory, f"tape-{number}.raw")
        return f"tape:FILE={path}", path

    def end_player(self):
        """Ends the player of this home, so that its output is complete in the files."""
        mark = f"HOME={self.directory}".encode()
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    ours = mark in file.read().split(b"\0")
                if ours:
                    handle = os.pidfd_open(int(process))
                    os.kill(int(process), signal.SIGTERM)
                    # The handle becomes readable after the process has ended.
                    select.select([handle], [], [], 10)
                    os.close(handle)
            except OSError:
                continue

    @staticmethod
    def heard(path):
        """Returns the captured stereo frames."""
        frames = numpy.fromfile(path, "<f4")
        return trimmed(frames[: len(frames) // 2 * 2].reshape(-1, 2))
