"""Parts of check-guard: decisions about programs that record, and their uses in the log."""

import array
import random
import subprocess
import threading
import time

from guards import (
    BOUND, CLOSED, MOMENT, SILENCE, VERSION, Guard, Stubborn, allowed, events, executable, forget, permission,
    question, recorder, report, rounds, state)
from programs import (
    FORMAT, MONITOR, PROGRAMS, RAW, SESSION, Recorder, breaks, compiled, dump, is_listed, properties, server, wait)


def undecided(name, mode):
    """Starts a program without a decision, and returns it."""
    path, attempt = executable(name), Recorder(name)
    found = attempt.wait_for_clients()
    asked = wait(lambda: question(path), 5) if mode == "ask" else True
    time.sleep(SILENCE)
    linked, frames, listed = len(attempt.links()), attempt.frames(), is_listed()
    # GStreamer may end when it loses its link, before its client is seen. The log still has the refusal.
    ended = attempt.process.poll()
    report(f"{mode}", name, bool(found or ended) and bool(asked) and not linked and listed and frames <= MOMENT,
           f"clients {len(found or [])}, exit {ended}, question {bool(asked)}, links {linked}, listed {listed}, "
           f"frames of sound {frames}")
    return attempt


def allow(name, attempt, word):
    start = time.monotonic()
    permission("grant", executable(name))
    heard = attempt.heard_after(start)
    linked = len(attempt.links())
    # GStreamer's source of 0.3.65 does not continue if pw-link removes its links and creates them again. An undecided
    # program may have had links for a moment.
    suffices = linked == 2 and name == "gstreamer" and "0.3.65" in VERSION
    report(word, name, bool(heard) or suffices,
           f"sound {(heard - start) * 1000:.0f} ms after the command began" if heard
           else f"no sound, exit {attempt.process.poll()}, links {linked}")


def revoke(name, attempt):
    start = time.monotonic()
    permission("revoke", executable(name))
    end = time.monotonic()
    time.sleep(BOUND + SILENCE)
    last, linked = attempt.last_sound(start), len(attempt.links())
    report("revoked", name, last - end < BOUND and not linked,
           f"links {linked}, last sound {(last - start) * 1000:.0f} ms after the command began, "
           f"{(last - end) * 1000:.0f} ms after it ended")


def programs():
    """Each program undecided, allowed while it waits, revoked, allowed again, and refused."""
    forget()
    guard = Guard("ask")
    for name in PROGRAMS:
        attempt = undecided(name, "ask")
        allow(name, attempt, "allowed")
        revoke(name, attempt)
        allow(name, attempt, "again")
        attempt.stop()
        start = time.monotonic()
        attempt = Recorder(name)
        report("started", name, bool(attempt.heard_after(start)),
               f"an allowed program, exit {attempt.process.poll()}, links {len(attempt.links())}")
        attempt.stop()
        permission("revoke", executable(name))
        attempt = Recorder(name)
        found = attempt.wait_for_clients()
        time.sleep(SILENCE)
        linked, frames = len(attempt.links()), attempt.frames()
        attempt.stop()
        report("refused", name, bool(found) and not linked and frames <= MOMENT,
               f"links {linked}, frames of sound {frames}")
        forget()
    guard.stop()
    guard = Guard("deny")
    for name in PROGRAMS:
        undecided(name, "deny").stop()
    guard.stop()
    logged = {event["client"] for event in events("refuse")}
    missing = {f"path:{executable(name)}" for name in PROGRAMS} - logged
    report("log", "refusals", not missing, f"programs without a refusal in the log: {sorted(missing)}")


PLAYERS = {
    "arecord": "aplay -q -D pipewire {}",
    "parec": "pacat --playback --file-format=wav {}",
    "pw-record": "pw-cat --playback {}",
    # Without -re, ffmpeg sends all samples immediately and ends before they were played.
    "ffmpeg": "ffmpeg -loglevel error -re -i {} -f pulse playback",
    "gstreamer": "gst-launch-1.0 -q filesrc location={} ! wavparse ! pulsesink",
}


