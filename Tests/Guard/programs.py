"""Programs that record, and the decisions about them, for the checks of the guard and of its script."""

import array
import json
import os
import subprocess
import threading
import time

SESSION = os.environ["GUARD_SESSION"]
MANAGER = dict(os.environ, PIPEWIRE_REMOTE="pipewire-0-manager")
FORMAT = ["--format=s16", "--rate=48000", "--channels=2"]
# Without this option, 0.3.65 writes plain samples to standard output.
RAW = ["--raw"] if "--raw" in subprocess.run(["pw-cat", "--help"], capture_output=True, text=True).stdout else []
# The program ends with the thread that started it.
WITH_US = ["setpriv", "--pdeathsig", "KILL"]
MONITOR = ["pw-record", *FORMAT, *RAW, "-P", "{ stream.capture.sink=true }", "--target", "speaker", "-"]

PROGRAMS = {
    "arecord": "arecord -q -D pipewire -f S16_LE -r 48000 -c 2 -t raw".split(),
    "parec": "parec --raw --format=s16le --rate=48000 --channels=2 --latency-msec=20".split(),
    "pw-record": ["pw-record", *FORMAT, *RAW, "-"],
    "ffmpeg": "ffmpeg -loglevel error -f pulse -i default -f s16le -flush_packets 1 pipe:1".split(),
    "gstreamer": "gst-launch-1.0 -q pipewiresrc ! audio/x-raw,format=S16LE,rate=48000,channels=2 ! fdsink sync=false".split(),
    "renamed": ["pw-cat", "--record", *FORMAT, *RAW, "-"],
}


def compiled(name, *options):
    result, source = f"{SESSION}/{name}", os.path.join(os.path.dirname(os.path.realpath(__file__)), f"{name}.c")
    if not os.path.exists(result):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libpipewire-0.3"], capture_output=True, text=True).stdout
        subprocess.run(["cc", "-O2", *options, "-o", result, source, *flags.split(), "-lm"], check=True)
    return result


def environment(name):
    values = dict(os.environ)
    if name == "renamed":
        values["LD_PRELOAD"] = compiled("rename", "-shared", "-fPIC")
        values["PIPEWIRE_PROPS"] = "{ application.name=recorder application.process.binary=recorder }"
    return values


class Recorder:
    """A running program; `sound` has the times at which samples other than zero arrived, with their number."""

    def __init__(self, name, arguments=None):
        self.name, self.bytes, self.sound, self.data = name, 0, [], bytearray()
        self.process = subprocess.Popen(
            [*WITH_US, *(arguments or PROGRAMS[name])], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment(name))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while chunk := os.read(self.process.stdout.fileno(), 65536):
            now = time.monotonic()
            self.bytes += len(chunk)
            self.data += chunk
            # A single odd byte at the end of a chunk does not matter here.
            count = len(chunk) // 2 - array.array("h", chunk[: len(chunk) // 2 * 2]).count(0)
            if count:
                self.sound.append((now, count))

    def samples(self):
        return sum(count for _, count in self.sound)

    def frames(self, start=0.0, end=float("inf")):
        """The frames of sound that arrived in a time."""
        return sum(count for t, count in self.sound if start < t <= end) // 2

    def heard_after(self, start, seconds=10):
        """The time of the first sound after a time, or None."""
        return wait(lambda: next((t for t, _ in self.sound if t > start), None), seconds)

    def last_sound(self, start):
        return max([start, *(t for t, _ in self.sound)])

    def links(self):
        return [link for client in self.clients() for link in links(client)]

    def serials(self):
        """The numbers of its links. Other than an identifier, the server never uses such a number again."""
        return {properties(link)["object.serial"] for link in self.links()}

    def clients(self):
        return clients(self.process.pid)

    def wait_for_clients(self):
        return wait(lambda: [each for each in self.clients() if captures(each)], 15)

    def decide(self, word, service="microphone"):
        found = self.clients()
        for client in found:
            decide(client, service, word)
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.thread.join(2)


def wait(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.02)
    return condition()


def dump():
    """The objects of the server. pw-dump prints another list with the objects that change meanwhile."""
    decoder, found = json.JSONDecoder(), {}
    try:
        text = subprocess.run(["pw-dump"], capture_output=True, text=True, timeout=5).stdout.strip()
        while text:
            items, end = decoder.raw_decode(text)
            found.update((item["id"], item) for item in items)
            text = text[end:].lstrip()
    except (json.JSONDecodeError, subprocess.TimeoutExpired):
        return []
    return [item for item in found.values() if item.get("info")]


def properties(item):
    return (item.get("info") or {}).get("props") or {}


def clients(pid):
    return [
        item for item in dump()
        if item["type"].endswith(":Client")
        and pid in (properties(item).get("pipewire.sec.pid"), properties(item).get("application.process.id"))]


def captures(client):
    return nodes(client["id"])


def nodes(client):
    return [item["id"] for item in dump() if item["type"].endswith(":Node") and properties(item).get("client.id") == client]


def links(client):
    """The links that end at a node of a client."""
    own = nodes(client["id"])
    return [item for item in dump() if item["type"].endswith(":Link") and item["info"]["input-node-id"] in own]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout


def is_listed():
    """Programs that only look see the microphone."""
    return ("microphone:capture_FL" in output("pw-link", "-o") and "Microphone" in output("wpctl", "status")
            and "microphone" in output("pactl", "list", "short", "sources"))


def breaks(data):
    """The samples of the left channel, and the breaks in a sine of 1 kHz, whose recursion is exact without them."""
    samples = memoryview(bytes(data[: len(data) // 4 * 4])).cast("h")[::2].tolist()
    factor = 1.9828897227476208  # 2 cos(2π 1000 / 48000)
    return samples, sum(abs(samples[i] + samples[i - 2] - factor * samples[i - 1]) > 8 for i in range(2, len(samples)))


def decide(client, service, word):
    """Plays the guard."""
    serial = properties(client)["object.serial"]
    subprocess.run(
        ["pw-metadata", "-n", "recorder-guard", str(client["id"]), service, f"{word} {serial}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=MANAGER, timeout=10)


def server(action, program):
    subprocess.run([f"{SESSION}/control", action, program], check=True, timeout=10)
