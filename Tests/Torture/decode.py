"""Decodes every file of a directory as the player does, each in its own process, and measures it.

decode.py ENGINE DIRECTORY: prints a JSON object. It has for each file the exit code (negative: the signal that ended
the process), the message, the number of bytes, the peak memory in kB and the seconds.
"""

import json
import os
import sys
import time

recorder, directory = sys.argv[1:]
order = '{"format":{"rate":48000,"channels":2,"sample":"FLOAT"}}'


def decode(path):
    file = os.open(path, os.O_RDONLY)
    frames, frames_end = os.pipe()
    words, words_end = os.pipe()
    null = os.open("/dev/null", os.O_RDWR)
    places = [(file, 0), (frames_end, 1), (null, 2), (words_end, 3)]
    # Copies all descriptors to high numbers first, so that no target number is overwritten before it is copied.
    lifted = [(os.dup2(source, 100 + place), place) for source, place in places]
    began = time.monotonic()
    process = os.posix_spawn(
        recorder,
        [recorder, "decode", order],
        {},
        file_actions=[(os.POSIX_SPAWN_DUP2, source, place) for source, place in lifted],
    )
    for source, _ in places + lifted:
        os.close(source)
    count = 0
    while part := os.read(frames, 1 << 16):
        count += len(part)
    said = os.read(words, 4096)
    _, status, usage = os.wait4(process, 0)
    os.close(frames)
    os.close(words)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "words": said.decode(errors="replace"),
        "bytes": count,
        "memory": usage.ru_maxrss,
        "seconds": time.monotonic() - began,
    }


names = sorted(os.listdir(directory))
print(json.dumps({name: decode(os.path.join(directory, name)) for name in names}))
