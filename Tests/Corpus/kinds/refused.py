"""Files that are refused by design, each with the words that the refusal must contain."""

import gzip
import io
import json
import struct
import zipfile
import zlib

from recipes import Recipe, Source


def _png():
    def part(name, content):
        return (
            struct.pack(">I", len(content))
            + name
            + content
            + struct.pack(">I", zlib.crc32(name + content))
        )

    rows = zlib.compress(b"\0\0\0\0" * 2)
    head = struct.pack(">IIBBBBB", 1, 2, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")


def _midi():
    track = bytes.fromhex("00ff510307a12000903c4083603c0000ff2f00")
    return (
        b"MThd"
        + struct.pack(">IHHH", 6, 0, 1, 480)
        + b"MTrk"
        + struct.pack(">I", len(track))
        + track
    )


def _zip():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.wav"), b"RIFF" * 100)
    return file.getvalue()


def _ogg(packet, serial=7):
    """Returns one page of Ogg. Its checksum is zero, because readers check the packet first."""
    lacing = bytes([len(packet)])
    return b"OggS\0\2" + b"\0" * 8 + struct.pack("<III", serial, 0, 0) + b"\1" + lacing + packet


_FILES = {
    "midi.mid": ("MIDI", _midi()),
    "amr.amr": ("AMR", b"#!AMR\n" + (b"\x3c" + b"\x55" * 31) * 50),
    "amr-wb.awb": ("AMR", b"#!AMR-WB\n" + (b"\x44" + b"\x55" * 60) * 50),
    "monkey.ape": (
        "Monkey's Audio|APE",
        b"MAC " + struct.pack("<HHI", 3990, 0, 52) + b"\1\2\3\4" * 400,
    ),
    "musepack-7.mpc": ("Musepack", b"MP+\x07" + b"\1\2\3\4" * 400),
    "dsf.dsf": ("DSD|DSF", b"DSD " + struct.pack("<QQQ", 28, 2000, 0) + b"fmt " + b"\0" * 2000),
    "dff.dff": ("DSD|DFF|DSDIFF", b"FRM8" + struct.pack(">Q", 2000) + b"DSD " + b"\0" * 2000),
    "theora.ogv": ("Theora|video", _ogg(b"\x80theora\3\2\1" + b"\0" * 32) * 3),
    "html.wav": (
        "HTML",
        b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>No</body></html>\n",
    ),
    "html-plain.mp3": ("HTML", b"<html>\n<body>Not found</body>\n</html>\n"),
    "xml.wav": ("XML|HTML|text", b'<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>\n'),
    "text.wav": ("text", b"These are words, and not a sound at all.\n" * 20),
    "json.wav": ("text|JSON", json.dumps({"error": "not found"}).encode() + b"\n"),
    "playlist.m3u": ("text|playlist", b"#EXTM3U\n#EXTINF:3,A title\nsound.mp3\n"),
    "script.wav": ("text|script", b"#!/bin/sh\necho hello\n"),
    "png.wav": ("PNG", _png()),
    "jpeg.wav": (
        "JPEG",
        bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffdb") + b"\x10" * 999 + b"\xff\xd9",
    ),
    "gif.wav": ("GIF", b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"),
    "webp.wav": ("WebP|image", b"RIFF" + struct.pack("<I", 100) + b"WEBPVP8 " + b"\0" * 92),
    "pdf.wav": ("PDF", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"),
    "zip.wav": ("ZIP", _zip()),
    "gzip.wav": ("gzip", gzip.compress(b"RIFF" * 1000, mtime=0)),
    "xz.wav": ("xz", b"\xfd7zXZ\0\0\4" + b"\1" * 400),
    "bzip2.wav": ("bzip2", b"BZh91AY&SY" + b"\1" * 400),
    "seven.wav": ("7z|7-Zip", b"7z\xbc\xaf\x27\x1c\0\4" + b"\1" * 400),
    "rar.wav": ("RAR", b"Rar!\x1a\x07\1\0" + b"\1" * 400),
    "elf.wav": ("program|ELF", b"\x7fELF\2\1\1\0" + b"\0" * 400),
    "real.ra": ("RealAudio|RealMedia", b".RMF\0\0\0\x12\0\1" + b"\0" * 400),
    "zeros.wav": ("zero|not a sound", b"\0" * 4096),
    "empty.wav": ("empty", b""),
}

_FFMPEG = {
    "aac.m4a": ("MP4", "-c:a aac"),
    "aac.mp4": ("MP4", "-c:a aac"),
    "alac.m4a": ("MP4", "-c:a alac"),
    "aac.mov": ("MP4|QuickTime|MOV", "-c:a aac"),
    "aac.3gp": ("MP4|3GP", "-c:a aac"),
    "adts.aac": ("AAC", "-c:a aac"),
    "latm.latm": ("AAC|LATM", "-c:a aac -f latm"),
    "wma.wma": ("WMA|Windows Media", "-c:a wmav2"),
    "wma1.wma": ("WMA|Windows Media", "-c:a wmav1"),
    "webm-opus.webm": ("WebM|Matroska", "-c:a libopus"),
    "webm-vorbis.webm": ("WebM|Matroska", "-c:a libvorbis"),
    "matroska.mka": ("WebM|Matroska", "-c:a libopus"),
    "matroska-flac.mka": ("WebM|Matroska", "-c:a flac"),
    "ac3.ac3": ("AC-3", "-c:a ac3"),
    "eac3.eac3": ("AC-3", "-c:a eac3"),
    "dts.dts": ("DTS", "-c:a dca -strict -2"),
    "tta.tta": ("TTA|True Audio", "-c:a tta"),
    "wavpack.wv": ("WavPack", "-c:a wavpack"),
    "flv.flv": ("FLV|Flash", "-c:a libmp3lame"),
    "avi.avi": ("AVI", "-c:a pcm_s16le"),
    "avi-mp3.avi": ("AVI", "-c:a libmp3lame"),
    "ts.ts": ("MPEG-TS|transport stream|MPEG", "-c:a mp2"),
    "ps.mpg": ("MPEG", "-c:a mp2"),
    "speex.spx": ("Speex", "-c:a libspeex -ar 16000 -ac 1"),
    "truehd.thd": ("TrueHD|MLP", "-c:a truehd -strict -2"),
    "rm.rm": ("RealAudio|RealMedia", "-c:a ac3"),
    "sox.sox": ("SoX", "-c:a pcm_s32le"),
}

_CODECS = {
    "g726.wav": ("G.?726|ADPCM|WAV", "-c:a g726 -ar 8000 -ac 1"),
    "yamaha.wav": ("Yamaha|ADPCM|WAV", "-c:a adpcm_yamaha"),
    "aac.wav": ("AAC|WAV", "-c:a aac"),
    "wma.wav": ("WMA|Windows Media|WAV", "-c:a wmav2"),
    "ac3.wav": ("AC-3|WAV", "-c:a ac3"),
    "g722.wav": ("G.?722|WAV", "-c:a g722 -ar 16000 -ac 1"),
    "ima4.caf": ("IMA|ADPCM|CAF", "-c:a adpcm_ima_qt"),
    "opus.caf": ("Opus|CAF", "-c:a libopus -ar 48000"),
}


def recipes():
    """Returns the recipes of this kind."""
    found = []

    def add(name, words, command="", content=None, source=None, convertible=False):
        edit = (lambda _, c=content: c) if content is not None else None
        found.append(
            Recipe(
                f"refused/{name}",
                "refused",
                command,
                source,
                edit=edit,
                names=words,
                convertible=convertible,
                edit_words="written byte by byte" if edit else "",
            )
        )

    for name, (words, content) in _FILES.items():
        add(name, words, content=content)
    for name, (words, options) in (_FFMPEG | _CODECS).items():
        if words:
            command = f"ffmpeg -v error -y -i {{i}} {options} {{o}}"
            add(name, words, command, source=Source(), convertible=True)
    add("wavpack-5.wv", "WavPack", "wavpack -q -y {i} -o {o}", source=Source())
    add("speexenc.spx", "Speex", "speexenc --quiet {i} {o}", source=Source(16000, 1))
    add("musepack-8.mpc", "Musepack", "mpcenc --silent --overwrite {i} {o}", source=Source())
    add(
        "amr-of-gstreamer.amr",
        "AMR",
        "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert ! amrnbenc ! fdsink"
        " >{o}.raw && { printf '#!AMR\\n'; cat {o}.raw; } >{o} && rm {o}.raw",
        source=Source(8000, 1),
    )
    return found
