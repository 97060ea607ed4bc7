"""The card, its sound server, and the programs that record from it at the same time."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from listening import now

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The seconds between the request to end and SIGKILL.
PATIENCE = 5


class Run:
    """One recording by one program."""

    def __init__(self, program, folder, name="take.wav", wish=None, around=None):
        self.program, self.folder = program, folder
        self.path = os.path.join(folder, name)
        words = program.command(self.path, wish)
        self._said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            around(words, self) if around else words,
            stdin=subprocess.DEVNULL, stdout=self._said, stderr=self._said,
            env={**os.environ, **program.environment}, cwd=folder, umask=0o022,
        )
        self.target = self.process.pid

    def signal(self, number):
        try:
            os.kill(self.target, number)
        except ProcessLookupError:
            pass

    def wait(self, limit):
        """Returns the exit code, the negative signal number if a signal ended the program, or None if it still runs."""
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def end(self, limit=PATIENCE):
        """Ends the program as a user would. Returns None if only SIGKILL ended it."""
        self.signal(signal.SIGTERM)
        code = self.wait(limit)
        if code is None:
            self.signal(signal.SIGKILL)
            self.process.wait()
        return code

    def words(self):
        self._said.seek(0)
        return self._said.read().decode(errors="replace")

    def has_said(self, pattern):
        return re.search(pattern, self.words(), re.I) is not None

    def seconds(self):
        """Returns the processor time that the program has used, in seconds."""
        with open(f"/proc/{self.target}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def written(self):
        return self.program.written(self.path)

    @property
    def recovered(self):
        path = self.path.replace(".wav", "-recovered.wav")
        return path if os.path.exists(path) else None


class Stage:
    """Runs all programs side by side, so that one fault affects all of them."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="compare-peers.")
        self._helpers = []
        self._numbers = self._build("Tests/PipeWire/numbers.c")
        if any(program.is_ours for program in programs):
            grant = ["recorder", "permission", "grant"]
            subprocess.run(grant, check=True, stdout=subprocess.DEVNULL)
        self.open()

    def _build(self, source):
        program = os.path.join(self.folder, "numbers")
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "libpipewire-0.3"],
            capture_output=True, text=True, check=True).stdout.split()
        words = ["cc", "-O1", "-o", program, os.path.join(ROOT, source), *flags, "-lm"]
        subprocess.run(words, check=True)
        return program

    def open(self):
        """Connects a sound to the card's microphone, and starts a server for PulseAudio clients."""
        self._help([self._numbers])
        for side in ("FL", "FR"):
            link = ["pw-link", f"numbers:{side}", f"microphone:input_{side}"]
            while subprocess.run(link, stderr=subprocess.DEVNULL).returncode:
                time.sleep(0.02)
        if any(program.name == "parecord" for program in self.programs):
            self._open_pulse()

    def _open_pulse(self):
        socket = os.path.join(os.environ["XDG_RUNTIME_DIR"], "pulse/native")
        shutil.rmtree(os.path.dirname(socket), ignore_errors=True)
        self._help(["pipewire-pulse"])
        while not os.path.exists(socket):
            time.sleep(0.02)

    def _help(self, words):
        """Starts a program that ends with this one."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = ["setpriv", "--pdeathsig", "KILL", *words]
        self._helpers.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, **quiet))

    def card(self, order):
        """Freezes, thaws, kills or restarts the sound server."""
        subprocess.run([os.path.join(ROOT, "scripts/paced-card"), order], check=True)
        if order == "kill":
            self._end_helpers()

    def _end_helpers(self):
        for helper in self._helpers:
            helper.kill()
            helper.wait()
        self._helpers = []

    def place(self, program):
        return tempfile.mkdtemp(prefix=program.name + ".", dir=self.folder)

    def begin(self, seconds=4.0, **options):
        """Lets every program record for some time."""
        runs = [Run(program, self.place(program), **options) for program in self.programs]
        time.sleep(seconds)
        return runs

    def close(self):
        self._end_helpers()
        shutil.rmtree(self.folder, ignore_errors=True)


def signal_all(runs, number):
    """Sends a signal to all programs at the same time, and returns the moment."""
    moment = now()
    for run in runs:
        run.signal(number)
    return moment
