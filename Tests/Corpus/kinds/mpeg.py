"""MPEG audio, layers II and III, with and without the frame that states the length."""

import struct

import tags
from recipes import Recipe, Source

# The samples of one frame: the tolerance if a stream does not state the padding in its first and
# last frames.
FRAME = 1152
DECODERS = ("mpg123 -q -w - {f}", "lame --quiet --decode {f} -")
RATES = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]
BITRATES = {
    (3, 3): [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    (3, 2): [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    (2, 3): [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
MODES = {"mono": ("m", 1), "joint": ("j", 2), "stereo": ("s", 2)}


def frames(content):
    """Returns the offsets and sizes of the layer III frames, from the first byte on."""
    place, found = 0, []
    while place + 4 <= len(content):
        word = struct.unpack_from(">I", content, place)[0]
        version, layer = word >> 19 & 3, word >> 17 & 3
        if word >> 21 != 0x7FF or layer != 1:
            raise ValueError(f"no frame at {place}")
        rate = [44100, 48000, 32000][word >> 10 & 3] >> {3: 0, 2: 1, 0: 2}[version]
        kilobits = BITRATES[(3 if version == 3 else 2, 3)][word >> 12 & 15]
        size = (144 if version == 3 else 72) * kilobits * 1000 // rate + (word >> 9 & 1)
        found.append((place, size))
        place += size
    return found


def vbri(content):
    """Adds the VBRI frame of Fraunhofer's encoder at the beginning."""
    found = frames(content)
    header = bytearray(content[:4])
    header[1] |= 1  # no checksum
    header[2] = header[2] & 0x0D | 0xA0
    size = frames(bytes(header))[0][1]
    words = struct.pack(">HHHII", 1, 0x0EB1, 50, len(content) + size, len(found) + 1)
    step = -(-len(found) // 20)
    entries = [
        sum(count for _, count in found[at : at + step]) for at in range(0, len(found), step)
    ]
    table = struct.pack(">HHHH", len(entries), 1, 2, step) + struct.pack(
        f">{len(entries)}H", *entries
    )
    frame = bytes(header) + b"\0" * 32 + b"VBRI" + words + table
    return frame.ljust(size, b"\0") + content


def _add(recipes, name, command, source, kind="mp3", **more):
    more = {"lag": 2 * FRAME, "slack": 0, "others": DECODERS} | more
    recipes.append(Recipe(f"mpeg/{name}", kind, command, source, **more))


def _lame(recipes):
    codings = {
        "cbr-info": "",
        "cbr-bare": "-t",
        "vbr-xing": "-V 4",
        "vbr-bare": "-V 4 -t",
        "abr-xing": "--abr 56",
        "abr-bare": "--abr 56 -t",
    }
    for rate in RATES:
        for mode, (letter, channels) in MODES.items():
            for coding, options in codings.items():
                if mode == "stereo" and coding.startswith("abr"):
                    continue
                bits = f"-b {(128 if rate >= 32000 else 64 if rate >= 16000 else 32)}"
                options = (
                    options or "" if "br " in options or "V" in options else f"{options} {bits}"
                )
                _add(
                    recipes,
                    f"lame-{coding}-{rate}-{mode}.mp3",
                    f"lame --quiet -m {letter} --resample {rate / 1000} {options} {{i}} {{o}}",
                    Source(rate, channels),
                    f"mp3 {coding}",
                )


def _lame_variants(recipes):
    variants = {
        "crc": "-b 128 -p -t",
        "no-reservoir": "-b 128 --nores -t",
        "320": "-b 320 -t",
        "insane": "--preset insane",
        "v0": "-V 0",
        "v9": "-V 9 --resample 44.1",
        "v0-bare": "-V 0 -t",
        "v9-bare": "-V 9 -t --resample 44.1",
        "old-vbr": "--vbr-old -V 4 -t",
        "original": "-b 96 -c -o -t",
        "tagged": "-b 128 --add-id3v2 --tt title --ta artist --tn 3",
        "id3v1-only": "-b 128 -t --id3v1-only --tt title",
        "id3v2-padded": "-V 4 -t --pad-id3v2-size 4000 --tt title",
        "32k": "-b 32 -t",
        "gain": "-b 128 --scale 0.5 -t",
    }
    for name, options in variants.items():
        _add(
            recipes,
            f"lame-{name}.mp3",
            f"lame --quiet --resample 44.1 {options} {{i}} {{o}}",
            Source(seconds=3),
        )
    for name, options in {"cbr": "-b 128", "vbr": "-V 4", "abr": "--abr 100"}.items():
        for rate in (22050, 44100, 48000):
            _add(
                recipes,
                f"lame-pipe-{name}-{rate}.mp3",
                f"cat {{i}} | lame --quiet {options} --resample {rate / 1000} - - | cat >{{o}}",
                Source(rate),
                "mp3 piped",
            )
    for rate, bits in ((44100, 400), (48000, 500)):
        _add(
            recipes,
            f"lame-freeformat-{rate}.mp3",
            f"lame --quiet --freeformat -b {bits} {{i}} {{o}}",
            Source(rate),
            "mp3 free format",
            reference="mpg123 -q -w - {f}",
        )


def _by_ffmpeg(recipes):
    encode = "ffmpeg -v error -y -i {i} -c:a libmp3lame"
    for name, options in {
        "cbr": "-b:a 128k",
        "vbr": "-q:a 4",
        "abr": "-abr 1 -b:a 100k",
        "cbr-bare": "-b:a 128k -write_xing 0",
        "vbr-bare": "-q:a 4 -write_xing 0",
        "id3v24": "-q:a 5 -id3v2_version 4 -metadata title=a",
        "no-id3": "-q:a 5 -id3v2_version 0",
        "id3v1": "-b:a 96k -write_id3v1 1 -metadata title=a",
        "id3v1-bare": "-q:a 6 -write_id3v1 1 -write_xing 0 -metadata title=a",
    }.items():
        for rate in (44100, 24000):
            _add(recipes, f"ffmpeg-{name}-{rate}.mp3", f"{encode} {options} {{o}}", Source(rate))
    for name, options in {"cbr": "-b:a 96k", "vbr": "-q:a 4", "vbr9": "-q:a 9"}.items():
        for channels in (1, 2):
            for rate in (44100, 48000, 16000):
                _add(
                    recipes,
                    f"ffmpeg-pipe-{name}-{rate}-{channels}.mp3",
                    f"{encode} {options} -f mp3 - | cat >{{o}}",
                    Source(rate, channels, 3),
                    "mp3 piped",
                )
    long = Source(48000, 2, 6, 3)
    _add(
        recipes, "ffmpeg-pipe-long.mp3", f"{encode} -q:a 4 -f mp3 - | cat >{{o}}", long, "mp3 piped"
    )


def _by_sox_and_others(recipes):
    for name, options in {"128": "-C 128", "vbr": "-C -4.2", "best": "-C 192.2"}.items():
        _add(recipes, f"sox-{name}.mp3", f"sox {{i}} {options} {{o}}", Source(), "mp3 of sox")
        _add(
            recipes,
            f"sox-pipe-{name}.mp3",
            f"sox {{i}} {options} -t mp3 - | cat >{{o}}",
            Source(),
            "mp3 of sox",
        )
    for channels in (1, 2):
        source = Source(44100, channels)
        _add(recipes, f"shineenc-{channels}.mp3", "shineenc -q {i} {o}", source, "mp3 of shine")
        _add(
            recipes,
            f"ffmpeg-shine-{channels}.mp3",
            "ffmpeg -v error -y -i {i} -c:a libshine -b:a 128k {o}",
            source,
            "mp3 of shine",
        )
        _add(
            recipes,
            f"sndfile-{channels}.mp3",
            "sndfile-convert {i} {o}",
            source,
            "mp3 of libsndfile",
        )


def _by_gstreamer(recipes):
    head = "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert ! lamemp3enc"
    for name, options in {
        "cbr": "target=bitrate cbr=true bitrate=128",
        "vbr": "target=quality quality=4",
        "abr": "target=bitrate bitrate=128",
    }.items():
        for ending, elements in {
            "bare": "",
            "parsed": "! mpegaudioparse",
            "xing": "! mpegaudioparse ! xingmux",
            "id3": "! id3v2mux",
            "ape": "! apev2mux",
            "xing-id3": "! mpegaudioparse ! xingmux ! id3v2mux",
            "xing-ape": "! mpegaudioparse ! xingmux ! apev2mux",
        }.items():
            _add(
                recipes,
                f"gstreamer-{name}-{ending}.mp3",
                f"{head} {options} {elements} ! filesink location={{o}}",
                Source(),
                "mp3 of GStreamer",
            )


def _layer_two(recipes):
    for rate in (16000, 22050, 24000, 32000, 44100, 48000):
        for channels in (1, 2):
            source = Source(rate, channels)
            name = f"{rate}-{channels}.mp2"
            _add(recipes, f"twolame-{name}", "twolame --quiet {i} {o}", source, "mp2")
            bits = "96k" if rate >= 32000 else "64k"
            _add(
                recipes,
                f"ffmpeg-{name}",
                f"ffmpeg -v error -y -i {{i}} -c:a mp2 -b:a {bits} {{o}}",
                source,
                "mp2",
            )
    for name, options in {"vbr": "-V 5", "joint": "-m joint", "crc": "-p", "energy": "-E"}.items():
        _add(
            recipes,
            f"twolame-{name}.mp2",
            f"twolame --quiet {options} {{i}} {{o}}",
            Source(),
            "mp2",
        )
    _add(recipes, "twolame-pipe.mp2", "twolame --quiet {i} - | cat >{o}", Source(), "mp2")
    _add(recipes, "sox.mp2", "sox {i} {o}", Source(), "mp2")
    _add(
        recipes,
        "gstreamer.mp2",
        "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert ! twolamemp2enc !"
        " filesink location={o}",
        Source(),
        "mp2",
    )
    for name, content in {
        "id3v2": tags.before(tags.id3v2()),
        "id3v1": tags.behind(tags.id3v1()),
    }.items():
        _add(
            recipes,
            f"twolame-{name}.mp2",
            "twolame --quiet {i} {o}",
            Source(),
            "mp2",
            edit=content,
            edit_words=f"{name} is added",
        )


def _tagged(recipes):
    streams = {
        "cbr-bare": "-b 128 -t",
        "cbr-info": "-b 128",
        "vbr-bare": "-V 4 -t",
        "vbr-xing": "-V 4",
    }
    edits = {
        "id3v22": tags.before(tags.id3v2(2)),
        "id3v23": tags.before(tags.id3v2(3)),
        "id3v24": tags.before(tags.id3v2(4, footer=True)),
        "id3v2-picture": tags.before(tags.id3v2(3, picture=100_000)),
        "id3v2-padding": tags.before(tags.id3v2(4, padding=5_000)),
        "id3v2-twice": tags.before(tags.id3v2(3) + tags.id3v2(4)),
        "id3v1": tags.behind(tags.id3v1()),
        "apev2": tags.behind(tags.apev2()),
        "apev2-id3v1": tags.behind(tags.apev2() + tags.id3v1()),
        "apev2-front": tags.before(tags.apev2()),
        "lyrics3": tags.behind(tags.lyrics3()),
        "zeros": tags.behind(b"\0" * 4096),
        "zeros-many": tags.behind(b"\0" * 100_000),
        "all": lambda file: tags.id3v2() + file + tags.apev2() + tags.id3v1(),
    }
    for stream, options in streams.items():
        for name, edit in edits.items():
            _add(
                recipes,
                f"tagged-{stream}-{name}.mp3",
                f"lame --quiet {options} {{i}} {{o}}",
                Source(seed=2),
                "mp3 with tags",
                edit=edit,
                edit_words=f"{name} is added",
            )
    for rate, channels in ((44100, 2), (48000, 1), (22050, 2), (32000, 1)):
        _add(
            recipes,
            f"vbri-{rate}-{channels}.mp3",
            "lame --quiet -V 4 -t {i} {o}",
            Source(rate, channels),
            "mp3 with VBRI",
            edit=vbri,
            edit_words="a VBRI frame is put in front",
        )
    for stream in ("cbr-bare", "vbr-bare"):
        for name, edit, words in (
            ("begins", lambda file: file[1234:], "the first 1234 bytes are cut off"),
            ("ends", lambda file: file[:-123], "the last 123 bytes are cut off"),
            ("both", lambda file: file[777:-99], "777 bytes are cut off before, 99 behind"),
        ):
            _add(
                recipes,
                f"within-a-frame-{stream}-{name}.mp3",
                f"lame --quiet {streams[stream]} {{i}} {{o}}",
                Source(seed=3),
                "mp3 cut within a frame",
                edit=edit,
                edit_words=words,
                slack=2 * FRAME,
            )


def _joined(recipes):
    first, second = Source(seed=4), Source(seconds=3, seed=5)
    for coding, options in {
        "cbr-bare": "-b 128 -t",
        "cbr-info": "-b 128",
        "vbr-bare": "-V 4 -t",
        "vbr-xing": "-V 4",
        "id3": "-V 4 --add-id3v2 --tt title",
        "id3v1": "-b 128 -t --id3v1-only --tt title",
    }.items():
        links = []
        for number, source in enumerate((first, second), 1):
            _add(
                recipes,
                f"link-{coding}-{number}.mp3",
                f"lame --quiet {options} {{i}} {{o}}",
                source,
            )
            links.append(f"mpeg/link-{coding}-{number}.mp3")
        for name, chosen in (("two", links), ("three", links + links[:1])):
            _add(
                recipes,
                f"joined-{coding}-{name}.mp3",
                f"cat {' '.join(chosen)} >{{o}}",
                first,
                "mp3 joined",
                reference=chosen,
                slack=2 * FRAME,
                phase=1,
            )
    chosen = ["mpeg/link-cbr-bare-1.mp3", "mpeg/link-vbr-xing-2.mp3"]
    _add(
        recipes,
        "joined-mixed.mp3",
        f"cat {' '.join(chosen)} >{{o}}",
        first,
        "mp3 joined",
        reference=chosen,
        phase=1,
    )


def recipes():
    """Returns the recipes of this kind."""
    found = []
    parts = (_lame, _lame_variants, _by_ffmpeg, _by_sox_and_others, _by_gstreamer)
    for part in (*parts, _layer_two, _tagged, _joined):
        part(found)
    return found
