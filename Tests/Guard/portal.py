"""Part of check-guard: the permission store of the portals beside a running guard."""

import os
import socket
import subprocess
import time

from asking import FLATPAK, sandboxed
from guards import BOUND, Bus, Guard, forget, report, state, status
from programs import PROGRAMS, SESSION, WITH_US, Recorder, wait

CLIENT = f"flatpak:{FLATPAK}"
STORE = f"{SESSION}/permissions"
HERE = os.path.dirname(os.path.realpath(__file__))


class Store:
    """A permission store on a private bus with a desktop."""

    def __init__(self, mode, words=""):
        with open(STORE, "w", encoding="ascii") as file:
            file.write(words)
        self.bus = Bus()
        self.process = subprocess.Popen(
            [*WITH_US, "/usr/bin/python3", f"{HERE}/store.py", STORE, mode], env=self.bus.environment)
        self.bus.run("wait", "--timeout", "20", "org.freedesktop.impl.portal.PermissionStore")

    def words(self):
        with open(STORE, encoding="ascii") as file:
            return file.read().split()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.bus.stop()


def answered(mode, sandbox):
    """An answer is stored by the store, or by recorder if the store refuses it."""
    forget()
    store = Store(mode)
    guard = Guard("ask", store.bus.address)
    attempt = Recorder("flatpak", [*sandbox, *PROGRAMS["pw-record"]])
    asked = wait(lambda: [each for each in state().get("questions", []) if each.get("program") == CLIENT], 5)
    shown = wait(store.bus.shown, 10)
    start = time.monotonic()
    store.bus.press(1, "always")
    heard = attempt.heard_after(start)
    # The guard reads the store again after the answer.
    time.sleep(2 * BOUND)
    later = attempt.heard_after(time.monotonic(), 2)
    attempt.stop()
    # These commands have no bus, so they show only the decision of recorder's own file.
    own, expected = status(CLIENT), "authorized" if mode == "refuse" else "notDetermined"
    said = "this store refuses" in guard.said()
    guard.stop()
    words = store.words()
    store.stop()
    report("portal", mode, bool(asked) and bool(shown) and bool(heard) and bool(later) and own == expected
           and words == ([] if mode == "refuse" else [FLATPAK, "yes"]) and said == (mode == "refuse"),
           f"asked {bool(asked)}, shown {bool(shown)}, heard {bool(heard)}, later {bool(later)}, own file {own}, "
           f"store {words}, refusal reported {said}")


def late(sandbox):
    """A store that answers late: Flatpaks are refused until then, and other programs are guarded meanwhile."""
    forget()
    store = Store("slow", f"{FLATPAK} yes\n")
    begin = time.monotonic()
    guard = Guard("deny", store.bus.address)
    ready = guard.ready - begin
    attempt = Recorder("flatpak", [*sandbox, *PROGRAMS["pw-record"]])
    heard = attempt.heard_after(0, 10)
    attempt.stop()
    guard.stop()
    store.stop()
    report("portal", "late answer", ready < 4 and bool(heard) and heard - begin >= 4,
           f"guarded after {ready:.1f} s, heard after {heard - begin if heard else 0:.1f} s")


def hanging():
    """A bus that accepts connections but never answers delays the guard by two seconds, and hides no question."""
    forget()
    path = f"{SESSION}/hanging"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        begin = time.monotonic()
        guard = Guard("ask", f"unix:path={path}")
        ready = guard.ready - begin
        attempt = Recorder("pw-record")
        said = wait(lambda: "guard ask" in guard.said(), 5)
        attempt.stop()
        start = time.monotonic()
        ended = guard.stop() == 0
        took = time.monotonic() - start
    os.unlink(path)
    report("portal", "hanging bus", ready < 4 and bool(said) and ended and took < 2,
           f"guarded after {ready:.1f} s, reported the question {bool(said)}, ended in {took:.1f} s")


def portal():
    """The store accepts a decision, refuses it, and answers late."""
    hanging()
    sandbox = sandboxed("portal")
    if sandbox:
        answered("accept", sandbox)
        answered("refuse", sandbox)
        late(sandbox)
    forget()
