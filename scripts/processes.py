"""Runs commands with a time limit, and ends every process that they leave behind."""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

BECOME_SUBREAPER = 36


def adopt_orphans():
    """Makes the daemons of the commands children of this process, so that `end_all` finds them."""
    if ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0):
        raise OSError("prctl")


def run(command, directory, limit, read):
    """Runs a command; `read` gets each line of the output. Returns the exit status, or None if the time limit or a
    true result of `read` ended the command."""
    scratch = tempfile.mkdtemp()
    # TMPDIR stays the same. In a directory below it, the paths of sockets would be too long for some tests.
    environment = {**os.environ, "RECORDER_STRICT": "1", "TERM": "dumb"}
    environment.pop("RECORDER_PROGRAMS", None)
    with open(f"{scratch}/output", "w") as output, open(f"{scratch}/output", errors="replace") as lines:
        process = subprocess.Popen(
            command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True)
        try:
            return follow(process, lines, time.monotonic() + limit, read)
        finally:
            # Gives the command time to remove its own files.
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                pass
            end_all()
            shutil.rmtree(scratch, ignore_errors=True)


def follow(process, lines, deadline, read):
    while time.monotonic() < deadline:
        collect_orphans(process.pid)
        hasEnded = process.poll() is not None
        while True:
            position, line = lines.tell(), lines.readline()
            if not line.endswith("\n"):
                lines.seek(position)
                break
            if read(line.rstrip("\n")):
                return None
        if hasEnded:
            return process.returncode
        time.sleep(0.05)
    return None


def collect_orphans(command):
    """Reaps adopted processes that have ended, because tests wait until they no longer exist."""
    while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if ended.si_pid == command:
            return
        os.waitpid(ended.si_pid, 0)


def end_all():
    """Kills and reaps all descendants of this process."""
    while children := descendants():
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass


def descendants():
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            pass
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}
