"""Part of check-guard: attacks of programs without permission. docs/design/guard-attacks.md has the list."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from deciding import microphones
from guards import (
    BOUND, CLOSED, MOMENT, RECORDER, SILENCE, Guard, allowed, copied, events, forget, permission, recorder, report,
    rounds, state)
from programs import (
    FORMAT, MANAGER, MONITOR, PROGRAMS, RAW, SESSION, WITH_US, Recorder, clients, compiled, dump, output, properties,
    server, wait)

RECORD = ["--record", *FORMAT, *RAW, "-"]
SLEEP = os.path.realpath(shutil.which("sleep"))


def linking(target="microphone", media_class="Stream/Input/Audio", **variables):
    """The program of attack.c, which links itself."""
    words = [f"ATTACK_{name.upper()}={value}" for name, value in variables.items()]
    return Recorder("attack", ["env", *words, compiled("attack"), target, media_class])


def started(stack, *command):
    process = subprocess.Popen([*WITH_US, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def by_tool(stack):
    """A stream without a target, and pw-link."""
    options = ["--target", "0", "-P", "{ node.name = unlinked }"]
    attempt = Recorder("unlinked", ["pw-record", *options, *RECORD[1:]])
    wait(lambda: "unlinked:input_FR" in output("pw-link", "-i"), 5)
    for side in ("FL", "FR"):
        output("pw-link", f"microphone:capture_{side}", f"unlinked:input_{side}")
    return attempt


def speaker(stack):
    started(stack, "pw-cat", "--playback", "--target", "speaker", f"{SESSION}/tone.wav")
    return linking("speaker")


def monitor_of_capture(stack):
    """The monitor of an allowed program that records."""
    other = Recorder("listener", [allowed("listener"), *RECORD[:-1], "-P", "{ node.name = listener }", "-"])
    stack.callback(other.stop)
    other.heard_after(0)
    return linking("listener")


def nameless(stack):
    """A node without a name and without an owner, to which the microphone is linked, and its monitor."""
    known = {item["id"] for item in dump()}
    output("pw-cli", "create-node", "adapter", "{ factory.name=support.null-audio-sink media.class=Audio/Sink "
           "object.linger=true audio.position=[ FL FR ] }")
    node = wait(lambda: [item for item in dump() if item["id"] not in known and item["type"].endswith(":Node")
                         and "node.name" not in properties(item)], 5)[0]
    stack.callback(output, "pw-cli", "destroy", str(node["id"]))

    def inputs():
        return sorted(item["id"] for item in dump() if properties(item).get("node.id") == node["id"]
                      and properties(item).get("port.direction") == "in")
    wait(lambda: len(inputs()) == 2, 5)
    for side, port in zip(("FL", "FR"), inputs()):
        output("pw-link", f"microphone:capture_{side}", str(port))
    serial = str(properties(node)["object.serial"])
    return Recorder("nameless", [serial if word == "speaker" else word for word in MONITOR])


def hard_link(stack):
    other = f"{SESSION}/hard"
    os.link(allowed("listener"), other)
    stack.callback(os.unlink, other)
    return Recorder("hard", [other, *RECORD])


def mounted(stack):
    """Another file at the path of an allowed program, in a namespace of its own."""
    path = allowed("listener")
    words = " ".join([path, *RECORD])
    script = f"mount --bind {copied('other')} {path} && exec {words}"
    return Recorder("mounted", ["unshare", "-Urm", "sh", "-c", script])


def in_memory(_):
    """A file in memory that has the path of an allowed program in its name."""
    code = ("import os, sys; file = os.memfd_create(sys.argv[1][1:]); os.write(file, open(sys.argv[1], 'rb').read()); "
            "os.execve(file, sys.argv[1:], os.environ)")
    return Recorder("memory", ["python3", "-c", code, allowed("listener"), *RECORD])


def foreign_number(stack):
    """A program behind pipewire-pulse that claims the process of an allowed program, which is connected."""
    permission("grant", os.path.realpath(shutil.which("pactl")))
    other = started(stack, "pactl", "subscribe")
    wait(lambda: clients(other.pid), 5)
    return Recorder("claim", ["env", f"PULSE_PROP=application.process.id={other.pid}", *PROGRAMS["parec"]])


def claiming(words):
    return lambda _: linking(properties=words)


# Each starts a program that would get sound if there were no guard.
ATTACKS = {
    "links itself": lambda _: linking(),
    "plays by class": lambda _: linking(media_class="Stream/Output/Audio"),
    "no class": lambda _: linking(media_class=""),
    "later port": lambda _: linking(media_class="Stream/Output/Audio", later="yes"),
    "pw-link": by_tool,
    "speaker": speaker,
    "player": lambda _: linking("tone"),
    "capture": monitor_of_capture,
    "nameless": nameless,
    "recorder": claiming("application.name=recorder application.process.binary=recorder node.name=recorder"),
    "manager": claiming("media.category=Manager media.role=Manager"),
    "rights": claiming("pipewire.client.access=unrestricted pipewire.sec.pid=1"),
    "snap": claiming("pipewire.snap.id=x pipewire.snap.audio.record=true pipewire.snap.audio.playback=true"),
    "ended process": lambda _: linking(exec=shutil.which("true")),
    "hard link": hard_link,
    "mount": mounted,
    "memory": in_memory,
    "foreign number": foreign_number,
}
RACES = ("links itself", "plays by class", "later port")
# These link themselves again so fast that their moments add up, if the server does not check links.
REPEATED = () if CLOSED else ("later port", "player", "capture")


def tried(start, expected=False):
    """The frames of sound that an attack gets, and its links at the end."""
    with contextlib.ExitStack() as stack:
        attempt = start(stack)
        stack.callback(attempt.stop)
        if not (expected and attempt.heard_after(0)):
            attempt.wait_for_clients()
            time.sleep(SILENCE)
        # A program that links itself again has links at any time, but none of them may last.
        lasting = attempt.serials()

        def are_gone():
            lasting.intersection_update(attempt.serials())
            return not lasting

        wait(are_gone, BOUND)
        return attempt.frames(), len(lasting)


def attack():
    """Attacks that have to fail, each first without a guard, unless the server is closed then too."""
    forget()
    works = subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode == 0
    chosen = {name: start for name, start in ATTACKS.items() if works or name != "mount"}
    if not works:
        report("attack", "mount", os.environ.get("GUARD_NO_SANDBOX") == "yes", "not tested: no namespace of its own")
    before = {name: tried(start, expected=True)[0] for name, start in chosen.items()} if not CLOSED else {}
    guard = Guard("deny")
    for name, start in chosen.items():
        found = [tried(start) for _ in range(rounds(20, 3) if name in RACES else 1)]
        frames, linked = [each[0] for each in found], sum(each[1] for each in found)
        promised = max(frames) <= MOMENT or name in REPEATED
        report("attack", name, promised and not linked and (CLOSED or before[name] > 0),
               f"frames of sound {frames}, links at the end {linked}; without a guard {before.get(name, 'not tried')}")
    logged = [event for event in events("refuse") if event.get("client") == f"path:{compiled('attack')}"]
    report("attack", "log", bool(logged), f"refusals of the program that links itself {len(logged)}")
    loopback()
    if CLOSED:
        left_stream(guard)
    second()
    forget()
    for claim in ("", "media.category = Manager", "pipewire.snap.id = recorder"):
        tools(guard, claim)
        forget()
    stopped(guard)
    guard.stop()
    if CLOSED:
        old_script()
    known_ways()


def loopback():
    """pipewire-pulse is asked to bring the microphone to the speaker."""
    module = output("pactl", "load-module", "module-loopback", "source=microphone", "sink=speaker").strip()
    time.sleep(SILENCE)
    from_microphone = [item for item in dump() if item["type"].endswith(":Link")
                       and item["info"]["output-node-id"] in microphones()]
    output("pactl", "unload-module", module)
    report("attack", "loopback", module.isdigit() and not from_microphone,
           f"module {module}, links of the microphone {len(from_microphone)}")


def left_stream(guard):
    """A stream of a program that has ended. WirePlumber does not link it, even if no guard runs.

    Without the script it is linked, but no program gets its sound.
    """
    os.kill(guard.process.pid, signal.SIGSTOP)
    output("pw-cli", "create-node", "adapter", "{ factory.name=support.null-audio-sink node.name=left "
           "media.class=Stream/Input/Audio node.autoconnect=true object.linger=true audio.position=[ FL FR ] }")
    found = wait(lambda: [item["id"] for item in dump() if properties(item).get("node.name") == "left"], 5) or [None]
    time.sleep(SILENCE)
    linked = [item for item in dump() if item["type"].endswith(":Link") and item["info"]["input-node-id"] == found[0]]
    output("pw-cli", "destroy", "left")
    os.kill(guard.process.pid, signal.SIGCONT)
    report("attack", "left stream", found[0] is not None and not linked, f"node {found[0]}, links {len(linked)}")


def second():
    """Another guard, which would write other decisions."""
    other = subprocess.run(
        [RECORDER, "guard", "run", "--mode", "log"], capture_output=True, text=True, timeout=20, check=False)
    report("attack", "second guard", other.returncode == 1 and "already running" in other.stderr,
           f"exit {other.returncode}: {other.stderr.strip()[:60]}")


def tools(guard, claim):
    """Tools that try to open the microphone for a client, or to disturb the guard."""
    path = compiled("attack")
    attempt = Recorder("attack", [path, "none"])
    client = attempt.wait_for_clients()[0]
    subject, serial = str(client["id"]), properties(client).get("object.serial")
    ids = {properties(item).get("node.name"): str(item["id"]) for item in dump()}
    own = str(clients(guard.process.pid)[0]["id"])
    settings = f"{SESSION}/claims/pipewire/client.conf.d"
    os.makedirs(settings, exist_ok=True)
    pathlib.Path(f"{settings}/claims.conf").write_text(f"context.properties = {{ {claim} }}\n", "ascii")
    claimed = dict(os.environ, XDG_CONFIG_HOME=f"{SESSION}/claims")
    commands = [
        ["pw-cli", "permissions", subject, ids["microphone"], "456"],
        ["pw-metadata", "-n", "recorder-guard", subject, "microphone", f"allow {serial}"],
        ["pw-metadata", "-n", "recorder-guard", subject, "links", f"allow {serial}"],
        ["pw-link", "microphone:capture_FL", "attack:a"],
        ["pw-link", "microphone:capture_FR", "attack:b"],
    ]
    if CLOSED:
        # Elsewhere every program has all rights, also to end another client.
        commands[:0] = [["pw-cli", "permissions", own, "4294967295", "0"], ["pw-cli", "destroy", own]]
    for command in commands:
        subprocess.run(command, capture_output=True, timeout=10, env=claimed, check=False)
    time.sleep(BOUND)
    listing = ["pw-metadata", "-n", "recorder-guard", subject]
    written = subprocess.run(
        listing, capture_output=True, text=True, env=MANAGER, timeout=10, check=False).stdout
    linked, frames = len(attempt.links()), attempt.frames()
    stays = [str(each["id"]) for each in clients(guard.process.pid)] == [own]
    permission("grant", path)
    manager = MANAGER if os.path.exists(f"{os.environ['XDG_RUNTIME_DIR']}/pipewire-0-manager") else os.environ
    # The guard may have restored the link already.
    subprocess.run(commands[-2], capture_output=True, env=manager, timeout=10, check=False)
    heard = attempt.heard_after(0)
    attempt.stop()
    report("attack", "tools", not linked and frames <= MOMENT and "allow" not in written and stays and bool(heard),
           f"as {claim or 'itself'}: links {linked}, frames of sound {frames}, metadata written {'allow' in written}, "
           f"guard connected {stays}, heard after a grant {bool(heard)}")


def stopped(guard):
    """The guard is stopped by a signal. Without its script, the microphone is open until it continues."""
    os.kill(guard.process.pid, signal.SIGSTOP)
    attempt = Recorder("pw-record")
    attempt.heard_after(0, 2 if CLOSED else 10)
    frames = attempt.frames()
    os.kill(guard.process.pid, signal.SIGCONT)
    time.sleep(BOUND)
    now = time.monotonic()
    time.sleep(SILENCE)
    linked, late = len(attempt.links()), attempt.frames(now)
    attempt.stop()
    report("attack", "stopped guard", bool(frames) != CLOSED and not linked and not late,
           f"frames of sound {frames}, links {linked} and frames {late} after it continued")


def old_script():
    """A script with another version is not used, and holds every program."""
    path = f"{os.environ['XDG_DATA_HOME']}/wireplumber/scripts/recorder-guard.lua"
    text = pathlib.Path(path).read_text("utf-8")

    def load(script):
        pathlib.Path(path).write_text(script, "utf-8")
        server("kill", "wireplumber")
        server("start", "wireplumber")
    load(text.replace('version = "1"', 'version = "0"'))
    guard = subprocess.Popen(
        [*WITH_US, RECORDER, "guard", "run", "--mode", "deny"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    reported = wait(lambda: "version 0" in state().get("reason", ""), 20)
    attempt = Recorder("listener", [allowed("listener"), *RECORD])
    attempt.heard_after(0, 3)
    frames, level = attempt.frames(), state().get("level")
    attempt.stop()
    guard.terminate()
    guard.wait(10)
    load(text)
    report("attack", "old script", bool(reported) and not frames and level == "cut",
           f"reported {bool(reported)}, level {level}, frames of sound of an allowed program {frames}")


def known_ways():
    """Ways around the guard that docs/guard.md names. If one is closed, the documentation is wrong."""
    forget()
    replaced, library = allowed("replaced"), compiled("rename", "-shared", "-fPIC")
    recorder("permission", "grant", "system-audio", "--program", SLEEP)
    permission("grant", SLEEP)
    shutil.copy(replaced, f"{replaced}.new")
    with open(f"{replaced}.new", "ab") as file:
        file.write(b"another program")
    os.replace(f"{replaced}.new", replaced)
    guard = Guard("deny")
    for name, start in {
            "replaced file": lambda: Recorder("replaced", [replaced, *RECORD]),
            "preloaded code": lambda: Recorder("preloaded", ["env", f"LD_PRELOAD={library}", replaced, *RECORD]),
            "executed later": lambda: linking(exec=SLEEP)}.items():
        attempt = start()
        heard = attempt.heard_after(0)
        attempt.stop()
        report("open", name, bool(heard), f"heard {bool(heard)}")
    guard.stop()
