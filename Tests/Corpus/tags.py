"""The tags that programs put before and after the sound."""

import struct


def _synchsafe(number):
    return bytes((number >> shift) & 0x7F for shift in (21, 14, 7, 0))


def id3v2(version=3, picture=0, padding=0, footer=False):
    """Returns an ID3v2 tag with a title, and optionally a picture of about `picture` bytes."""
    text = b"\0A title"
    if version == 2:
        frames = b"TT2" + struct.pack(">I", len(text))[1:] + text
    else:
        size = _synchsafe if version == 4 else lambda count: struct.pack(">I", count)
        frames = b"TIT2" + size(len(text)) + b"\0\0" + text
        if picture:
            # All byte values occur, and a sync word of MPEG is among them.
            image = b"\0image/png\0\3\0" + bytes(range(256)) * (picture // 256)
            image = image.replace(b"\xff\x00", b"\xff\xfb")
            frames += b"APIC" + size(len(image)) + b"\0\0" + image
    frames += b"\0" * padding
    flags = 0x10 if footer else 0
    size = _synchsafe(len(frames))
    tag = b"ID3" + bytes([version, 0, flags]) + size + frames
    return tag + (b"3DI" + bytes([version, 0, flags]) + size if footer else b"")


def id3v1():
    """Returns an ID3v1.1 tag: the last 128 bytes of a file."""
    text = b"A title".ljust(30, b"\0") + b"Nobody".ljust(30, b"\0") + b"None".ljust(30, b"\0")
    return b"TAG" + text + b"2001" + b"words".ljust(28, b"\0") + b"\0\1\x0c"


def apev2(front=False):
    """Returns an APEv2 tag with a header and a footer."""
    items = b""
    for key, value in (
        (b"Title", b"A title"),
        (b"Artist", b"Nobody"),
        (b"Cover", b"\xff\xfb" * 99),
    ):
        items += struct.pack("<II", len(value), 2 if key == b"Cover" else 0) + key + b"\0" + value

    def end(flags):
        return b"APETAGEX" + struct.pack("<IIII", 2000, len(items) + 32, 3, flags) + b"\0" * 8

    return end(0xA0000000) + items + end(0x80000000)


def lyrics3():
    """Returns a Lyrics3v2 tag, followed by the ID3v1 tag that it needs."""
    body = b"LYRICSBEGIN" + b"IND00003110" + b"LYR00012[00:01]words"
    return body + b"%06d" % len(body) + b"LYRICS200" + id3v1()


def before(content):
    """Returns an edit that puts bytes at the beginning of a file."""
    return lambda file: content + file


def behind(content):
    """Returns an edit that puts bytes at the end of a file."""
    return lambda file: file + content
