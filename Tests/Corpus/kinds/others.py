"""AIFF, AU, CAF, VOC and old formats."""

import struct

import tags
from recipes import Recipe, Source
from signals import samples


def _ffmpeg(codec, options=""):
    return f"ffmpeg -v error -y -i {{i}} -c:a {codec} {options} {{o}}"


def _aiff(recipes):
    def add(name, command, source, **more):
        recipes.append(Recipe(f"aiff/{name}", "aiff", command, source, **more))

    for codec in (
        "pcm_s8",
        "pcm_s16be",
        "pcm_s24be",
        "pcm_s32be",
        "pcm_f32be",
        "pcm_f64be",
        "pcm_alaw",
        "pcm_mulaw",
        "pcm_s16le",
    ):
        for channels in (1, 2):
            add(f"ffmpeg-{codec}-{channels}.aif", _ffmpeg(codec), Source(44100, channels))
    for name, options in {"8": "-b 8", "16": "-b 16", "24": "-b 24", "32": "-b 32"}.items():
        add(f"sox-{name}.aiff", f"sox {{i}} {options} {{o}}", Source())
        add(f"sox-{name}-mono.aifc", f"sox {{i}} {options} {{o}}", Source(22050, 1))
    for encoding in ("pcm16", "pcms8", "pcm24", "float32", "float64", "ulaw", "alaw", "ima-adpcm"):
        slack = 4096 if "adpcm" in encoding else 0
        # sndfile-convert normalizes floats to full scale.
        reference = "ffmpeg" if "float" in encoding else "source"
        add(
            f"sndfile-{encoding}.aifc",
            f"sndfile-convert -{encoding} {{i}} {{o}}",
            Source(),
            slack=slack,
            reference=reference,
        )
    add("sndfile-gsm.aifc", "sndfile-convert -gsm610 {i} {o}", Source(8000, 1), slack=640)
    for width in (16, 24):
        add(
            f"sndfile-dwvw{width}.aifc",
            f"sndfile-convert -dwvw{width} {{i}} {{o}}",
            Source(44100, 1),
            reference="source",
        )
    add("sndfile-little.aifc", "sndfile-convert -pcm16 -endian=little {i} {o}", Source())
    for rate in (8000, 96000, 192000):
        add(f"rate-{rate}.aif", "sox {i} {o}", Source(rate))
    # With eight channels, ffmpeg exchanges the side and back channels of the layout that it states.
    for channels in (3, 4, 6):
        add(f"channels-{channels}.aif", _ffmpeg("pcm_s16be"), Source(48000, channels, 1))

    def behind(file):
        more = b"NAME" + struct.pack(">I", 8) + b"A title\0" + b"ID3 " + struct.pack(">I", 1000)
        more += (tags.id3v2() + b"\0" * 1000)[:1000]
        return file[:4] + struct.pack(">I", len(file) - 8 + len(more)) + file[8:] + more

    edited = {"edit_words": "chunks NAME and ID3 are put behind", "edit": behind}
    add("chunks-behind.aif", _ffmpeg("pcm_s16be"), Source(), **edited)
    edited = {"edit_words": "zeros are put behind", "edit": tags.behind(b"\0" * 4096)}
    add("zeros-behind.aif", _ffmpeg("pcm_s16be"), Source(), **edited)


def _au(recipes):
    def add(name, command, source, **more):
        recipes.append(Recipe(f"au/{name}.au", "au", command, source, **more))

    for codec in (
        "pcm_s8",
        "pcm_s16be",
        "pcm_s24be",
        "pcm_s32be",
        "pcm_f32be",
        "pcm_f64be",
        "pcm_alaw",
        "pcm_mulaw",
    ):
        for channels in (1, 2):
            add(f"ffmpeg-{codec}-{channels}", _ffmpeg(codec), Source(44100, channels))
        add(
            f"ffmpeg-pipe-{codec}",
            f"ffmpeg -v error -i {{i}} -c:a {codec} -f au - | cat >{{o}}",
            Source(),
        )
    for name, options in {
        "8": "-b 8",
        "16": "-b 16",
        "24": "-b 24",
        "32": "-b 32",
        "mulaw": "-e mu-law",
        "alaw": "-e a-law",
        "float": "-e float -b 32",
        "double": "-e float -b 64",
    }.items():
        add(f"sox-{name}", f"sox {{i}} {options} {{o}}", Source(48000, 1))
        add(
            f"sox-pipe-{name}", f"cat {{i}} | sox -t wav - {options} -t au - | cat >{{o}}", Source()
        )
    add(
        "sndfile-little",
        "sndfile-convert -pcm16 -endian=little {i} {o}",
        Source(),
        reference="source",
    )
    for channels in (3, 6, 8):
        add(f"channels-{channels}", "sox {i} {o}", Source(48000, channels, 1))


