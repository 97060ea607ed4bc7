"""WAV and its relatives: every encoding, header and size that programs leave behind."""

import struct

import signals
import tags
from recipes import Recipe, Source
from signals import chunk, samples, wave_format

ADPCM_SLACK = 4096


def _add(recipes, name, kind, command, source, **more):
    recipes.append(Recipe(f"wave/{name}", kind, command, source, **more))


def _made(recipes, name, kind, build, words, source=None, **more):
    """A file written byte by byte, whose sound is that of its source."""
    source = source or Source(48000)

    def edit(_):
        return build(source)

    more = {"reference": "source"} | more
    _add(recipes, name, kind, "", source, edit=edit, edit_words=words, **more)


def build(
    source, bits=16, form=b"RIFF", size=None, data_size=None, before=b"", after=b"", code=1,
    channel_mask=None, format_tail=b"", pad=True,
):  # fmt: skip
    """A WAV file with the sizes that it is told to claim."""
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


def _encodings(recipes):
    codecs = {
        "u8": "pcm_u8", "s16": "pcm_s16le", "s24": "pcm_s24le", "s32": "pcm_s32le",
        "float": "pcm_f32le", "double": "pcm_f64le", "alaw": "pcm_alaw", "mulaw": "pcm_mulaw",
    }  # fmt: skip
    for rate in (8000, 11025, 22050, 44100, 48000, 96000, 192000):
        for name, codec in codecs.items():
            channels = 1 + (rate // 1000 + len(name)) % 2
            _add(
                recipes, f"ffmpeg-{name}-{rate}-{channels}.wav", f"wav {name}",
                f"ffmpeg -v error -y -i {{i}} -c:a {codec} {{o}}", Source(rate, channels),
            )  # fmt: skip
    for channels in range(1, 9):
        for name in ("s16", "s24", "float"):
            _add(
                recipes, f"ffmpeg-{name}-{channels}ch.wav", f"wav {name}",
                f"ffmpeg -v error -y -i {{i}} -c:a {codecs[name]} {{o}}", Source(48000, channels, 1),
            )  # fmt: skip
    for name, options in {
        "8": "-b 8", "16": "-b 16", "24": "-b 24", "32": "-b 32", "float": "-e float -b 32",
        "double": "-e float -b 64", "alaw": "-e a-law", "mulaw": "-e mu-law",
    }.items():  # fmt: skip
        _add(recipes, f"sox-{name}.wav", f"wav {name}", f"sox {{i}} {options} {{o}}", Source())
        _add(
            recipes, f"sox-{name}-mono.wav", f"wav {name}", f"sox {{i}} {options} {{o}}",
            Source(16000, 1),
        )  # fmt: skip
    for rate in (8000, 22050, 44100):
        for channels in (1, 2):
            source = Source(rate, channels)
            for codec in ("adpcm_ima_wav", "adpcm_ms"):
                _add(
                    recipes, f"ffmpeg-{codec}-{rate}-{channels}.wav", "wav adpcm",
                    f"ffmpeg -v error -y -i {{i}} -c:a {codec} {{o}}", source, slack=ADPCM_SLACK,
                )  # fmt: skip
            for encoding in ("ima-adpcm", "ms-adpcm"):
                _add(
                    recipes, f"sox-{encoding}-{rate}-{channels}.wav", "wav adpcm",
                    f"sox {{i}} -e {encoding} {{o}}", source, slack=ADPCM_SLACK,
                )  # fmt: skip
    for encoding in ("ima-adpcm", "ms-adpcm", "ulaw", "alaw", "float32", "pcm32"):
        _add(
            recipes, f"sndfile-{encoding}.wav", "wav of libsndfile",
            f"sndfile-convert -{encoding} {{i}} {{o}}", Source(), slack=ADPCM_SLACK * ("adpcm" in encoding),
        )  # fmt: skip
    gsm = Source(8000, 1)
    _add(recipes, "sox-gsm.wav", "wav gsm", "sox {i} -e gsm {o}", gsm, slack=640)
    _add(recipes, "ffmpeg-gsm.wav", "wav gsm", "ffmpeg -v error -y -i {i} -c:a libgsm_ms -ar 8000 {o}", gsm, slack=640)
    _add(recipes, "sndfile-gsm.wav", "wav gsm", "sndfile-convert -gsm610 {i} {o}", gsm, slack=640)
    for rate in (44100, 22050, 48000):
        for channels in (1, 2):
            _add(
                recipes, f"mp3-in-wav-{rate}-{channels}.wav", "wav that holds mp3",
                "ffmpeg -v error -y -i {i} -c:a libmp3lame {o}", Source(rate, channels), lag=2400, slack=3456,
            )  # fmt: skip
    _add(
        recipes, "mp3-in-wav-vbr.wav", "wav that holds mp3",
        "ffmpeg -v error -y -i {i} -c:a libmp3lame -q:a 4 {o}", Source(), lag=2400, slack=3456,
    )  # fmt: skip
    _add(
        recipes, "mp2-in-wav.wav", "wav that holds mp2",
        "ffmpeg -v error -y -i {i} -c:a mp2 {o}", Source(), lag=2400, slack=3456,
    )  # fmt: skip


def _headers(recipes):
    for layout in ("mono", "stereo", "quad", "5.1"):
        count = len(signals.LAYOUTS[layout])
        for bits in (16, 24, "float"):
            _made(
                recipes, f"extensible-{layout}-{bits}.wav", "wav extensible",
                lambda source, bits=bits, layout=layout: build(source, bits, channel_mask=signals.mask(layout),
                                                               code=3 if bits == "float" else 1),
                f"an extensible header, {bits}", Source(48000, count, 1),
            )  # fmt: skip
    words = chunk(b"LIST", b"INFOINAM" + struct.pack("<I", 8) + b"A title\0")
    extras = {
        "list": words, "odd": chunk(b"odd ", b"abc"), "junk": chunk(b"JUNK", b"\0" * 1000),
        "bext": chunk(b"bext", b"\0" * 602), "fact": chunk(b"fact", struct.pack("<I", 96000)),
        "id3": chunk(b"id3 ", tags.id3v2()), "large": chunk(b"FLLR", b"\0" * 60_000),
        "many": b"".join(chunk(b"JUNK", b"\0" * 10) for _ in range(40)),
        "axml": chunk(b"axml", b"<ebuCoreMain/>"), "cue": chunk(b"cue ", struct.pack("<IIIIIII", 1, 1, 9, 0x61746164, 0, 0, 9)),
    }  # fmt: skip
    for name, extra in extras.items():
        _made(recipes, f"before-{name}.wav", "wav with chunks", lambda source, e=extra: build(source, before=e), f"chunk {name} before the samples")
        _made(recipes, f"behind-{name}.wav", "wav with chunks", lambda source, e=extra: build(source, after=e), f"chunk {name} behind the samples")
    mono = Source(8000, 1, 1.000125)
    _made(recipes, "odd-padded.wav", "wav with chunks", lambda source: build(source, 8, after=words), "an odd size and its padding", mono)
    _made(recipes, "odd-unpadded.wav", "wav with chunks", lambda source: build(source, 8, pad=False), "an odd size without padding", mono)
    for name, extra in {"id3v1": tags.id3v1(), "zeros": b"\0" * 4096, "zero": b"\0", "text": b"behind everything"}.items():
        _made(
            recipes, f"beyond-{name}.wav", "wav with more behind",
            lambda source, e=extra: build(source) + e, f"{name} behind the RIFF chunk",
        )  # fmt: skip
    for tail in (b"\0\0", b"\0" * 24):
        _made(
            recipes, f"format-of-{16 + len(tail)}.wav", "wav with chunks",
            lambda source, t=tail: build(source, format_tail=t), "a longer fmt chunk",
        )  # fmt: skip


def _streams(recipes):
    odd = {
        "0": (0, 0), "0-riff-kept": (None, 0), "ffffffff": (0xFFFFFFFF, 0xFFFFFFFF),
        "ffffffff-riff-0": (0, 0xFFFFFFFF), "7fffffff": (0x7FFFFFFF, 0x7FFFFFFF),
        "7fffffff-36": (0x7FFFFFFF, 0x7FFFFFFF - 36), "7ffff000": (0x7FFFF024, 0x7FFFF000),
        "7fff0000": (0x7FFF0024, 0x7FFF0000), "80000000": (0x80000024, 0x80000000),
        "2147418156": (2147418156 + 36, 2147418156), "ffffffff-36": (0xFFFFFFFF, 0xFFFFFFFF - 36),
        "ffffffff-44": (0xFFFFFFFF - 8, 0xFFFFFFFF - 44), "7ffffffe": (0x7FFFFFFE, 0x7FFFFFFE),
        "7fffffff-44": (0x7FFFFFFF - 8, 0x7FFFFFFF - 44), "ffffffff-8": (0xFFFFFFFF - 8, 0xFFFFFFFF - 8 - 36),
    }  # fmt: skip
    for name, (size, data_size) in odd.items():
        for bits, channels in ((16, 2), (16, 1), (24, 1), ("float", 2)):
            _made(
                recipes, f"streamed-{name}-{bits}-{channels}.wav", "wav streamed",
                lambda source, bits=bits, size=size, data=data_size: build(source, bits, size=size, data_size=data),
                f"the size of the samples is {data_size}", Source(48000, channels, 2),
            )  # fmt: skip
    gst = "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert !"
    programs = {
        "ffmpeg": "ffmpeg -v error -i {i} -f wav - | cat >{o}",
        "ffmpeg-float": "ffmpeg -v error -i {i} -c:a pcm_f32le -f wav - | cat >{o}",
        "ffmpeg-24": "ffmpeg -v error -i {i} -c:a pcm_s24le -f wav - | cat >{o}",
        "ffmpeg-alaw": "ffmpeg -v error -i {i} -c:a pcm_alaw -f wav - | cat >{o}",
        "ffmpeg-adpcm": "ffmpeg -v error -i {i} -c:a adpcm_ima_wav -f wav - | cat >{o}",
        "sox": "cat {i} | sox - -t wav - | cat >{o}",
        "sox-float": "cat {i} | sox - -t wav -e float -b 32 - | cat >{o}",
        "sox-24": "cat {i} | sox -t wav - -b 24 -t wav - reverse | cat >{o}",
        "sox-mulaw": "cat {i} | sox -t wav - -e mu-law -t wav - reverse | cat >{o}",
        "gstreamer": gst + " wavenc ! fdsink 2>{o}.words | cat >{o}; rm {o}.words",
        "gstreamer-float": gst + " audio/x-raw,format=F32LE ! wavenc ! fdsink 2>{o}.words | cat >{o}; rm {o}.words",
        "gstreamer-24": gst + " audio/x-raw,format=S24LE ! wavenc ! fdsink 2>{o}.words | cat >{o}; rm {o}.words",
        "gstreamer-mulaw": gst + " mulawenc ! wavenc ! fdsink 2>{o}.words | cat >{o}; rm {o}.words",
        "lame": "lame --quiet -b 256 {i} - | lame --quiet --decode --mp3input - - | cat >{o}",
        "mpg123": "lame --quiet -b 256 {i} - | mpg123 -q -w - - | cat >{o}",
        "oggdec": "oggenc -Q -o - {i} | oggdec -Q -o - - | cat >{o}",
        "opusdec": "opusenc --quiet {i} - | opusdec --quiet --force-wav - - | cat >{o}",
        "flac": "tail -c +45 {i} | flac -s --force-raw-format --endian=little --sign=signed --channels=2"
        " --bps=16 --sample-rate=48000 - | flac -s -d -c - | cat >{o}",
    }  # fmt: skip
    for name, command in programs.items():
        _add(recipes, f"piped-{name}.wav", "wav streamed", command, Source(48000), slack=2048 if "adpcm" in name else 16 if "gst" in name else 0)
    _add(
        recipes, "piped-arecord.wav", "wav streamed",
        "arecord -q -D null -t wav -f S16_LE -r 8000 -c 1 -s 16000 - | cat >{o}",
        Source(8000, 1), rate=8000,
    )  # fmt: skip
    _add(
        recipes, "piped-espeak.wav", "wav streamed", "espeak-ng --stdout hello there | cat >{o}",
        Source(22050, 1),
    )  # fmt: skip


def _large(recipes):
    """RF64, BW64, RIFX and W64."""
    for channels in (1, 2, 6):
        source = Source(48000, channels)
        for name, codec in {"s16": "pcm_s16le", "s24": "pcm_s24le", "float": "pcm_f32le"}.items():
            _add(
                recipes, f"ffmpeg-{name}-{channels}.rf64", "rf64",
                f"ffmpeg -v error -y -i {{i}} -c:a {codec} -rf64 always -f wav {{o}}", source,
            )  # fmt: skip
    _add(recipes, "sndfile.rf64", "rf64", "sndfile-convert {i} {o}", Source())
    _add(
        recipes, "sndfile-rf64.wav", "rf64",
        "sndfile-convert {i} {o}.rf64 && mv {o}.rf64 {o}", Source(),
    )  # fmt: skip

    def broadcast(source, form, bits, behind=b"", unknown=False):
        sound = source.sound()
        content = samples(sound, bits)
        layout = chunk(b"fmt ", wave_format(source.rate, sound.shape[1], 32 if bits == "float" else bits, 3 if bits == "float" else 1))
        total = 4 + 36 + len(layout) + 8 + len(content) + len(behind)
        sizes = struct.pack("<QQQI", total, len(content), len(sound), 0)
        body = b"WAVE" + chunk(b"ds64", sizes) + layout + b"data\xff\xff\xff\xff" + content + behind
        return form + b"\xff\xff\xff\xff" + body

    extra = chunk(b"chna", struct.pack("<HH", 1, 1) + b"\0" * 40) + chunk(b"axml", b"<ebuCoreMain/>")
    for bits in (16, 24, "float"):
        for channels in (1, 2, 6):
            _made(
                recipes, f"bw64-{bits}-{channels}.wav", "bw64",
                lambda source, bits=bits: broadcast(source, b"BW64", bits, extra),
                "BW64 with chna and axml behind", Source(48000, channels, 1),
            )  # fmt: skip
    _made(recipes, "bw64.bw64", "bw64", lambda source: broadcast(source, b"BW64", 16), "BW64")
    _made(recipes, "rf64-more.wav", "rf64", lambda source: broadcast(source, b"RF64", 16, extra), "RF64 with chunks behind")
    for name, options in {"16": "-b 16", "24": "-b 24", "8": "-b 8", "float": "-e float -b 32"}.items():
        _add(recipes, f"rifx-{name}.wav", "rifx", f"sox {{i}} -B {options} {{o}}", Source(), reference="source")
    for channels in (1, 2, 6):
        source = Source(48000, channels)
        for codec in ("pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw"):
            _add(
                recipes, f"ffmpeg-{codec}-{channels}.w64", "w64",
                f"ffmpeg -v error -y -i {{i}} -c:a {codec} {{o}}", source, reference="source",
            )  # fmt: skip
    for name, options in {"16": "", "24": "-b 24", "32": "-b 32", "float": "-e float -b 32", "double": "-e float -b 64", "mulaw": "-e mu-law"}.items():
        _add(recipes, f"sox-{name}.w64", "w64", f"sox {{i}} {options} {{o}}", Source(), reference="source")
    for encoding in ("pcm16", "pcm24", "float32", "alaw", "ima-adpcm", "ms-adpcm"):
        _add(
            recipes, f"sndfile-{encoding}.w64", "w64", f"sndfile-convert -{encoding} {{i}} {{o}}",
            Source(), reference="source", slack=ADPCM_SLACK * ("adpcm" in encoding),
        )  # fmt: skip
    for codec in ("pcm_s16le", "pcm_f32le"):
        _add(
            recipes, f"ffmpeg-pipe-{codec}.w64", "w64 streamed",
            f"ffmpeg -v error -i {{i}} -c:a {codec} -f w64 - | cat >{{o}}", Source(), reference="source",
        )  # fmt: skip

    def with_more(file):
        more = bytes.fromhex("6c6973742f91cf11a5d628db04c10000") + struct.pack("<Q", 24 + 4096) + b"\x55" * 4096
        return file[:16] + struct.pack("<Q", len(file) + len(more)) + file[24:] + more

    for codec in ("pcm_s16le", "pcm_f32le", "pcm_s24le"):
        _add(
            recipes, f"behind-{codec}.w64", "w64 with more behind",
            f"ffmpeg -v error -y -i {{i}} -c:a {codec} {{o}}", Source(), reference="source",
            edit=with_more, edit_words="a chunk is put behind the samples",
        )  # fmt: skip


def recipes():
    """All of them."""
    found = []
    for part in (_encodings, _headers, _streams, _large):
        part(found)
    return found
