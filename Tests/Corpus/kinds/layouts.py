"""One channel after the other, in each layout that a file can state."""

from functools import partial

import signals
from kinds.others import caf
from kinds.ogg import OPUSDEC
from kinds.wave import build
from recipes import Recipe, placed

VORBIS = ["3.0", "quad", "5.0", "5.1", "6.1", "7.1"]
MASKED = ["3.0", "quad", "4.0", "5.0", "5.0(side)", "5.1", "5.1(side)", "6.1", "7.1"]


def _add(recipes, name, command, layout, mixes=True, **more):
    name, ending = name.rsplit(".", 1)
    kind = "channels: " + {"ogg": "vorbis"}.get(ending, ending)
    file = layout.replace("(", "-").replace(")", "")
    recipes.append(
        Recipe(
            f"layouts/{name}-{file}.{ending}",
            kind,
            command,
            placed(layout),
            mixes=mixes,
            channels=len(signals.LAYOUTS[layout]),
            **{"reference": "source"} | more,
        )
    )


def _made(recipes, name, layout, build, words, **more):
    """Adds a file that is written byte by byte."""
    _add(recipes, name, "", layout, edit=lambda _: build(), edit_words=words, **more)


def _in_ogg(recipes):
    opus = {"lag": 400, "slack": 960, "reference": "ffmpeg", "others": [OPUSDEC], "rates": [48000]}
    vorbis = {"lag": 64, "slack": 2048, "reference": "ffmpeg"}
    for layout in VORBIS:
        _add(recipes, "oggenc.ogg", "oggenc -Q --serial 7 -o {o} {i}", layout, **vorbis)
        _add(
            recipes,
            "ffmpeg.ogg",
            "ffmpeg -v error -y -i {i} -c:a libvorbis -q:a 6 {o}",
            layout,
            **vorbis,
        )
        _add(
            recipes,
            "opusenc.opus",
            "opusenc --quiet --serial 7 --bitrate 512 {i} {o}",
            layout,
            **opus,
        )
        _add(
            recipes,
            "ffmpeg.opus",
            "ffmpeg -v error -y -i {i} -c:a libopus -b:a 450k -mapping_family 1 {o}",
            layout,
            **opus,
        )


def _masked(recipes):
    for layout in MASKED:
        if "side" not in layout:
            # In FLAC, ffmpeg does not state side channels.
            _add(recipes, "ffmpeg.flac", "ffmpeg -v error -y -i {i} {o}", layout)
        _add(recipes, "ffmpeg.wav", "ffmpeg -v error -y -i {i} {o}", layout)
        _add(recipes, "ffmpeg-float.wav", "ffmpeg -v error -y -i {i} -c:a pcm_f32le {o}", layout)
        _add(recipes, "ffmpeg.rf64", "ffmpeg -v error -y -i {i} -rf64 always -f wav {o}", layout)
        _add(recipes, "ffmpeg.w64", "ffmpeg -v error -y -i {i} {o}", layout)
        _add(recipes, "ffmpeg-float.w64", "ffmpeg -v error -y -i {i} -c:a pcm_f32le {o}", layout)
        source, mask = placed(layout), signals.mask(layout)
        wave = partial(build, source, channel_mask=mask)
        _made(recipes, "mask.wav", layout, wave, "an extensible header with the mask")
        bitmap = partial(caf, source, 0x10000, mask)
        _made(recipes, "bitmap.caf", layout, bitmap, "a layout by its bits")
    for layout in ("3.0", "quad", "5.0", "5.1", "7.1"):
        _add(recipes, "flac.flac", "flac -s -f -o {o} {i}", layout)
        if layout != "7.1":
            # In the layout that ffmpeg states, the side and back channels are exchanged.
            _add(recipes, "ffmpeg.caf", "ffmpeg -v error -y -i {i} -c:a pcm_s16le {o}", layout)
    for layout in ("3.0", "5.0", "5.1", "6.1"):
        _add(recipes, "ffmpeg-alac.caf", "ffmpeg -v error -y -i {i} -c:a alac {o}", layout)


# Apple's layout tags with another channel order than WAVE.
APPLE_LAYOUTS = {
    "mpeg-3.0-b": ("3.0", 114 << 16 | 3, [2, 0, 1]),
    "mpeg-5.1-b": ("5.1", 122 << 16 | 6, [0, 1, 4, 5, 2, 3]),
    "mpeg-5.1-c": ("5.1", 123 << 16 | 6, [0, 2, 1, 4, 5, 3]),
    "mpeg-5.1-d": ("5.1", 124 << 16 | 6, [2, 0, 1, 4, 5, 3]),
    "mpeg-7.1-c": ("7.1", 128 << 16 | 8, [0, 1, 2, 3, 6, 7, 4, 5]),
}


def _other_orders(recipes):
    for name, (layout, tag, order) in APPLE_LAYOUTS.items():
        file = partial(caf, placed(layout), tag, order=order)
        _made(recipes, f"{name}.caf", layout, file, f"the layout {name} and its order")


def _unsaid(recipes):
    """Adds files that do not state the positions of their channels."""
    for layout in ("3.0", "5.1", "7.1"):
        _add(recipes, "sox.aiff", "sox {i} {o}", layout, mixes=False)
        _add(recipes, "sox.au", "sox {i} {o}", layout, mixes=False)
        wave = partial(build, placed(layout))
        _made(recipes, "plain.wav", layout, wave, "a header without a mask", mixes=False)


def recipes():
    """Returns the recipes of this kind."""
    found = []
    for part in (_in_ogg, _masked, _other_orders, _unsaid):
        part(found)
    return found