def caf(source, layout_tag=None, mask=0, order=None, size=None):
    """Returns a CAF file of 16 bits. Its layout states the order of the channels."""
    sound = source.sound()
    count = sound.shape[1]
    if order:
        sound = sound[:, order]
    description = struct.pack(">d4sIIIII", source.rate, b"lpcm", 2, 2 * count, 1, count, 16)
    file = b"caff\0\1\0\0" + b"desc" + struct.pack(">q", 32) + description
    if layout_tag is not None:
        file += b"chan" + struct.pack(">qIII", 12, layout_tag, mask, 0)
    content = samples(sound)
    return (
        file + b"data" + struct.pack(">qI", len(content) + 4 if size is None else size, 0) + content
    )


def _add_caf(recipes, name, command, source, kind="caf", **more):
    recipes.append(Recipe(f"caf/{name}.caf", kind, command, source, **more))


def _caf(recipes):
    for codec in (
        "pcm_s8",
        "pcm_s16be",
        "pcm_s16le",
        "pcm_s24be",
        "pcm_s24le",
        "pcm_s32le",
        "pcm_f32le",
        "pcm_f32be",
        "pcm_f64le",
        "pcm_f64be",
        "pcm_alaw",
        "pcm_mulaw",
    ):
        for channels in (1, 2):
            _add_caf(recipes, f"ffmpeg-{codec}-{channels}", _ffmpeg(codec), Source(44100, channels))
    for rate in (8000, 16000, 44100, 48000, 96000):
        for channels in (1, 2):
            _add_caf(
                recipes,
                f"ffmpeg-alac-{rate}-{channels}",
                _ffmpeg("alac"),
                Source(rate, channels, 3),
                "caf alac",
            )
    _add_caf(
        recipes, "ffmpeg-alac-24", _ffmpeg("alac", "-sample_fmt s32p"), Source(48000), "caf alac"
    )
    for channels in (3, 5, 6):
        _add_caf(recipes, f"ffmpeg-{channels}ch", _ffmpeg("pcm_s16le"), Source(48000, channels, 1))
    for encoding in ("alac16", "alac24", "alac32", "pcm16", "pcm24", "float32", "ulaw", "alaw"):
        kind = "caf alac" if "alac" in encoding else "caf"
        reference = "ffmpeg" if "float" in encoding else "source"
        _add_caf(
            recipes,
            f"sndfile-{encoding}",
            f"sndfile-convert -{encoding} {{i}} {{o}}",
            Source(),
            kind,
            reference=reference,
        )


def _streamed_caf(recipes):
    for name, options in {
        "16": "",
        "24": "-b 24",
        "32": "-b 32",
        "float": "-e float -b 32",
        "mulaw": "-e mu-law",
    }.items():
        _add_caf(recipes, f"sox-{name}", f"sox {{i}} {options} {{o}}", Source(), reference="source")
        _add_caf(
            recipes,
            f"sox-pipe-{name}",
            f"sox {{i}} {options} -t caf - | cat >{{o}}",
            Source(),
            "caf streamed",
            reference="source",
        )
        _add_caf(
            recipes,
            f"sox-pipe-long-{name}",
            f"sox {{i}} {options} -t caf - | cat >{{o}}",
            Source(48000, 2, 6, 3),
            "caf streamed",
            reference="source",
        )
    for codec in ("pcm_s16le", "pcm_f32le"):
        _add_caf(
            recipes,
            f"ffmpeg-pipe-{codec}",
            f"ffmpeg -v error -i {{i}} -c:a {codec} -f caf - | cat >{{o}}",
            Source(),
            "caf streamed",
            reference="source",
        )
    for channels in (1, 2):
        _add_caf(
            recipes,
            f"unknown-size-{channels}",
            "",
            Source(48000, channels),
            "caf streamed",
            reference="source",
            edit=lambda _, c=channels: caf(Source(48000, c), size=-1),
            edit_words="the size of the samples is -1",
        )


