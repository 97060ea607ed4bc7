"""Synthetic sounds that are the same in each run. Their position in time and their channel are
unmistakable."""

import struct

import numpy

# The loudspeakers of each layout, in the order of WAVE's channel mask.
LAYOUTS = {
    "mono": ["FC"],
    "stereo": ["FL", "FR"],
    "3.0": ["FL", "FR", "FC"],
    "quad": ["FL", "FR", "BL", "BR"],
    "4.0": ["FL", "FR", "FC", "BC"],
    "5.0": ["FL", "FR", "FC", "BL", "BR"],
    "5.0(side)": ["FL", "FR", "FC", "SL", "SR"],
    "5.1": ["FL", "FR", "FC", "LFE", "BL", "BR"],
    "5.1(side)": ["FL", "FR", "FC", "LFE", "SL", "SR"],
    "6.1": ["FL", "FR", "FC", "LFE", "BC", "SL", "SR"],
    "7.1": ["FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR"],
}
# The default layout for each number of channels.
USUAL = {1: "mono", 2: "stereo", 3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}
MASKS = {
    "FL": 0x1,
    "FR": 0x2,
    "FC": 0x4,
    "LFE": 0x8,
    "BL": 0x10,
    "BR": 0x20,
    "BC": 0x100,
    "SL": 0x200,
    "SR": 0x400,
}

SEGMENT = 0.25


def mask(layout):
    """Returns the channel mask of a layout."""
    return sum(MASKS[place] for place in LAYOUTS[layout])


def _noise(random, count, rate):
    """Returns pink noise between 80 Hz and 0.4 of the rate, with a peak of 1."""
    frequencies = numpy.fft.rfftfreq(count, 1 / rate)
    power = 1 / numpy.sqrt(numpy.maximum(frequencies, 80))
    power[(frequencies < 80) | (frequencies > 0.4 * rate)] = 0
    phases = numpy.exp(2j * numpy.pi * random.random(len(frequencies)))
    noise = numpy.fft.irfft(power * phases, count)
    return noise / numpy.abs(noise).max()


def _bursts(random, count, rate):
    """Returns an envelope of bursts of 40 to 200 ms."""
    envelope = numpy.empty(count)
    start = 0
    while start < count:
        end = start + int(rate * random.uniform(0.04, 0.2))
        envelope[start:end] = random.uniform(0.15, 1)
        start = end
    return envelope


def _chirp(count, rate, phase):
    """Returns a sweep from 100 Hz to 0.3 of the rate."""
    time = numpy.arange(count) / rate
    growth = numpy.log(0.3 * rate / 100) / (count / rate)
    return numpy.sin(2 * numpy.pi * 100 * numpy.expm1(growth * time) / growth + phase)


def music(rate, channels, seconds, seed):
    """Returns bursts of separate noise for each channel, over a sweep and a noise that all
    channels share."""
    random = numpy.random.default_rng(seed)
    count = int(rate * seconds)
    common = 0.15 * _noise(random, count, rate)
    sound = numpy.empty((count, channels))
    for channel in range(channels):
        own = 0.5 * _noise(random, count, rate) * _bursts(random, count, rate)
        sound[:, channel] = own + common + 0.1 * _chirp(count, rate, channel)
    return sound


def places(rate, layout):
    """Returns channels that sound one after the other, each alone for one segment."""
    random = numpy.random.default_rng(71)
    names = LAYOUTS[layout]
    length = int(rate * SEGMENT)
    sound = numpy.zeros((length * len(names), len(names)))
    quiet = length // 6
    time = numpy.arange(length - 2 * quiet) / rate
    for channel, name in enumerate(names):
        tone = 0.4 * numpy.sin(2 * numpy.pi * 60 * time) if name == "LFE" else 0
        part = tone + 0.4 * _noise(random, len(time), rate)
        start = channel * length + quiet
        sound[start : start + len(time), channel] = part * numpy.hanning(len(time))
    return sound


def chunk(name, content):
    """Returns a RIFF chunk with its padding."""
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def wave_format(rate, channels, bits, code=1, channel_mask=None):
    """Returns the content of a `fmt ` chunk; extensible if there is a mask."""
    block = channels * bits // 8
    tag = code if channel_mask is None else 0xFFFE
    content = struct.pack("<HHIIHH", tag, channels, rate, rate * block, block, bits)
    if channel_mask is not None:
        content += struct.pack("<HHIH", 22, bits, channel_mask, code)
        content += bytes.fromhex("000000001000800000aa00389b71")
    return content


def samples(sound, bits=16):
    """Returns the samples as little-endian integers, or as floats if `bits` is `float` or
    `double`."""
    if bits == "float":
        return sound.astype("<f4").tobytes()
    if bits == "double":
        return sound.astype("<f8").tobytes()
    whole = numpy.rint(sound * (2 ** (bits - 1) - 1)).astype("<i4")
    if bits == 8:
        return (whole + 128).astype("u1").tobytes()
    if bits == 24:
        return whole.reshape(-1, 1).view("u1")[:, :3].tobytes()
    return whole.astype(f"<i{bits // 8}").tobytes()


def wave(sound, rate, channel_mask=None):
    """Returns a WAV file of 16 bits."""
    body = b"WAVE" + chunk(b"fmt ", wave_format(rate, sound.shape[1], 16, 1, channel_mask))
    return chunk(b"RIFF", body + chunk(b"data", samples(sound)))
