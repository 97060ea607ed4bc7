"""Ogg with Vorbis or Opus: single streams, chains, and the additions of other programs."""

import struct

import tags
from recipes import Recipe, Source

VORBIS_SLACK = 0
VORBIS_DECODERS = ("oggdec -Q -o - {f}",)
OPUS_SLACK = 960
OPUSDEC = "opusdec --quiet --no-dither --float --force-wav --rate 48000 {f} -"
# Without --rate, opusdec uses the rate of the encoded input.
OPUSDEC_DECODERS = ("ffmpeg", "opusdec --quiet --no-dither --float --force-wav {f} -")
# The header may name another rate than the samples have, because an encoder may resample.
OPUS_RATES = [48000, 24000, 16000, 12000, 8000]
OPUS = {
    "lag": 120,
    "slack": OPUS_SLACK,
    "rate": 48000,
    "rates": OPUS_RATES,
    "reference": OPUSDEC,
    "others": OPUSDEC_DECODERS,
}


def _sum(page):
    register = 0
    for byte in page:
        register ^= byte << 24
        for _ in range(8):
            register = register << 1 ^ (0x104C11DB7 if register & 0x80000000 else 0)
    return register


def opus_gain(decibels):
    """Sets the gain in the Opus header, which is the first page."""

    def edit(content):
        page = bytearray(content[: 27 + 1 + content[27]])
        place = page.index(b"OpusHead") + 16
        struct.pack_into("<h", page, place, int(decibels * 256))
        struct.pack_into("<I", page, 22, 0)
        struct.pack_into("<I", page, 22, _sum(page))
        return bytes(page) + content[len(page) :]

    return edit


def _vorbis(recipes):
    def add(name, command, source, kind="vorbis", **more):
        # With many channels oggdec keeps the order of Vorbis, which differs from the order of WAVE.
        others = VORBIS_DECODERS if source.channels < 3 else ()
        more = {"lag": 64, "slack": VORBIS_SLACK, "others": others} | more
        recipes.append(Recipe(f"vorbis/{name}.ogg", kind, command, source, **more))

    for rate in (8000, 11025, 16000, 22050, 32000, 44100, 48000, 96000, 192000):
        for channels in (1, 2):
            encode = "oggenc -Q --serial 7 -q 3 -o {o} {i}"
            add(f"oggenc-{rate}-{channels}", encode, Source(rate, channels))
    for channels in range(3, 9):
        add(f"oggenc-{channels}ch", "oggenc -Q --serial 7 -o {o} {i}", Source(48000, channels))
        add(
            f"ffmpeg-{channels}ch",
            "ffmpeg -v error -y -i {i} -c:a libvorbis {o}",
            Source(44100, channels),
        )
    for name, options in {
        "q-1": "-q -1",
        "q10": "-q 10",
        "managed": "-b 96 --managed",
        "tagged": "-t Title -a Nobody",
        "long-tags": f"-t {'Words' * 4000}",
    }.items():
        add(f"oggenc-{name}", f"oggenc -Q --serial 7 {options} -o {{o}} {{i}}", Source(seconds=3))
    for channels in (1, 2, 6):
        for rate in (44100, 48000):
            add(
                f"skeleton-{rate}-{channels}",
                "oggenc -Q --serial 7 -k -o {o} {i}",
                Source(rate, channels),
                "vorbis with Skeleton",
            )
    add("oggenc-pipe", "cat {i} | oggenc -Q --serial 7 -o - - | cat >{o}", Source())
    add("ffmpeg-pipe", "ffmpeg -v error -i {i} -c:a libvorbis -f ogg - | cat >{o}", Source())
    add("ffmpeg-native", "ffmpeg -v error -y -i {i} -c:a vorbis -strict -2 {o}", Source())
    add("ffmpeg-tagged", "ffmpeg -v error -y -i {i} -c:a libvorbis -metadata title=a {o}", Source())
    add("sox", "sox {i} -C 5 {o}", Source())
    add("sox-pipe", "sox {i} -t ogg - | cat >{o}", Source(48000, 1))
    add("sndfile", "sndfile-convert -vorbis {i} {o}", Source())
    gst = "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert !"
    add("gstreamer", f"{gst} vorbisenc ! oggmux ! filesink location={{o}}", Source())
    for name, edit in {
        "id3v2": tags.before(tags.id3v2(3, picture=5000)),
        "id3v1": tags.behind(tags.id3v1()),
        "zeros": tags.behind(b"\0" * 4096),
    }.items():
        add(
            f"with-{name}",
            "oggenc -Q --serial 7 -o {o} {i}",
            Source(),
            "ogg with tags",
            edit=edit,
            edit_words=f"{name} is added",
        )


def _add_opus(recipes, name, command, source, kind="opus", **more):
    recipes.append(Recipe(f"opus/{name}.opus", kind, command, source, **OPUS | more))