def voc(sound, rate, blocks, bits=16):
    """Returns a VOC file with several blocks of sound, and blocks of other kinds between them."""
    file = b"Creative Voice File\x1a" + struct.pack("<HHH", 26, 0x0114, 0x111F)

    def block(number, content):
        return bytes([number]) + struct.pack("<I", len(content))[:3] + content

    file += block(5, b"A title\0")
    count = -(-len(sound) // blocks)
    for number in range(blocks):
        content = samples(sound[number * count : (number + 1) * count], bits)
        if bits == 8 and number:
            file += block(2, content)
        elif bits == 8:
            file += block(1, bytes([256 - 1_000_000 // rate, 0]) + content)
        elif number:
            file += block(2, content)
        else:
            code = struct.pack("<IBBHI", rate, bits, sound.shape[1], 4, 0)
            file += block(9, code + content)
    return file + b"\0"


def _voc(recipes):
    def add(name, command, source, **more):
        recipes.append(Recipe(f"voc/{name}.voc", "voc", command, source, **more))

    for name, options in {
        "8": "-b 8",
        "16": "-b 16",
        "alaw": "-e a-law",
        "mulaw": "-e mu-law",
    }.items():
        for channels in (1, 2):
            # Blocks of 8 bits state the rate as a divisor of a million.
            for rate in (8000, 20000):
                add(
                    f"sox-{name}-{rate}-{channels}",
                    f"sox {{i}} {options} {{o}}",
                    Source(rate, channels),
                    reference="source",
                )
    for codec in ("pcm_u8", "pcm_s16le", "pcm_alaw", "pcm_mulaw"):
        for channels in (1, 2):
            add(
                f"ffmpeg-{codec}-{channels}",
                _ffmpeg(codec),
                Source(8000, channels),
                reference="source",
            )
    add("ffmpeg-long", _ffmpeg("pcm_s16le"), Source(44100, 2, 6, 3), reference="source")
    for bits in (8, 16):
        for blocks in (1, 2, 5):
            source = Source(8000, 1) if bits == 8 else Source(22050, 2)
            add(
                f"blocks-{bits}-{blocks}",
                "",
                source,
                reference="source",
                edit=lambda _, s=source, b=bits, n=blocks: voc(s.sound(), s.rate, n, b),
                edit_words=f"{blocks} blocks of sound",
            )


def _old(recipes):
    def add(name, command, source, **more):
        kind = "old: " + name.rsplit(".", 1)[1]
        recipes.append(
            Recipe(f"old/{name}", kind, command, source, **{"reference": "source"} | more)
        )

    for channels in (1, 2):
        for ending in ("avr", "sf", "mat4", "mat5", "nist", "paf", "pvf", "xi", "8svx"):
            if channels == 2 and ending == "xi":
                continue
            add(f"sox-{channels}.{ending}", "sox {i} {o}", Source(44100, channels))
        add(f"ffmpeg-{channels}.sf", _ffmpeg("pcm_s16le", "-f ircam"), Source(44100, channels))
        for ending in ("avr", "sf", "mat4", "mat5", "nist", "paf", "pvf"):
            add(
                f"sndfile-{channels}.{ending}",
                "sndfile-convert -pcm16 {i} {o}",
                Source(44100, channels),
            )
        for width in ("24", "32"):
            add(
                f"sox-{width}-{channels}.nist",
                f"sox {{i}} -b {width} {{o}}",
                Source(16000, channels),
            )
        add(f"sox-float-{channels}.sf", "sox {i} -e float -b 32 {o}", Source(44100, channels))
        add(f"sox-mulaw-{channels}.nist", "sox {i} -e mu-law {o}", Source(8000, channels))
    add("sndfile.svx", "sndfile-convert -pcm16 {i} {o}", Source(44100, 1))
    for name, command in (("sox", "sox {i} {o}"), ("sndfile", "sndfile-convert -pcm16 {i} {o}")):
        add(f"{name}.sds", command, Source(44100, 1), reference="sox {f} -t wav -", rates=[44101])
    add("sndfile-alaw.wve", "sndfile-convert -alaw {i} {o}", Source(8000, 1))


def recipes():
    """Returns the recipes of this kind."""
    found = []
    for part in (_aiff, _au, _caf, _streamed_caf, _voc, _old):
        part(found)
    return found
