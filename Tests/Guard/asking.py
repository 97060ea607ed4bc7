"""Parts of check-guard: questions, identities, attacks and costs."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import time

from guards import (
    BOUND, CLOSED, MOMENT, RECORDER, SILENCE, Bus, Guard, events, executable, forget, permission, question, recorder,
    report, rounds, state, status)
from programs import MANAGER, PROGRAMS, SESSION, WITH_US, Recorder, compiled, dump, properties, wait

BUTTONS = '["once", "Allow once", "always", "Always allow", "never", "Refuse"]'


def notification():
    """The questions of the desktop."""
    path, bus = executable("pw-record"), Bus()
    forget()
    guard = Guard("ask", bus.address)
    for number, answer in enumerate(("once", "always", "never"), 1):
        forget()
        attempt = Recorder("pw-record")
        shown = wait(lambda: bus.shown()[number - 1:], 10)
        right = bool(shown) and BUTTONS in shown[0]
        bus.pretend(number, "never" if answer == "always" else "always")
        time.sleep(BOUND)
        ignored = bool(question(path)) and not attempt.frames() > MOMENT and status(path) == "notDetermined"
        pressed = time.monotonic()
        bus.press(number, answer)
        heard = attempt.heard_after(pressed) if answer != "never" else None
        expected = {"once": "notDetermined", "always": "authorized", "never": "denied"}[answer]
        decided = wait(lambda: status(path) == expected, 3)
        answered = wait(lambda: not question(path), 3)
        attempt.stop()
        passed = right and ignored and decided and answered and bool(heard) == (answer != "never")
        report("notification", answer, passed,
               f"three buttons {right}, a signal of another program ignored {ignored}, heard {bool(heard)}, "
               f"status {status(path)}, shown {shown}")
    forget()
    attempt = Recorder("pw-record")
    shown = wait(lambda: bus.shown()[3:], 10)
    attempt.stop()
    withdrawn = wait(lambda: bus.calls("CloseNotification 4"), 5)
    bus.press(4, "always")
    time.sleep(BOUND)
    report("notification", "withdrawn", bool(shown) and bool(withdrawn) and status(path) == "notDetermined",
           f"shown {bool(shown)}, closed {bool(withdrawn)}, a late answer is ignored {status(path) == 'notDetermined'}")
    # The desktop ends, and the next question is shown only in a terminal.
    bus.desktop.kill()
    bus.desktop.wait()
    terminal("ended desktop", guard)
    guard.stop()
    bus.stop()
    bus = Bus(with_desktop=False)
    for subject, address in (("no desktop", bus.address), ("no bus", "disabled:")):
        guard = Guard("ask", address)
        terminal(subject, guard)
        guard.stop()
    bus.stop()


def terminal(subject, guard):
    """A question that no desktop shows is reported by the guard, and asked in a terminal."""
    forget()
    path, attempt = executable("pw-record"), Recorder("pw-record")
    said = wait(lambda: "guard ask" in guard.said(), 5)
    child, screen = pty.fork()
    if child == 0:
        os.execv(RECORDER, [RECORDER, "guard", "ask"])
    text = b""
    # Reading fails if the command has ended.
    with contextlib.suppress(OSError):
        while b"wants to" not in text and select.select([screen], [], [], 10)[0]:
            text += os.read(screen, 4096)
    start = time.monotonic()
    os.write(screen, b"y\n")
    heard = attempt.heard_after(start)
    decided = status(path)
    attempt.stop()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(screen)
    report("terminal", subject, bool(said) and b"pw-cat wants to" in text and bool(heard) and decided == "authorized",
           f"reported {bool(said)}, asked {b'pw-cat wants to' in text}, heard {bool(heard)}, status {decided}")


FLATPAK = "org.example.Recorder"


def identity():
    """A sandbox with Flatpak's file, and a program that calls itself recorder."""
    forget()
    info = f"{SESSION}/flatpak-info"
    with open(info, "w", encoding="ascii") as file:
        file.write(f"[Application]\nname={FLATPAK}\n\n[Instance]\ninstance-id=1\n")
    links = [word for name in ("bin", "lib", "lib64", "sbin") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    sandbox = ["bwrap", "--ro-bind", "/usr", "/usr", *links, "--ro-bind", "/etc", "/etc", "--proc", "/proc",
               "--dev", "/dev", "--bind", SESSION, SESSION, "--ro-bind", info, "/.flatpak-info", "--die-with-parent"]
    works = subprocess.run([*sandbox, "true"], capture_output=True, text=True)
    guard = Guard("deny")
    if works.returncode:
        report("identity", "flatpak", os.environ.get("GUARD_NO_SANDBOX") == "yes",
               f"not tested: {works.stderr.strip()}")
    for options in () if works.returncode else ([], ["--unshare-pid"]):
        attempt = Recorder("flatpak", [*sandbox, *options, *PROGRAMS["pw-record"]])
        client = f"flatpak:{FLATPAK}"
        refused = wait(lambda: [event for event in events("refuse") if event.get("client") == client], 5)
        permission("grant", client)
        heard = attempt.heard_after(0)
        used = [each.get("program") for each in state()["uses"]]
        attempt.stop()
        report("identity", "flatpak", bool(refused) and bool(heard) and used == [client],
               f"{options} refused {bool(refused)}, heard after a grant {bool(heard)}, uses {used}")
        forget()
    # recorder may record, and pw-cat must not.
    recorder("permission", "grant")
    before = len(events("refuse"))
    attempt = Recorder("renamed")
    found = attempt.wait_for_clients()
    names = [properties(client).get("application.name") for client in found or []]
    refused = wait(lambda: events("refuse")[before:], 5)
    with open(f"/proc/{attempt.process.pid}/comm", encoding="ascii") as file:
        names.append(file.read().strip())
    time.sleep(SILENCE)
    frames, linked = attempt.frames(), len(attempt.links())
    attempt.stop()
    recorder("permission", "reset")
    guard.stop()
    clients = {event.get("client") for event in refused or []}
    expected = {f"path:{executable('renamed')}"}
    report("identity", "renamed",
           names[-1] == "recorder" and clients == expected and not linked and frames <= MOMENT,
           f"calls itself {names}, refused as {clients}, links {linked}, frames of sound {frames}")


def attack():
    """A client that links itself, also with a wrong class, and tools that try to open the microphone for it."""
    forget()
    path = compiled("attack")
    guard = Guard("deny")
    for media_class in ("Stream/Input/Audio", "Stream/Output/Audio"):
        counts, linked, seconds = [], 0, 1.0
        for _ in range(rounds(20, 3)):
            attempt = Recorder("attack", [path, "microphone", media_class])
            attempt.wait_for_clients()
            time.sleep(seconds)
            linked += len(attempt.links())
            attempt.stop()
            counts.append(attempt.frames())
        refused = [event for event in events("refuse") if event.get("client") == f"path:{path}"]
        report("attack", media_class, not linked and max(counts) <= MOMENT and (CLOSED or bool(refused)),
               f"links at the end {linked}, refusals in the log {len(refused)}, frames of sound {counts}")
    attempt = Recorder("attack", [path, "none"])
    client = attempt.wait_for_clients()[0]
    subject, serial = str(client["id"]), properties(client).get("object.serial")
    ids = {properties(item).get("node.name"): str(item["id"]) for item in dump()}
    commands = [
        ["pw-cli", "permissions", subject, ids["microphone"], "456"],
        ["pw-metadata", "-n", "recorder-guard", subject, "microphone", f"allow {serial}"],
        ["pw-metadata", "-n", "recorder-guard", subject, "links", f"allow {serial}"],
        ["pw-link", "microphone:capture_FL", "attack:a"],
        ["pw-link", "microphone:capture_FR", "attack:b"],
    ]
    for command in commands:
        subprocess.run(command, capture_output=True, timeout=10)
    time.sleep(BOUND)
    listing = ["pw-metadata", "-n", "recorder-guard", subject]
    written = subprocess.run(listing, capture_output=True, text=True, env=MANAGER, timeout=10).stdout
    linked, frames = len(attempt.links()), attempt.frames()
    permission("grant", path)
    manager = MANAGER if os.path.exists(f"{os.environ['XDG_RUNTIME_DIR']}/pipewire-0-manager") else os.environ
    # The guard may have restored the link already.
    subprocess.run(commands[3], capture_output=True, env=manager, timeout=10)
    heard = attempt.heard_after(0)
    attempt.stop()
    guard.stop()
    report("attack", "tools", not linked and frames <= MOMENT and "allow" not in written and bool(heard),
           f"links {linked}, frames of sound {frames}, metadata written {'allow' in written}, "
           f"heard after a grant {bool(heard)}")


def cost():
    """Processor time and memory of a guard that waits, and with 1,000 clients in a minute."""
    forget()
    guard, seconds = Guard("deny"), rounds(30, 12)
    time.sleep(2)
    start = guard.nanoseconds()
    time.sleep(10)
    idle, memory = (guard.nanoseconds() - start) / 10e9, guard.megabytes()
    report("cost", "idle", idle <= 0.0005 and memory <= 15, f"{idle * 100:.3f} % of a processor, {memory:.1f} MB")
    begin, start, count = time.monotonic(), guard.nanoseconds(), 0
    running = []
    while (now := time.monotonic()) < begin + seconds:
        while count < (now - begin) * 1_000 / 60:
            running.append(subprocess.Popen([*WITH_US, "pw-cli", "ls", "Core"], stdout=subprocess.DEVNULL))
            count += 1
        time.sleep(0.02)
    for process in running:
        process.wait(20)
    busy, memory = (guard.nanoseconds() - start) / 1e9 / (time.monotonic() - begin), guard.megabytes()
    guard.stop()
    report("cost", "clients", busy < 0.01 and memory <= 15,
           f"{count} clients in {time.monotonic() - begin:.0f} s: {busy * 100:.2f} % of a processor, {memory:.1f} MB")
