"""Debian's servers, and recorders with homes of their own, in one scratch directory.

Every process that a check starts ends with the check, even in the background: the check adopts orphans and ends all
its descendants.
"""

import atexit
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs/examples"
# Programs from PyPI, installed by "scripts/setup fleet".
PYTHON = ROOT / ".build/fleet/python/bin"

_SET_CHILD_SUBREAPER = 36


class Fault(Exception):
    """An expectation failed."""


def expect(condition, words):
    if not condition:
        raise Fault(words)


def wait_for(condition, seconds, words):
    """Returns the first true value of a condition. Raises a fault after the given seconds."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except OSError:
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise Fault(f"not within {seconds:g} s: {words}")
        time.sleep(0.1)


def descendants():
    """Returns the process IDs of all descendants."""
    parents = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = pathlib.Path(f"/proc/{entry}/stat").read_text()
        except OSError:
            continue
        state, parent = text.rpartition(")")[2].split()[:2]
        if state != "Z":
            parents[int(entry)] = int(parent)
    found, wanted = [], [os.getpid()]
    while wanted:
        parent = wanted.pop()
        children = [child for child, its in parents.items() if its == parent]
        found += children
        wanted += children
    return found


class Theatre:
    """A scratch directory, the processes in it, and their environment."""

    def __init__(self, name):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=f"fleet-{name}-", dir="/var/tmp"))
        # Servers that give up root need access.
        self.directory.chmod(0o755)
        self.logs = self.directory / "logs"
        self.logs.mkdir()
        self.servers = []
        self._ports = []
        atexit.register(self.close)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: sys.exit(1))

    def path(self, *names):
        """Returns a path in the scratch directory, and creates its parent directories."""
        path = self.directory.joinpath(*names)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        path.write_text(text)
        path.chmod(mode)
        return path

    def port(self):
        """Returns a free port of the loopback device."""
        kept = socket.socket()
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        number = kept.getsockname()[1]
        # The socket is closed, so the kernel may return the same number again; numbers in use are skipped.
        kept.close()
        if number in self._ports:
            return self.port()
        self._ports.append(number)
        return number

    def environment(self, **more):
        """Returns an environment without the tester's home and configuration."""
        home = self.path("home", ".keep").parent
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TERM") if key in os.environ}
        return {**kept, "HOME": str(home), "TMPDIR": str(self.path("tmp", ".keep").parent),
                "RCLONE_CONFIG": "/dev/null", **more}

    def start(self, name, arguments, **options):
        """Starts a server. Its output goes into logs/NAME."""
        options.setdefault("env", self.environment())
        with open(self.logs / name, "ab") as log:
            server = subprocess.Popen(
                [str(argument) for argument in arguments], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, **options)
        server.name = name
        self.servers.append(server)
        return server

    def stop(self, server, number=signal.SIGTERM):
        """Ends a server and all processes of its session."""
        for attempt in (number, signal.SIGKILL):
            try:
                os.killpg(server.pid, attempt)
            except ProcessLookupError:
                pass
            try:
                server.wait(10)
                break
            except subprocess.TimeoutExpired:
                continue
        if server in self.servers:
            self.servers.remove(server)

    def log(self, name):
        return (self.logs / name).read_text(errors="replace")

    def close(self):
        """Ends all processes. Removes the directory unless RECORDER_FLEET_KEEP is set."""
        for attempt in (signal.SIGTERM, signal.SIGKILL):
            end = time.monotonic() + 10
            left = descendants()
            for process in left:
                try:
                    os.kill(process, attempt)
                except ProcessLookupError:
                    pass
            while descendants() and time.monotonic() < end:
                self.reap()
                time.sleep(0.05)
        self.reap()
        if os.environ.get("RECORDER_FLEET_KEEP"):
            print(f"kept: {self.directory}", file=sys.stderr)
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    @staticmethod
    def reap():
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass


def run(arguments, code=0, **options):
    """Runs a program to its end and returns the outcome. Raises a fault if the exit code is another one.

    `code=None` accepts every exit code.
    """
    options.setdefault("timeout", 120)
    outcome = subprocess.run(
        [str(argument) for argument in arguments], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", **options)
    if code is not None:
        expect(outcome.returncode == code,
               f"{arguments} ended with {outcome.returncode}, not {code}:\n"
               f"{outcome.stdout}{outcome.stderr}")
    return outcome


def fetch(address, data=None, timeout=10):
    """Returns the answer of a web server as text."""
    with urllib.request.urlopen(address, data=data, timeout=timeout) as answer:
        return answer.read().decode(errors="replace")


def answers(address):
    """True if a web server answers at all."""
    try:
        fetch(address, timeout=2)
        return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


class Recorder:
    """One machine: a separate home with microphone access."""

    def __init__(self, theatre, program, name="machine", **environment):
        self.theatre, self.program, self.name = theatre, str(program), name
        self.home = theatre.path("machines", name, ".keep").parent
        # The path of a socket has at most about a hundred characters, so this path is short.
        self.runtime = pathlib.Path(tempfile.mkdtemp(prefix="r-", dir=theatre.directory))
        self.runtime.chmod(0o700)
        self.environment = theatre.environment(
            HOME=str(self.home), XDG_STATE_HOME=str(self.home / ".local/state"),
            XDG_CONFIG_HOME=str(self.home / ".config"), XDG_DATA_HOME=str(self.home / ".local/share"),
            XDG_CACHE_HOME=str(self.home / ".cache"), XDG_RUNTIME_DIR=str(self.runtime),
            RECORDER_CAPTURE_DEVICE="test:tone", RECORDER_NO_PROMPT="1", **environment)
        run([self.program, "permission", "grant"], env=self.environment, cwd=self.home)

    def __call__(self, *arguments, code=0, **options):
        return run([self.program, *arguments], code=code, env=self.environment, cwd=self.home, **options)

    def json(self, *arguments, code=0):
        return json.loads(self(*arguments, "--json", code=code).stdout)

    def has_option(self, command, option):
        """True if this build has the option."""
        return option in self("help", command, code=None).stdout


def check(name, scenes):
    """Runs the scenes of a check in one scratch directory, prints the failures, and exits with 1 if there are any.

    RECORDER_FLEET_ONLY selects the scenes whose description contains it; a scene named `begin` always runs.
    """
    only = os.environ.get("RECORDER_FLEET_ONLY", "")
    theatre = Theatre(name)
    recorder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "").resolve()
    if not os.access(recorder, os.X_OK) or recorder.is_dir():
        sys.exit(f"usage: {sys.argv[0]} RECORDER")
    failed = 0
    for scene in scenes:
        words = (scene.__doc__ or scene.__name__).strip().splitlines()[0].rstrip(".")
        if only not in words and scene.__name__ != "begin":
            continue
        begin = time.monotonic()
        try:
            note = scene(theatre, recorder)
            print(f"✓ {name}: {words}{f' ({note})' if note else ''}, {time.monotonic() - begin:.1f} s",
                  flush=True)
        except (Fault, subprocess.SubprocessError, OSError, ValueError, KeyError) as fault:
            failed += 1
            print(f"✗ {name}: {words}: {type(fault).__name__}: {fault}", flush=True)
            for log in sorted(theatre.logs.iterdir()):
                if text := log.read_text(errors="replace")[-1200:]:
                    print(f"--- {log.name}\n{text}", flush=True)
    theatre.close()
    sys.exit(1 if failed else 0)