def playback():
    """A refused program plays while it tries to record; so does a client that plays and records."""
    forget()
    path = f"{SESSION}/sine.wav"
    subprocess.run(f"sox -D -n -r 48000 -c 2 -b 16 {path} synth 2 sine 1000 vol 0.5".split(), check=True)
    with open(path, "rb") as file:
        expected = file.read()[-2 * 48_000 * 4:]
    expected = array.array("h", expected)[::2]
    first = next(i for i, sample in enumerate(expected) if sample)
    # A file of its own, because pw-record is one of the programs.
    listener = f"{SESSION}/listener"
    subprocess.run(["cp", executable("pw-record"), listener], check=True)
    permission("grant", listener)
    recorder("permission", "grant", "system-audio", "--program", listener)
    guard = Guard("deny")
    monitor = Recorder("listener", [listener, "--record", *MONITOR[1:]])
    wait(lambda: monitor.bytes, 5)
    for name in PLAYERS:
        permission("revoke", executable(name))
        attempt = Recorder(name)
        attempt.wait_for_clients()
        skipped = len(monitor.data) // 4 * 4
        played = subprocess.run(PLAYERS[name].format(path).split(), capture_output=True, text=True, timeout=30)
        wait(lambda: not any(monitor.data[-8192:]), 3)
        linked = len(attempt.links())
        attempt.stop()
        samples = array.array("h", bytes(monitor.data[skipped:len(monitor.data) // 4 * 4]))[::2]
        begin = next((i for i, sample in enumerate(samples) if sample), 0)
        # ffmpeg and pw-cat may end before their last cycles were played.
        wanted = expected[first:-48_000]
        pairs = list(zip(wanted, samples[begin:]))
        wrong = sum(abs(a - b) > 1 for a, b in pairs)
        report("playback", name, len(pairs) == len(wanted) and wrong == 0 and not linked,
               f"{len(pairs)} frames, {wrong} differ; exit {played.returncode} {played.stderr[:100]}")
    duplex = compiled("duplex")
    permission("grant", duplex)
    skipped = len(monitor.data) // 4 * 4
    both = Recorder("duplex", [duplex])
    heard = both.heard_after(0)
    wait(lambda: any(monitor.data[-4096:]), 3)
    skipped = len(monitor.data) // 4 * 4
    permission("revoke", duplex)
    time.sleep(SILENCE)
    linked = len([link for link in both.links() if link["info"]["output-node-id"] in microphones()])
    permission("grant", duplex)
    time.sleep(SILENCE)
    samples, count = breaks(monitor.data[skipped:])
    both.stop()
    monitor.stop()
    guard.stop()
    report("playback", "duplex", bool(heard) and not linked and max(samples) > 10_000 and count == 0,
           f"links during the refusal {linked}, {len(samples)} frames of playback with {count} breaks")


def microphones():
    return [item["id"] for item in dump() if properties(item).get("media.class", "").startswith("Audio/Source")]


def races():
    """A start and a revocation at random moments. 250 ms after each revocation there is no sound."""
    forget()
    guard = Guard("deny")
    late, worst, heard, linked, total = 0, 0.0, 0, 0, rounds(100, 15)
    for _ in range(total):
        name = random.choice(["pw-record", "parec", "arecord"])
        permission("grant", executable(name))
        attempt = Recorder(name)
        time.sleep(random.uniform(0, 0.4))
        start = time.monotonic()
        permission("revoke", executable(name))
        end = time.monotonic()
        time.sleep(BOUND + 0.1)
        heard += bool(attempt.sound)
        last = attempt.last_sound(start)
        worst = max(worst, last - end)
        late += last - end > BOUND
        linked += len(attempt.links())
        attempt.stop()
    guard.stop()
    report("races", str(total), late == 0 and linked == 0 and heard > 0,
           f"{heard} were heard before, {late} were late, {linked} links, last sound at most {worst * 1000:.0f} ms "
           "after the command")


def refuse_stubborn():
    forget()
    for name in Stubborn.NAMES:
        permission("revoke", executable(name))


def allowed_hears():
    permission("grant", executable("pw-record"))
    attempt = Recorder("pw-record")
    heard = bool(attempt.heard_after(0))
    attempt.stop()
    return heard


def kills():
    """The guard is killed and started again. While it runs, refused programs get no sound after the bound."""
    refuse_stubborn()
    listener = allowed("listener")
    guard, spans, total = Guard("deny"), [], rounds(100, 15)
    begin = guard.ready
    recording = Recorder("listener", [listener, "--record", *FORMAT, *RAW, "-"])
    stubborn = Stubborn()
    for _ in range(total):
        time.sleep(random.uniform(0, 0.8))
        spans.append((guard.ready + BOUND, time.monotonic()))
        guard.kill()
        guard = Guard("deny")
    time.sleep(2 * BOUND)
    spans.append((guard.ready + BOUND, time.monotonic()))
    tries, heard = stubborn.end(), allowed_hears()
    recording.stop()
    wait(lambda: state().get("uses") == [], 5)
    guard.stop()
    # Each guard logs a start of a use that continues. Only the last one sees the end.
    logged = [event["event"] for event in events("start", "stop") if event["pid"] == recording.process.pid]
    starts = logged.count("start")
    report("kills", "log", 1 < starts <= total + 1 and logged == ["start"] * starts + ["stop"],
           f"{starts} starts and {logged.count('stop')} stops of a use during {total} kills")
    worst = max(attempt.frames(*span) for attempt in tries for span in spans)
    every = sum(attempt.frames(begin) for attempt in tries)
    report("kills", str(total), worst <= MOMENT and (not CLOSED or every == 0) and heard,
           f"{len(tries)} tries, at most {worst} frames of sound while a guard runs, {every} in all; "
           f"an allowed program is heard {heard}")


def restarts():
    """The server is restarted while a guard runs and refused programs keep trying."""
    refuse_stubborn()
    guard, total, longest = Guard("deny"), rounds(20, 3), 0.0
    stubborn = Stubborn()
    for turn in range(total):
        time.sleep(random.uniform(0, 1))
        for program in ("pipewire", "wireplumber", "pipewire-pulse"):
            server("kill", program)
        for program in ("pipewire", "wireplumber", "pipewire-pulse"):
            server("start", program)
            time.sleep(random.uniform(0, 0.3))
        start = time.monotonic()
        subprocess.run([f"{SESSION}/feed"], check=True)
        guard.wait_until_ready()
        longest = max(longest, time.monotonic() - start)
    time.sleep(SILENCE)
    tries, heard = stubborn.end(), allowed_hears()
    worst = max(attempt.frames() for attempt in tries)
    said = guard.said().count("running again")
    guard.stop()
    report("restarts", str(total), worst <= MOMENT and heard,
           f"{len(tries)} tries, at most {worst} frames of sound; guarded again after at most {longest:.1f} s, "
           f"reported {said} times; an allowed program is heard {heard}")


def log():
    """Begin and end of each use."""
    forget()
    total, names, uses = rounds(1_000, 60), ["pw-record", "parec", "arecord"], []
    for name in names:
        permission("grant", executable(name))
    guard = Guard("deny")

    def use(count):
        for turn in range(count):
            attempt = Recorder(names[turn % 3])
            heard = attempt.heard_after(0, 10)
            uses.append((attempt.process.pid, bool(heard)))
            attempt.stop()

    threads = [threading.Thread(target=use, args=(total // 4,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended = wait(lambda: state().get("uses") == [], 5)
    guard.stop()
    pids = {pid for pid, _ in uses}
    found = {pid: [] for pid in pids}
    logged = [event for event in events("start", "stop") if event["pid"] in pids]
    for event in logged:
        found[event["pid"]].append(event["event"])
    wrong = [(pid, found[pid]) for pid in pids if found[pid] != ["start", "stop"]]
    times = [event["boottime"] for event in logged]
    ordered = times == sorted(times)
    heard = sum(heard for _, heard in uses)
    report("log", str(total), not wrong and ordered and bool(ended) and heard == total,
           f"{heard} uses heard, {len(logged)} events, in order {ordered}, all ended {bool(ended)}, wrong {wrong[:5]}")
