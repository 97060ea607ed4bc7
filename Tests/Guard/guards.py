"""A running `recorder guard`, its log, and a private bus with a program that shows notifications."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time

from programs import PROGRAMS, SESSION, WITH_US, Recorder, output, wait

ROOT = os.path.realpath(f"{os.path.dirname(os.path.realpath(__file__))}/../..")
RECORDER = os.path.join(os.environ.get("RECORDER_PROGRAMS") or f"{ROOT}/.build/shipped/release", "recorder")
# WirePlumber 0.4 cannot keep a program from linking itself, so there the guard still removes links.
CLOSED = "--script" in sys.argv and "0.4." not in output("wireplumber", "--version")
# A cycle of the private server, and 20 ms.
MOMENT = 0 if CLOSED else 1_024 + 960
BOUND = 0.25
# The absence of sound can only be observed for a time.
SILENCE = 1
VERSION = " ".join(f"{name} {output(name, '--version').split()[-1]}" for name in ("pipewire", "wireplumber"))
failures = []


def report(name, subject, passed, text):
    if not passed:
        failures.append(subject)
    print(f"{'ok  ' if passed else 'FAIL'} {name:12} {subject:14} {text}", flush=True)


def rounds(full, quick):
    return quick if "--quick" in sys.argv else full


def recorder(*arguments):
    """Runs a command of recorder and returns its JSON, or an empty object if it printed none."""
    result = subprocess.run([RECORDER, *arguments, "--json"], capture_output=True, text=True, timeout=30)
    try:
        return json.loads(result.stdout)
    except json.JSONDecodeError:
        return {}


def permission(verb, path):
    result = subprocess.run(
        [RECORDER, "permission", verb, "--program", path, "--quiet"], capture_output=True, text=True, timeout=30)
    if result.returncode:
        raise RuntimeError(f"recorder permission {verb} --program {path}: exit {result.returncode}: {result.stderr}")


def status(path):
    return recorder("permission", "status", "--program", path).get("status")


def forget():
    recorder("permission", "reset", "--all-programs")


def events(*kinds):
    return [event for event in recorder("permission", "log").get("events", []) if event["event"] in kinds]


def executable(name):
    return os.path.realpath(shutil.which(PROGRAMS[name][0]))


def copied(name):
    """The path of a program of its own, a copy of pw-record."""
    path = f"{SESSION}/{name}"
    if not os.path.exists(path):
        shutil.copy(executable("pw-record"), path)
    return path


def allowed(name):
    path = copied(name)
    permission("grant", path)
    return path


def state():
    return recorder("guard", "status")


def question(path):
    return next((each for each in state().get("questions", []) if each.get("program") == f"path:{path}"), None)


class Guard:
    """A running guard; `ready` is the time at which it reported that it guards."""

    processes = []

    def __init__(self, mode, bus="disabled:"):
        self.level = "logged" if mode == "log" else "closed" if CLOSED else "cut"
        with open(f"{SESSION}/guard.log", "wb") as log:
            self.process = subprocess.Popen(
                [*WITH_US, RECORDER, "guard", "run", "--mode", mode], stderr=log, stdout=log,
                env=dict(os.environ, DBUS_SESSION_BUS_ADDRESS=bus))
        self.processes.append(self.process)
        self.wait_until_ready()

    @classmethod
    def end_all(cls):
        for process in cls.processes:
            process.kill()
            process.wait()
        cls.processes.clear()

    def wait_until_ready(self):
        if not wait(self.is_ready, 20):
            raise RuntimeError(f"the guard does not reach the level {self.level}: {state()}\n{self.said()}")
        self.ready = time.monotonic()

    def is_ready(self):
        found = state()
        return found.get("pid") == self.process.pid and found.get("level") == self.level

    def said(self):
        with open(f"{SESSION}/guard.log", encoding="utf-8") as log:
            return log.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it as `guard off` does. Returns its exit code."""
        self.process.terminate()
        return self.process.wait(10)

    def nanoseconds(self):
        """The processor time of all threads."""
        tasks = f"/proc/{self.process.pid}/task"
        total = 0
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total

    def megabytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as lines:
            return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1_000


class Stubborn:
    """Programs that record again and again, each time for a random time."""

    NAMES = ("pw-record", "parec", "arecord")
    started = []

    def __init__(self):
        self.tries, self.mustEnd = [], threading.Event()
        self.started.append(self)
        self.threads = [threading.Thread(target=self.keep_trying, args=(name,), daemon=True) for name in self.NAMES]
        for thread in self.threads:
            thread.start()

    def keep_trying(self, name):
        while not self.mustEnd.is_set():
            attempt = Recorder(name)
            self.tries.append(attempt)
            self.mustEnd.wait(random.uniform(0.1, 1))
            attempt.stop()

    def end(self):
        self.mustEnd.set()
        for thread in self.threads:
            thread.join()
        return self.tries

    @classmethod
    def end_all(cls):
        """Ends the programs of a part that failed, which would change the results of the next parts."""
        for each in cls.started:
            each.end()


class Bus:
    """A private bus. `notifications` are shown by a mock of the desktop if there is one."""

    NAME = "org.freedesktop.Notifications"
    PATH = "/org/freedesktop/Notifications"

    def __init__(self, with_desktop=True):
        self.bus = subprocess.Popen(
            [*WITH_US, "dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.address = self.bus.stdout.readline().strip()
        self.environment = dict(os.environ, DBUS_SESSION_BUS_ADDRESS=self.address)
        self.log, self.desktop = f"{SESSION}/desktop.log", None
        if with_desktop:
            # Debian's modules are those of its own Python.
            self.desktop = subprocess.Popen(
                [*WITH_US, "/usr/bin/python3", "-m", "dbusmock", "--session", "--template", "notification_daemon",
                 "--logfile", self.log], env=self.environment)
            self.run("wait", "--timeout", "20", self.NAME)

    def run(self, *arguments):
        subprocess.run(["gdbus", arguments[0], "--session", *arguments[1:]], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL, timeout=30)

    def shown(self):
        """The calls that showed a notification; the first has the number 1."""
        return self.calls(" Notify ")

    def calls(self, word):
        # Each call begins with its time; its texts may have several lines.
        with open(self.log, encoding="utf-8") as log:
            return [call for call in re.split(r"^(?=\d+\.\d+ )", log.read(), flags=re.M) if word in call]

    def press(self, number, answer):
        self.run("call", "--dest", self.NAME, "--object-path", self.PATH, "--method",
                 "org.freedesktop.DBus.Mock.EmitSignal", self.NAME, "ActionInvoked", "us",
                 f"[<uint32 {number}>, <'{answer}'>]")

    def pretend(self, number, answer):
        """The same signal, from another program."""
        self.run("emit", "--object-path", self.PATH, "--signal", f"{self.NAME}.ActionInvoked",
                 f"uint32 {number}", f"'{answer}'")

    def stop(self):
        for process in filter(None, (self.desktop, self.bus)):
            process.kill()
            process.wait()
