"""FLAC of each rate, width and number of channels, with and without the additions of other
programs."""

import tags
from recipes import Recipe, Source


ENCODE = "flac -s -f {options} -o {{o}} {{i}}"


def _add(recipes, name, command, source, kind="flac", **more):
    recipes.append(Recipe(f"flac/{name}", kind, command, source, **more))


def _forms(recipes):
    for rate in (8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 176400, 192000):
        for channels in (1, 2):
            _add(
                recipes,
                f"flac-{rate}-{channels}.flac",
                ENCODE.format(options=""),
                Source(rate, channels),
            )
    for channels in range(3, 9):
        _add(
            recipes,
            f"flac-{channels}ch.flac",
            ENCODE.format(options="--channel-map=none"),
            Source(48000, channels),
        )
    for name, options in {
        "fastest": "-0",
        "best": "-8",
        "small-blocks": "-b 192",
        "large-blocks": "-b 4608",
        "no-padding": "--no-padding --no-seektable",
        "padded": "-P 50000",
        "tagged": "-T TITLE=a",
        "seek-points": "-S 0.1s",
        "verbatim": "--disable-constant-subframes --disable-fixed-subframes -l 0",
    }.items():
        _add(recipes, f"{name}.flac", ENCODE.format(options=options), Source())


def _widths(recipes):
    for bits in (8, 24, 32):
        for channels in (1, 2):
            _add(
                recipes,
                f"bits-{bits}-{channels}.flac",
                f"sox {{i}} -b {bits} {{o}}.wav gain -1"
                " && flac -s -f -o {o} {o}.wav && rm {o}.wav",
                Source(48000, channels),
                f"flac of {bits} bits",
                reference="flac -s -d -c {f}",
            )
    for bits in (16, 24, 32):
        _add(
            recipes,
            f"raw-{bits}-20.flac",
            f"sox {{i}} -t raw -b {bits} - | flac -s -f --force-raw-format --endian=little"
            f" --sign=signed --channels=2 --bps={bits} --sample-rate=44100 -o {{o}} -",
            Source(),
            f"flac of {bits} bits",
            reference="flac -s -d -c {f}",
        )
    _add(
        recipes,
        "wasted-bits.flac",
        "sox {i} -b 24 {o}.wav && flac -s -f -o {o} {o}.wav && rm {o}.wav",
        Source(),
    )
    silence = (
        "sox -n -r 44100 -c 2 -b 16 {o}.wav trim 0 1 && flac -s -f -o {o} {o}.wav && rm {o}.wav"
    )
    _add(recipes, "silence.flac", silence, Source(), "flac")


def _others(recipes):
    _add(recipes, "ffmpeg.flac", "ffmpeg -v error -y -i {i} {o}", Source())
    _add(recipes, "ffmpeg-24.flac", "ffmpeg -v error -y -i {i} -sample_fmt s32 {o}", Source())
    _add(
        recipes,
        "ffmpeg-pipe.flac",
        "ffmpeg -v error -i {i} -f flac - | cat >{o}",
        Source(),
        "flac piped",
    )
    for channels in (1, 2):
        source = Source(48000, channels)
        _add(
            recipes,
            f"flac-pipe-{channels}.flac",
            "cat {i} | flac -s - | cat >{o}",
            source,
            "flac piped",
        )
        raw = f"--force-raw-format --endian=little --sign=signed --channels={channels} --bps=16"
        _add(
            recipes,
            f"flac-raw-pipe-{channels}.flac",
            f"tail -c +45 {{i}} | flac -s {raw} --sample-rate=48000 - | cat >{{o}}",
            source,
            "flac piped",
        )
    _add(recipes, "sox.flac", "sox {i} -C 4 {o}", Source())
    _add(recipes, "sox-pipe.flac", "sox {i} -t flac - | cat >{o}", Source(), "flac piped")
    _add(recipes, "sndfile.flac", "sndfile-convert -pcm16 {i} {o}", Source())
    _add(recipes, "sndfile-24.flac", "sndfile-convert -pcm24 {i} {o}", Source())
    gst = "gst-launch-1.0 -q filesrc location={i} ! wavparse ! audioconvert ! flacenc !"
    _add(recipes, "gstreamer.flac", f"{gst} filesink location={{o}}", Source())
    _add(recipes, "gstreamer-pipe.flac", f"{gst} fdsink | cat >{{o}}", Source(), "flac piped")


def _tagged(recipes):
    for name, edit in {
        "id3v2": tags.before(tags.id3v2()),
        "id3v2-picture": tags.before(tags.id3v2(3, 100_000)),
        "id3v1": tags.behind(tags.id3v1()),
        "zeros": tags.behind(b"\0" * 4096),
        "id3-both": lambda file: tags.id3v2(4) + file + tags.id3v1(),
        "apev2": tags.behind(tags.apev2()),
    }.items():
        for channels in (1, 2):
            _add(
                recipes,
                f"with-{name}-{channels}.flac",
                ENCODE.format(options=""),
                Source(44100, channels),
                "flac with tags",
                edit=edit,
                edit_words=f"{name} is added",
            )


def _in_ogg(recipes):
    for name, command in {
        "flac": "flac -s -f --ogg --serial-number=7 -o {o} {i}",
        "ffmpeg": "ffmpeg -v error -y -i {i} -c:a flac {o}",
    }.items():
        for channels in (1, 2):
            recipes.append(
                Recipe(
                    f"flac/{name}-{channels}.oga", "flac in ogg", command, Source(44100, channels)
                )
            )


def recipes():
    """Returns the recipes of this kind."""
    found = []
    for part in (_forms, _widths, _others, _tagged, _in_ogg):
        part(found)
    return found