def _opus(recipes):
    for rate in (8000, 12000, 16000, 22050, 24000, 44100, 48000, 96000):
        for channels in (1, 2):
            _add_opus(
                recipes,
                f"opusenc-{rate}-{channels}",
                "opusenc --quiet --serial 7 {i} {o}",
                Source(rate, channels),
            )
    for channels in range(3, 9):
        _add_opus(
            recipes,
            f"opusenc-{channels}ch",
            "opusenc --quiet --serial 7 {i} {o}",
            Source(48000, channels),
        )
    for bitrate in (6, 16, 24, 96, 256):
        _add_opus(
            recipes,
            f"opusenc-{bitrate}k",
            f"opusenc --quiet --serial 7 --bitrate {bitrate} {{i}} {{o}}",
            Source(48000, 1 if bitrate < 20 else 2),
        )
    for size in ("2.5", "5", "10", "40", "60"):
        _add_opus(
            recipes,
            f"opusenc-frames-{size}",
            f"opusenc --quiet --serial 7 --framesize {size} {{i}} {{o}}",
            Source(48000),
        )
    for name, options in {
        "speech": "--speech --bitrate 20",
        "music": "--music",
        "hard-cbr": "--hard-cbr",
        "tagged": "--title Title",
        "delay": "--max-delay 100",
        "padded": "--padding 9000",
    }.items():
        _add_opus(
            recipes,
            f"opusenc-{name}",
            f"opusenc --quiet --serial 7 {options} {{i}} {{o}}",
            Source(48000, 2, 3),
        )


def _opus_of_others(recipes):
    _add_opus(
        recipes,
        "opusenc-pipe",
        "cat {i} | opusenc --quiet --serial 7 - - | cat >{o}",
        Source(48000),
    )
    _add_opus(recipes, "ffmpeg", "ffmpeg -v error -y -i {i} -c:a libopus {o}", Source())
    _add_opus(
        recipes,
        "ffmpeg-pipe",
        "ffmpeg -v error -i {i} -c:a libopus -f ogg - | cat >{o}",
        Source(48000),
    )
    _add_opus(
        recipes,
        "sndfile",
        "sndfile-convert -opus {i} {o}.part.opus && mv {o}.part.opus {o}",
        Source(48000),
    )
    gst = "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert ! audioresample !"
    _add_opus(
        recipes, "gstreamer", f"{gst} opusenc ! oggmux ! filesink location={{o}}", Source(48000)
    )
    for decibels in (-6, 3):
        _add_opus(
            recipes,
            f"gain{decibels:+}",
            "opusenc --quiet --serial 7 {i} {o}",
            Source(48000),
            edit=opus_gain(decibels),
            edit_words=f"a gain of {decibels} dB is set in the header",
        )
    for name, edit in {
        "id3v2": tags.before(tags.id3v2()),
        "id3v1": tags.behind(tags.id3v1()),
        "zeros": tags.behind(b"\0" * 4096),
    }.items():
        _add_opus(
            recipes,
            f"with-{name}",
            "opusenc --quiet --serial 7 {i} {o}",
            Source(48000),
            "ogg with tags",
            edit=edit,
            edit_words=f"{name} is added",
        )


# Each letter is a part. The parts differ in rate and in number of channels.
CHAINS = "ab ba aba abcde ac ca ad dc ae ea ge eg cf fc"


def _chains(recipes):
    def link(name, source, serial):
        path = f"chains/{name}"
        if name.endswith("opus"):
            command = f"opusenc --quiet --serial {serial} {{i}} {{o}}"
            recipes.append(Recipe(path, "opus", command, source, **OPUS))
        else:
            command = f"oggenc -Q --serial {serial} -o {{o}} {{i}}"
            more = {"lag": 64, "slack": VORBIS_SLACK}
            recipes.append(Recipe(path, "vorbis", command, source, **more))
        return path

    parts = {
        "a": Source(44100, 2, 2, 11),
        "b": Source(44100, 2, 3, 12),
        "c": Source(48000, 2, 2, 13),
        "d": Source(22050, 2, 2, 14),
        "e": Source(44100, 1, 2, 15),
        "f": Source(48000, 6, 1, 16),
        "g": Source(8000, 1, 2, 17),
    }
    for ending in ("ogg", "opus"):
        paths = {
            name: link(f"link-{name}.{ending}", source, number)
            for number, (name, source) in enumerate(parts.items(), 100)
        }
        for chain in CHAINS.split():
            chosen = [paths[name] for name in chain]
            # A serial number may occur only once in a chain, so a repeated part gets another
            # number.
            if len(set(chain)) < len(chain):
                again = link(f"link-a-again.{ending}", parts["a"], 99)
                chosen[-1] = again
            first = parts[chain[0]]
            opus = {"rates": OPUS_RATES, "rate": 48000} if ending == "opus" else {}
            recipes.append(
                Recipe(
                    f"chains/{chain}.{ending}",
                    f"chained {'opus' if opus else 'vorbis'}",
                    f"cat {' '.join(chosen)} >{{o}}",
                    first,
                    reference=chosen,
                    lag=120,
                    slack=1024,
                    phase=1,
                    **opus,
                )
            )


def recipes():
    """Returns the recipes of this kind."""
    found = []
    for part in (_vorbis, _opus, _opus_of_others, _chains):
        part(found)
    return found
