"""WAV: every encoding, header and size that programs write."""

import struct

import signals
import tags
from recipes import Recipe, Source
from signals import chunk, samples, wave_format

ADPCM_SLACK = 4096


def add(recipes, name, kind, command, source, **more):
    """Adds a file that an encoder makes."""
    recipes.append(Recipe(f"wave/{name}", kind, command, source, **more))


def made(recipes, name, kind, build, words, source=None, **more):
    """Adds a file that is written byte by byte and has the sound of its source."""
    source = source or Source(48000)

    def edit(_):
        return build(source)

    more = {"reference": "source"} | more
    add(recipes, name, kind, "", source, edit=edit, edit_words=words, **more)


def build(
    source,
    bits=16,
    form=b"RIFF",
    size=None,
    data_size=None,
    before=b"",
    after=b"",
    code=1,
    channel_mask=None,
    format_tail=b"",
    pad=True,
):
    """Returns a WAV file that claims the given sizes."""
    sound = source.sound()
    wide = {"float": 32, "double": 64}.get(bits, bits)
    code = 3 if isinstance(bits, str) else code
    content = samples(sound, bits)
    layout = wave_format(source.rate, sound.shape[1], wide, code, channel_mask) + format_tail
    length = len(content) if data_size is None else data_size
    data = b"data" + struct.pack("<I", length) + content
    data += b"\0" * (len(content) % 2 if pad else 0)
    body = b"WAVE" + chunk(b"fmt ", layout) + before + data + after
    return form + struct.pack("<I", len(body) if size is None else size) + body


CODECS = {
    "u8": "pcm_u8",
    "s16": "pcm_s16le",
    "s24": "pcm_s24le",
    "s32": "pcm_s32le",
    "float": "pcm_f32le",
    "double": "pcm_f64le",
    "alaw": "pcm_alaw",
    "mulaw": "pcm_mulaw",
}
SOX_ENCODINGS = {
    "8": "-b 8",
    "16": "-b 16",
    "24": "-b 24",
    "32": "-b 32",
    "float": "-e float -b 32",
    "double": "-e float -b 64",
    "alaw": "-e a-law",
    "mulaw": "-e mu-law",
}


def _by_ffmpeg(recipes, name, kind, codec, source, **more):
    command = f"ffmpeg -v error -y -i {{i}} -c:a {codec} {{o}}"
    add(recipes, f"ffmpeg-{name}.wav", kind, command, source, **more)


