"""Part of check-guard: a filter inside the sound server, which offers a microphone of its own."""

import os
import subprocess
import time

from guards import MOMENT, SILENCE, Guard, allowed, copied, events, forget, report
from programs import FORMAT, RAW, SESSION, Recorder, dump, properties, server, wait

SETTINGS = f"{os.environ['XDG_CONFIG_HOME']}/pipewire/pipewire.conf.d/filter.conf"
# Echo cancellation consists of the same two streams, with a computation between them.
FILTER = """
context.modules = [ { name = libpipewire-module-loopback args = {
  audio.position = [ FL FR ]
  capture.props = { node.name = filter  target.object = microphone }
  playback.props = { node.name = filtered  media.class = Audio/Source }
} } ]
"""


def restart():
    for action in ("kill", "start"):
        for program in ("pipewire", "wireplumber", "pipewire-pulse"):
            server(action, program)
    subprocess.run([f"{SESSION}/feed"], check=True)


def numbers(name):
    return [item["id"] for item in dump()
            if item["type"].endswith(":Node") and properties(item).get("node.name") == name]


def filter_links():
    """The links from the microphone to the filter."""
    nodes, sources = numbers("filter"), numbers("microphone")
    return [item for item in dump() if item["type"].endswith(":Link") and item["info"]["input-node-id"] in nodes
            and item["info"]["output-node-id"] in sources]


def recording(program):
    return Recorder(program, [program, "--record", "--target", "filtered", *FORMAT, *RAW, "-"])


def filters():
    """The filter gets the microphone, and its own microphone is guarded."""
    forget()
    with open(SETTINGS, "w", encoding="ascii") as file:
        file.write(FILTER)
    try:
        restart()
        before = len(events("refuse"))
        guard = Guard("deny")
        linked = wait(lambda: len(filter_links()) == 2, 10)
        other = recording(copied("other"))
        other.wait_for_clients()
        time.sleep(SILENCE)
        frames = other.frames()
        other.stop()
        listener = recording(allowed("listener"))
        heard = listener.heard_after(0)
        listener.stop()
        stays = len(filter_links()) == 2
        # Only the program without permission was refused.
        refused = {event.get("client") for event in events("refuse")[before:]}
        guard.stop()
    finally:
        os.unlink(SETTINGS)
        restart()
    report("filters", "loopback", bool(linked) and stays and bool(heard) and frames <= MOMENT
           and refused == {f"path:{copied('other')}"},
           f"linked {bool(linked)}, at the end {stays}; frames of sound without permission {frames}, with it heard "
           f"{bool(heard)}; refused {sorted(refused, key=str)}")
