"""Relatives of WAV: RF64, BW64, RIFX and W64."""

import struct

from kinds.wave import ADPCM_SLACK, add, made
from recipes import Source
from signals import chunk, samples, wave_format

W64_CODECS = ("u8", "s16le", "s24le", "s32le", "f32le", "f64le", "alaw")
SOX_ENCODINGS = {
    "16": "-b 16",
    "24": "-b 24",
    "32": "-b 32",
    "float": "-e float -b 32",
    "mulaw": "-e mu-law",
}
LIST_OF_W64 = bytes.fromhex("6c6973742f91cf11a5d628db04c10000")


def broadcast(source, form, bits, behind=b""):
    """Returns an RF64 or BW64 file, which holds its sizes in a separate chunk."""
    sound = source.sound()
    content = samples(sound, bits)
    wide, code = (32, 3) if bits == "float" else (bits, 1)
    layout = chunk(b"fmt ", wave_format(source.rate, sound.shape[1], wide, code))
    total = 4 + 36 + len(layout) + 8 + len(content) + len(behind)
    sizes = struct.pack("<QQQI", total, len(content), len(sound), 0)
    body = b"WAVE" + chunk(b"ds64", sizes) + layout + b"data\xff\xff\xff\xff" + content + behind
    return form + b"\xff\xff\xff\xff" + body


def _broadcasts(recipes):
    encode = "ffmpeg -v error -y -i {i} -c:a CODEC -rf64 always -f wav {o}"
    for channels in (1, 2, 6):
        source = Source(48000, channels)
        for name, codec in {"s16": "pcm_s16le", "s24": "pcm_s24le", "float": "pcm_f32le"}.items():
            command = encode.replace("CODEC", codec)
            add(recipes, f"ffmpeg-{name}-{channels}.rf64", "rf64", command, source)
    add(recipes, "sndfile.rf64", "rf64", "sndfile-convert {i} {o}", Source())
    command = "sndfile-convert {i} {o}.rf64 && mv {o}.rf64 {o}"
    add(recipes, "sndfile-rf64.wav", "rf64", command, Source())
    extra = chunk(b"chna", struct.pack("<HH", 1, 1) + b"\0" * 40)
    extra += chunk(b"axml", b"<ebuCoreMain/>")
    for bits in (16, 24, "float"):
        for channels in (1, 2, 6):
            made(
                recipes,
                f"bw64-{bits}-{channels}.wav",
                "bw64",
                lambda source, bits=bits: broadcast(source, b"BW64", bits, extra),
                "BW64 with chna and axml behind",
                Source(48000, channels, 1),
            )
    made(recipes, "bw64.bw64", "bw64", lambda source: broadcast(source, b"BW64", 16), "BW64")
    made(
        recipes,
        "rf64-more.wav",
        "rf64",
        lambda source: broadcast(source, b"RF64", 16, extra),
        "RF64 with chunks behind",
    )


def _big_endian(recipes):
    for name, options in SOX_ENCODINGS.items():
        command = f"sox {{i}} -B {options} {{o}}"
        add(recipes, f"rifx-{name}.wav", "rifx", command, Source(), reference="source")
    add(recipes, "rifx-8.wav", "rifx", "sox {i} -B -b 8 {o}", Source(), reference="source")


def _more_behind(file):
    """Adds a chunk after the samples of W64."""
    more = LIST_OF_W64 + struct.pack("<Q", 24 + 4096) + b"\x55" * 4096
    return file[:16] + struct.pack("<Q", len(file) + len(more)) + file[24:] + more


def _w64(recipes):
    encode = "ffmpeg -v error -y -i {i} -c:a CODEC {o}"
    as_source = {"reference": "source"}
    for channels in (1, 2, 6):
        for codec in W64_CODECS:
            command = encode.replace("CODEC", f"pcm_{codec}")
            source = Source(48000, channels)
            add(recipes, f"ffmpeg-{codec}-{channels}.w64", "w64", command, source, **as_source)
    for name, options in SOX_ENCODINGS.items():
        command = f"sox {{i}} {options} {{o}}"
        add(recipes, f"sox-{name}.w64", "w64", command, Source(), **as_source)
    for encoding in ("pcm16", "pcm24", "float32", "alaw", "ima-adpcm", "ms-adpcm"):
        slack = ADPCM_SLACK * ("adpcm" in encoding)
        command = f"sndfile-convert -{encoding} {{i}} {{o}}"
        add(recipes, f"sndfile-{encoding}.w64", "w64", command, Source(), slack=slack)
    for codec in ("s16le", "f32le"):
        command = f"ffmpeg -v error -i {{i}} -c:a pcm_{codec} -f w64 - | cat >{{o}}"
        name = f"ffmpeg-pipe-{codec}.w64"
        add(recipes, name, "w64 streamed", command, Source(), **as_source)
    for codec in ("s16le", "f32le", "s24le"):
        add(
            recipes,
            f"behind-{codec}.w64",
            "w64 with more behind",
            encode.replace("CODEC", f"pcm_{codec}"),
            Source(),
            edit=_more_behind,
            edit_words="a chunk is put behind the samples",
            **as_source,
        )


def recipes():
    """Returns the recipes of this kind."""
    found = []
    for part in (_broadcasts, _big_endian, _w64):
        part(found)
    return found