def _linear(recipes):
    for rate in (8000, 11025, 22050, 44100, 48000, 96000, 192000):
        for name, codec in CODECS.items():
            channels = 1 + (rate // 1000 + len(name)) % 2
            source = Source(rate, channels)
            _by_ffmpeg(recipes, f"{name}-{rate}-{channels}", f"wav {name}", codec, source)
    for name, codec in CODECS.items():
        for channels in range(1, 9) if name in ("s16", "s24", "float") else (6,):
            source = Source(48000, channels, 1)
            _by_ffmpeg(recipes, f"{name}-{channels}ch", f"wav {name}", codec, source)
    for name, options in SOX_ENCODINGS.items():
        command = f"sox {{i}} {options} {{o}}"
        add(recipes, f"sox-{name}.wav", f"wav {name}", command, Source())
        add(recipes, f"sox-{name}-mono.wav", f"wav {name}", command, Source(16000, 1))


def _coded(recipes):
    block = {"slack": ADPCM_SLACK}
    for rate in (8000, 22050, 44100):
        for channels in (1, 2):
            source = Source(rate, channels)
            for codec in ("adpcm_ima_wav", "adpcm_ms"):
                name = f"{codec}-{rate}-{channels}"
                _by_ffmpeg(recipes, name, "wav adpcm", codec, source, **block)
            for encoding in ("ima-adpcm", "ms-adpcm"):
                name = f"sox-{encoding}-{rate}-{channels}.wav"
                add(recipes, name, "wav adpcm", f"sox {{i}} -e {encoding} {{o}}", source, **block)
    for encoding in ("ima-adpcm", "ms-adpcm", "ulaw", "alaw", "float32", "pcm32"):
        command = f"sndfile-convert -{encoding} {{i}} {{o}}"
        slack = ADPCM_SLACK * ("adpcm" in encoding)
        name = f"sndfile-{encoding}.wav"
        add(recipes, name, "wav of libsndfile", command, Source(), slack=slack)
    gsm = Source(8000, 1)
    add(recipes, "sox-gsm.wav", "wav gsm", "sox {i} -e gsm {o}", gsm, slack=640)
    add(recipes, "sndfile-gsm.wav", "wav gsm", "sndfile-convert -gsm610 {i} {o}", gsm, slack=640)
    _by_ffmpeg(recipes, "gsm", "wav gsm", "libgsm_ms -ar 8000", gsm, slack=640)


def _holding_mpeg(recipes):
    frames = {"lag": 2304, "slack": 2304, "others": ("mpg123 -q -w - {f}",)}
    for rate in (44100, 22050, 48000):
        for channels in (1, 2):
            source = Source(rate, channels)
            name = f"mp3-{rate}-{channels}"
            _by_ffmpeg(recipes, name, "wav that holds mp3", "libmp3lame", source, **frames)
    name, codec = "mp3-vbr", "libmp3lame -q:a 4"
    _by_ffmpeg(recipes, name, "wav that holds mp3", codec, Source(), **frames)
    _by_ffmpeg(recipes, "mp2", "wav that holds mp2", "mp2", Source(), **frames)


def _headers(recipes):
    for layout in ("mono", "stereo", "quad", "5.1"):
        count = len(signals.LAYOUTS[layout])
        for bits in (16, 24, "float"):
            made(
                recipes,
                f"extensible-{layout}-{bits}.wav",
                "wav extensible",
                lambda source, bits=bits, layout=layout: build(
                    source,
                    bits,
                    channel_mask=signals.mask(layout),
                    code=3 if bits == "float" else 1,
                ),
                f"an extensible header, {bits}",
                Source(48000, count, 1),
            )
    mono = Source(8000, 1, 1.000125)
    for name, options in {
        "padded": {"after": chunk(b"LIST", b"INFO")},
        "unpadded": {"pad": False},
    }.items():
        made(
            recipes,
            f"odd-{name}.wav",
            "wav with chunks",
            lambda source, options=options: build(source, 8, **options),
            f"an odd size, {name}",
            mono,
        )
    for tail in (b"\0\0", b"\0" * 24):
        made(
            recipes,
            f"format-of-{16 + len(tail)}.wav",
            "wav with chunks",
            lambda source, t=tail: build(source, format_tail=t),
            "a longer fmt chunk",
        )


def _extra_chunks(recipes):
    extras = {
        "list": chunk(b"LIST", b"INFOINAM" + struct.pack("<I", 8) + b"A title\0"),
        "odd": chunk(b"odd ", b"abc"),
        "junk": chunk(b"JUNK", b"\0" * 1000),
        "bext": chunk(b"bext", b"\0" * 602),
        "fact": chunk(b"fact", struct.pack("<I", 96000)),
        "id3": chunk(b"id3 ", tags.id3v2()),
        "large": chunk(b"FLLR", b"\0" * 60_000),
        "many": b"".join(chunk(b"JUNK", b"\0" * 10) for _ in range(40)),
        "axml": chunk(b"axml", b"<ebuCoreMain/>"),
        "cue": chunk(b"cue ", struct.pack("<IIIIIII", 1, 1, 9, 0x61746164, 0, 0, 9)),
    }
    for name, extra in extras.items():
        made(
            recipes,
            f"before-{name}.wav",
            "wav with chunks",
            lambda source, e=extra: build(source, before=e),
            f"chunk {name} before the samples",
        )
        made(
            recipes,
            f"behind-{name}.wav",
            "wav with chunks",
            lambda source, e=extra: build(source, after=e),
            f"chunk {name} behind the samples",
        )
    for name, extra in {
        "id3v1": tags.id3v1(),
        "zeros": b"\0" * 4096,
        "zero": b"\0",
        "text": b"behind everything",
    }.items():
        made(
            recipes,
            f"beyond-{name}.wav",
            "wav with more behind",
            lambda source, e=extra: build(source) + e,
            f"{name} behind the RIFF chunk",
        )


# The sizes of the file and of the samples that programs write if they do not know them.
UNKNOWN_SIZES = {
    "0": (0, 0),
    "0-riff-kept": (None, 0),
    "ffffffff": (0xFFFFFFFF, 0xFFFFFFFF),
    "ffffffff-riff-0": (0, 0xFFFFFFFF),
    "7fffffff": (0x7FFFFFFF, 0x7FFFFFFF),
    "7fffffff-36": (0x7FFFFFFF, 0x7FFFFFFF - 36),
    "7ffff000": (0x7FFFF024, 0x7FFFF000),
    "7fff0000": (0x7FFF0024, 0x7FFF0000),
    "80000000": (0x80000024, 0x80000000),
    "2147418156": (2147418156 + 36, 2147418156),
    "ffffffff-36": (0xFFFFFFFF, 0xFFFFFFFF - 36),
    "ffffffff-44": (0xFFFFFFFF - 8, 0xFFFFFFFF - 44),
    "7fffffff-44": (0x7FFFFFFF - 8, 0x7FFFFFFF - 44),
    "ffffffff-8": (0xFFFFFFFF - 8, 0xFFFFFFFF - 8 - 36),
}


def _unknown_sizes(recipes):
    for name, (size, data_size) in UNKNOWN_SIZES.items():
        for bits, channels in ((16, 2), (16, 1), (24, 1), ("float", 2)):
            made(
                recipes,
                f"streamed-{name}-{bits}-{channels}.wav",
                "wav streamed",
                lambda source, bits=bits, size=size, data=data_size: build(
                    source, bits, size=size, data_size=data
                ),
                f"the size of the samples is {data_size}",
                Source(48000, channels, 2),
            )


FFMPEG = "ffmpeg -v error -i {i} -f wav"
# GStreamer fails when it seeks back to the header, after it has written everything else.
GSTREAMER = (
    "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert ! FORM wavenc ! fdsink"
    " 2>{o}.words | cat >{o}; rm {o}.words"
)
RAW = "tail -c +45 {i} |"
PIPES = {
    "ffmpeg": f"{FFMPEG} - | cat >{{o}}",
    "ffmpeg-float": f"{FFMPEG} -c:a pcm_f32le - | cat >{{o}}",
    "ffmpeg-24": f"{FFMPEG} -c:a pcm_s24le - | cat >{{o}}",
    "ffmpeg-alaw": f"{FFMPEG} -c:a pcm_alaw - | cat >{{o}}",
    "ffmpeg-adpcm": f"{FFMPEG} -c:a adpcm_ima_wav - | cat >{{o}}",
    "sox": "cat {i} | sox - -t wav - | cat >{o}",
    "sox-float": "cat {i} | sox - -t wav -e float -b 32 - | cat >{o}",
    "sox-24": "cat {i} | sox -t wav - -b 24 -t wav - reverse | cat >{o}",
    "sox-mulaw": "cat {i} | sox -t wav - -e mu-law -t wav - reverse | cat >{o}",
    "sox-raw": RAW + " sox -t raw -r 48000 -c 2 -e signed -b 16 - -t wav - | cat >{o}",
    "gstreamer": GSTREAMER.replace("FORM", ""),
    "gstreamer-float": GSTREAMER.replace("FORM", "audio/x-raw,format=F32LE !"),
    "gstreamer-24": GSTREAMER.replace("FORM", "audio/x-raw,format=S24LE !"),
    "gstreamer-mulaw": GSTREAMER.replace("FORM", "mulawenc !"),
    "lame": "lame --quiet -b 256 {i} - | lame --quiet --decode --mp3input - - | cat >{o}",
    "mpg123": "lame --quiet -b 256 {i} - | mpg123 -q -w - - | cat >{o}",
    "oggdec": "oggenc -Q -o - {i} | oggdec -Q -o - - | cat >{o}",
    "opusdec": "opusenc --quiet {i} - | opusdec --quiet --force-wav - - | cat >{o}",
    "flac": RAW + " flac -s --force-raw-format --endian=little --sign=signed --channels=2"
    " --bps=16 --sample-rate=48000 - | flac -s -d -c - | cat >{o}",
}


def _piped(recipes):
    for name, command in PIPES.items():
        # GStreamer writes 12 bytes after the samples.
        slack = 2048 if "adpcm" in name else 12 if "gst" in name else 0
        source = Source(48000)
        add(recipes, f"piped-{name}.wav", "wav streamed", command, source, slack=slack)
    command = "espeak-ng --stdout hello there | cat >{o}"
    add(recipes, "piped-espeak.wav", "wav streamed", command, Source(22050, 1))


def recipes():
    """Returns the recipes of this kind."""
    found = []
    for part in (_linear, _coded, _holding_mpeg, _headers, _extra_chunks, _unknown_sizes, _piped):
        part(found)
    return found
