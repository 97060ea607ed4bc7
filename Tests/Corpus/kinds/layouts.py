"""One channel after the other, in each layout that a file can name."""


import signals
from kinds.others import caf
from kinds.ogg import OPUSDEC
from kinds.wave import build
from recipes import Recipe, placed

VORBIS = ["3.0", "quad", "5.0", "5.1", "6.1", "7.1"]
MASKED = ["3.0", "quad", "4.0", "5.0", "5.0(side)", "5.1", "5.1(side)", "6.1", "7.1"]


def recipes():
    """The recipes of this kind."""
    found = []

    def add(name, command, layout, mixes=True, **more):
        ending = name.rsplit(".", 1)[1]
        kind = "channels: " + {"ogg": "vorbis", "m.caf": "caf"}.get(ending, ending)
        name, ending = name.rsplit(".", 1)
        file = layout.replace("(", "-").replace(")", "")
        found.append(
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

    opus = {"lag": 400, "slack": 960, "reference": "ffmpeg", "others": [OPUSDEC], "rates": [48000]}
    vorbis = {"lag": 64, "slack": 2048, "reference": "ffmpeg"}
    for layout in VORBIS:
        add("oggenc.ogg", "oggenc -Q --serial 7 -o {o} {i}", layout, **vorbis)
        add("ffmpeg.ogg", "ffmpeg -v error -y -i {i} -c:a libvorbis -q:a 6 {o}", layout, **vorbis)
        add("opusenc.opus", "opusenc --quiet --serial 7 --bitrate 512 {i} {o}", layout, **opus)
        add(
            "ffmpeg.opus",
            "ffmpeg -v error -y -i {i} -c:a libopus -b:a 450k -mapping_family 1 {o}",
            layout,
            **opus,
        )
    for layout in MASKED:
        if "side" not in layout:
            # It does not say in FLAC that channels are at the side.
            add("ffmpeg.flac", "ffmpeg -v error -y -i {i} {o}", layout)
        add("ffmpeg.wav", "ffmpeg -v error -y -i {i} {o}", layout)
        add("ffmpeg-float.wav", "ffmpeg -v error -y -i {i} -c:a pcm_f32le {o}", layout)
        add("ffmpeg.rf64", "ffmpeg -v error -y -i {i} -rf64 always -f wav {o}", layout)
        add("ffmpeg.w64", "ffmpeg -v error -y -i {i} {o}", layout)
        add("ffmpeg-float.w64", "ffmpeg -v error -y -i {i} -c:a pcm_f32le {o}", layout)
        source = placed(layout)
        add(
            "mask.wav",
            "",
            layout,
            edit_words="an extensible header with the mask",
            edit=lambda _, s=source, l=layout: build(s, channel_mask=signals.mask(l)),
        )
        add(
            "bitmap.caf",
            "",
            layout,
            edit_words="a layout by its bits",
            edit=lambda _, s=source, l=layout: caf(s, 0x10000, signals.mask(l)),
        )
    for layout in ("3.0", "quad", "5.0", "5.1", "7.1"):
        add("flac.flac", "flac -s -f -o {o} {i}", layout)
        add("ffmpeg.caf", "ffmpeg -v error -y -i {i} -c:a pcm_s16le {o}", layout)
    for layout in ("3.0", "5.0", "5.1", "6.1"):
        add("ffmpeg-alac.caf", "ffmpeg -v error -y -i {i} -c:a alac {o}", layout)
    # The tags of MPEG that differ from WAVE in the order: C and D of 5.1, B of 3.0.
    for name, layout, tag, order in (
        ("mpeg-3.0-b", "3.0", 114 << 16 | 3, [2, 0, 1]),
        ("mpeg-5.1-b", "5.1", 122 << 16 | 6, [0, 1, 4, 5, 2, 3]),
        ("mpeg-5.1-c", "5.1", 123 << 16 | 6, [0, 2, 1, 4, 5, 3]),
        ("mpeg-5.1-d", "5.1", 124 << 16 | 6, [2, 0, 1, 4, 5, 3]),
    ):
        add(
            f"{name}.caf",
            "",
            layout,
            edit_words=f"the layout {name} and its order",
            edit=lambda _, s=placed(layout), t=tag, o=order: caf(s, t, order=o),
        )
    # Nothing says where the channels of these belong.
    for layout in ("3.0", "5.1", "7.1"):
        add("sox.aiff", "sox {i} {o}", layout, mixes=False)
        add("sox.au", "sox {i} {o}", layout, mixes=False)
        add(
            "plain.wav",
            "",
            layout,
            mixes=False,
            edit_words="a header without a mask",
            edit=lambda _, s=placed(layout): build(s),
        )
    return found
