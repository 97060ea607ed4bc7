"""Parts of check-guard: questions, identities, costs and the list of programs."""

import contextlib
import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time

from guards import (
    BOUND, MOMENT, RECORDER, SILENCE, VERSION, Bus, Guard, copied, events, executable, forget, permission, question,
    recorder, report, rounds, state, status)
from programs import FORMAT, PROGRAMS, RAW, SESSION, WITH_US, Recorder, properties, server, wait

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
    attempt = Recorder("markup", [copied("<b>spy"), "--record", *FORMAT, *RAW, "-"])
    shown = wait(lambda: bus.shown()[4:], 10)
    attempt.stop()
    report("notification", "markup", bool(shown) and "&lt;b&gt;spy, process" in shown[0], f"shown {shown}")
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


def sandboxed(part):
    """The command that starts a program in a sandbox with Flatpak's file. None if this machine has no sandbox."""
    info = f"{SESSION}/flatpak-info"
    with open(info, "w", encoding="ascii") as file:
        file.write(f"[Application]\nname={FLATPAK}\n\n[Instance]\ninstance-id=1\n")
    links = [word for name in ("bin", "lib", "lib64", "sbin") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    sandbox = ["bwrap", "--ro-bind", "/usr", "/usr", *links, "--ro-bind", "/etc", "/etc", "--proc", "/proc",
               "--dev", "/dev", "--bind", SESSION, SESSION, "--ro-bind", info, "/.flatpak-info", "--die-with-parent"]
    works = subprocess.run([*sandbox, "true"], capture_output=True, text=True)
    if works.returncode:
        report(part, "flatpak", os.environ.get("GUARD_NO_SANDBOX") == "yes", f"not tested: {works.stderr.strip()}")
        return None
    return sandbox


def identity():
    """A sandbox with Flatpak's file, and a program that calls itself recorder."""
    forget()
    sandbox = sandboxed("identity")
    guard = Guard("deny")
    for options in ([], ["--unshare-pid"]) if sandbox else ():
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
    running, clients = [], processor_time()
    while (now := time.monotonic()) < begin + seconds:
        while count < (now - begin) * 1_000 / 60:
            running.append(subprocess.Popen([*WITH_US, "pw-cli", "ls", "Core"], stdout=subprocess.DEVNULL))
            count += 1
        time.sleep(0.02)
    for process in running:
        process.wait(20)
    used, memory = (guard.nanoseconds() - start) / 1e9, guard.megabytes()
    busy, part = used / (time.monotonic() - begin), used / (processor_time() - clients)
    guard.stop()
    # The goal is 1 % of a processor. docs/design/guard.md has the figures. The share of the clients' own time depends
    # less on the machine.
    report("cost", "clients", part < 0.1 and memory <= 15,
           f"{count} clients in {time.monotonic() - begin:.0f} s: {busy * 100:.2f} % of a processor, "
           f"{part * 100:.1f} % of their own time, {memory:.1f} MB")


def checksum(body):
    """The checksum of a file with decisions."""
    number, whole = len(body) * 0x9E3779B97F4A7C15, len(body) // 8 * 8
    for start in range(0, whole + 1, 8):
        word = body[start:start + 8]
        number = (number ^ int.from_bytes(word, "little" if len(word) == 8 else "big")) * 0xFF51AFD7ED558CCD % 2**64
        number ^= number >> 32
    return f"{number:x}"


def processor_time():
    """The processor time of all ended processes that this program started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def listing():
    """The time of the list of 10,000 programs, with a full log."""
    forget()
    permission("grant", executable("pw-record"))
    directory = f"{os.environ['XDG_STATE_HOME']}/recorder"
    with open(f"{directory}/programs.json", encoding="ascii") as file:
        ledger = json.loads(file.read().partition("\n")[2])
    with open(f"{directory}/audit.jsonl", encoding="ascii") as file:
        event = json.loads(file.readline())
    names = [f"path:/opt/vendor/application-{number}/bin/program" for number in range(10_000)]
    grant = {"state": "authorized", "at": "2026-01-01T00:00:00Z", "by": "prompt", "lifespan": "forever"}
    for service in ("microphone", "systemAudio"):
        # recorder writes the names in this order.
        ledger[service] = {name: grant for name in sorted(names)}
    body = json.dumps(ledger, separators=(",", ":")) + "\n"
    logs = [f"{directory}/audit.jsonl{end}" for end in ("", ".1", ".2", ".3", ".4")]
    os.umask(0o077)
    with open(f"{directory}/programs.json", "w", encoding="ascii") as file:
        file.write(f"checksum {checksum(body.encode())}\n{body}")
    for number, log in enumerate(logs):
        lines = [json.dumps({**event, "event": "start", "client": name}, separators=(",", ":")) + "\n"
                 for name in names[2_000 * number:]]
        with open(log, "w", encoding="ascii") as file:
            file.write("".join(lines)[:1_000_000].rpartition("\n")[0] + "\n")
    guard, times, decodings = Guard("deny"), [], []
    listed = len(recorder("permission", "list").get("programs", []))
    for _ in range(20):
        start = processor_time()
        subprocess.run([RECORDER, "permission", "list"], stdout=subprocess.DEVNULL, check=True,
                       env=dict(os.environ, DBUS_SESSION_BUS_ADDRESS="disabled:"))
        times.append(processor_time() - start)
        start = time.process_time()
        json.loads(body)
        decodings.append(time.process_time() - start)
    guard.stop()
    for log in logs:
        os.unlink(log)
    forget()
    # The goal is 20 ms. docs/design/permission.md has the figures. The comparison depends less on the machine.
    report("cost", "list", listed == len(names) and min(times) <= 2 * min(decodings),
           f"{listed} programs in {min(times) * 1000:.1f} ms of processor time, the shortest of 20; "
           f"Python decodes the decisions alone in {min(decodings) * 1000:.1f} ms")


def installation():
    """guard on and guard off without a systemd, each with a restart of the server."""
    if "--script" in sys.argv:
        return
    forget()
    alone = dict(os.environ, DBUS_SESSION_BUS_ADDRESS="disabled:")

    def switch(*words):
        done = subprocess.run(
            [RECORDER, "guard", *words, "--json"], capture_output=True, text=True, env=alone, timeout=30)
        for action in ("kill", "start"):
            for program in ("pipewire", "wireplumber", "pipewire-pulse"):
                server(action, program)
        subprocess.run([f"{SESSION}/feed"], check=True)
        files = [each["path"] for each in json.loads(done.stdout).get("files", [])]
        return done, files, [path for path in files if os.path.exists(path)]
    on, files, written = switch("on", "--mode", "deny")
    expected = "cut" if "0.4." in VERSION.partition("wireplumber")[2] else "closed"
    guard = subprocess.Popen(
        [*WITH_US, RECORDER, "guard", "run", "--mode", "deny"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env=alone)
    reached = wait(lambda: state().get("level") == expected, 20)
    attempt = Recorder("pw-record")
    attempt.wait_for_clients()
    time.sleep(SILENCE)
    frames = attempt.frames()
    attempt.stop()
    off, _, left = switch("off")
    ended = guard.wait(10) == 0
    attempt = Recorder("pw-record")
    heard = attempt.heard_after(0)
    attempt.stop()
    turned_on = on.returncode == 1 and "recorder guard run" in on.stderr and written == files and bool(files)
    turned_off = off.returncode == 0 and not left and ended and bool(heard)
    report("install", expected, turned_on and bool(reached) and not frames and turned_off,
           f"on: exit {on.returncode}, files {len(written)} of {len(files)}, level {bool(reached)}, frames of sound "
           f"{frames}; off: exit {off.returncode}, files {len(left)}, guard ended {ended}, heard {bool(heard)}")
