"""Comparisons of sounds, which describe each fault in a few words."""

import numpy

import signals

LEAST = 0.99
# The same for Opus, if one decoder resamples to the input's rate and the other uses 48 kHz.
LEAST_RESAMPLED = 0.97
SILENT = 1e-4
# The highest share of another channel's sound in a channel: Opus and Vorbis couple channels, 14 dB
# below.
LEAK = 0.2
HALF = 0.5**0.5


def level(sound):
    """Returns the root mean square."""
    return float(numpy.sqrt(numpy.mean(numpy.square(sound, dtype=float)))) if len(sound) else 0.0


def likeness(sound, other):
    """Returns the correlation of two sounds; 1 means the same shape."""
    both = level(sound) * level(other)
    if both == 0:
        return 1.0 if level(sound) == level(other) else 0.0
    return float(numpy.mean(sound.astype(float) * other) / both)


def _mixed(sound):
    # The weights differ, so exchanged channels change the sum.
    return sound @ numpy.linspace(1, 0.3, sound.shape[1]).astype("f4")


def shift(sound, expected, most):
    """Returns the delay of a sound in frames, found as the best match with the expected sound."""
    if not most:
        return 0
    size = 1 << (len(sound) + len(expected)).bit_length()
    spectra = [numpy.fft.rfft(_mixed(one), size) for one in (sound, expected)]
    product = numpy.fft.irfft(spectra[0] * spectra[1].conj(), size)
    around = numpy.concatenate([product[-most:], product[: most + 1]])
    return int(numpy.argmax(around)) - most


def aligned(sound, expected, late):
    """Returns the common part of two sounds, after one is shifted."""
    sound, expected = (sound[late:], expected) if late >= 0 else (sound, expected[-late:])
    count = min(len(sound), len(expected))
    return sound[:count], expected[:count]


def nearer(mine, theirs, most=1):
    """Returns the first sound, shifted by the fraction of a frame that fits the second best."""
    frequencies = numpy.fft.rfftfreq(len(mine))
    spectrum = numpy.fft.rfft(mine, axis=0)
    moved = {}
    for part in numpy.arange(-most, most + 0.01, 0.125):
        turn = numpy.exp(2j * numpy.pi * frequencies * part)[:, None]
        moved[part] = numpy.fft.irfft(spectrum * turn, len(mine), axis=0)
    best = max(moved, key=lambda part: likeness(_mixed(moved[part]), _mixed(theirs)))
    return moved[best]


def compare(sound, expected, lag, slack, figures, least=LEAST):
    """Returns the faults of a sound compared with the expected one."""
    faults = []
    figures |= {"frames": len(sound), "expected": len(expected)}
    if abs(len(sound) - len(expected)) > slack:
        faults.append(f"{len(sound)} frames instead of {len(expected)}")
    if not len(sound) or not len(expected):
        return faults or ["no frames"]
    if level(expected) < SILENT:
        return faults + ([] if level(sound) < SILENT else ["noise instead of silence"])
    late = shift(sound, expected, lag)
    mine, theirs = aligned(sound, expected, late)
    figures["late"] = late
    # Decoders at another rate delay by a fraction of a frame.
    if lag and likeness(_mixed(mine), _mixed(theirs)) < least:
        mine = nearer(mine, theirs)
    unlike, loud = [], []
    for channel in range(expected.shape[1]):
        own, their = mine[:, channel], theirs[:, channel]
        if level(their) < SILENT:
            if level(own) > 10 * SILENT:
                unlike.append(f"channel {channel} is not silent")
            continue
        alike = likeness(own, their)
        figures["likeness"] = min(alike, figures.get("likeness", 1))
        if alike < least:
            unlike.append(f"channel {channel} {alike:.3f}")
        elif not 0.97 < level(own) / level(their) < 1.03:
            loud.append(f"channel {channel} × {level(own) / level(their):.2f}")
    if unlike:
        far = shift(sound, expected, 8192)
        if far != late and likeness(*map(_mixed, aligned(sound, expected, far))) > LEAST:
            unlike = [f"shifted by {far} frames"]
        faults.append("unlike: " + ", ".join(unlike))
    if loud:
        faults.append("level: " + ", ".join(loud))
    return faults


def compare_links(sound, parts, lag, slack, figures):
    """Returns the faults of a sound that should consist of several sounds, one after the other."""
    total = sum(map(len, parts))
    figures |= {"frames": len(sound), "expected": total}
    faults = []
    if abs(len(sound) - total) > slack * len(parts):
        faults.append(f"{len(sound)} frames instead of {total}")
    start = 0
    for number, part in enumerate(parts):
        # Each link may add its own padding.
        room = lag + slack * (number + 1)
        begin = max(0, start - room)
        piece = sound[begin : start + len(part) + room]
        start += len(part)
        # The decoders fade in and out at the joints, so the edges are not compared.
        inner = part[len(part) // 20 : -len(part) // 20]
        offset = len(part) // 20
        if len(piece) < len(inner):
            faults.append(f"link {number + 1} is missing")
            continue
        late = shift(piece, inner, 2 * room + offset)
        mine, theirs = aligned(piece, inner, late)
        # At another rate a link may begin between two frames.
        if likeness(_mixed(mine), _mixed(theirs)) < LEAST:
            mine = nearer(mine, theirs)
        worst = min(
            likeness(mine[:, channel], theirs[:, channel])
            for channel in range(part.shape[1])
            if level(theirs[:, channel]) > SILENT
        )
        figures["likeness"] = min(worst, figures.get("likeness", 1))
        if worst < LEAST:
            faults.append(f"link {number + 1} is unlike its file: {worst:.3f}")
    return faults


def _shares(sound, layout, length):
    """Returns the level of each output in the segment of each channel."""
    found = []
    for number in range(len(layout)):
        part = sound[number * length : (number + 1) * length]
        found.append([level(part[:, output]) for output in range(sound.shape[1])])
    return numpy.array(found)


def placed(sound, layout, outputs):
    """Maps the channels of a layout to outputs. A channel without an output goes to its
    neighbours."""
    places, wanted = signals.LAYOUTS[layout], signals.LAYOUTS[outputs]
    found = numpy.zeros((len(sound), len(wanted)), "f4")
    for number, name in enumerate(places):
        # The back centre is the only channel that 7.1 lacks.
        shares = {name: 1} if name in wanted else {"BL": HALF, "BR": HALF}
        for place, share in shares.items():
            found[:, wanted.index(place)] += share * sound[:, number]
    return found


def compare_places(sound, layout, outputs, length):
    """Returns the faults of channels that should sound one after the other, each in its own
    output."""
    places, wanted = signals.LAYOUTS[layout], signals.LAYOUTS[outputs]
    shares = _shares(sound, places, length)
    faults = []
    for number, name in enumerate(places):
        right = {name} if name in wanted else {"BL", "BR"}
        if shares[number].max() < SILENT:
            faults.append(f"{name} is silent")
            continue
        heard = {
            wanted[output]
            for output in numpy.flatnonzero(shares[number] > LEAK * shares[number].max())
        }
        if heard != right:
            faults.append(f"{name} plays as {' and '.join(sorted(heard))}")
    return faults


# The lowest and highest share of each channel on the left and on the right, by ITU-R BS.775.
MIX = {
    "FL": ((1, 1), (0, 0)),
    "FR": ((0, 0), (1, 1)),
    "FC": ((HALF, HALF), (HALF, HALF)),
    "BL": ((HALF, HALF), (0, 0)),
    "BR": ((0, 0), (HALF, HALF)),
    "SL": ((HALF, HALF), (0, 0)),
    "SR": ((0, 0), (HALF, HALF)),
    "BC": ((0.5, HALF), (0.5, HALF)),
    "LFE": ((0, HALF), (0, HALF)),
}


def compare_mix(sound, own, layout, length):
    """Returns the faults of a mix to stereo, compared with the unmixed channels."""
    layout = signals.LAYOUTS[layout]
    mixed, single = _shares(sound, layout, length), _shares(own, layout, length)
    faults = []
    # A mix may be quieter as a whole, so that it cannot pass full scale.
    scale = mixed[0, 0] / single[0, 0] if single[0, 0] else 0
    if not 0.25 < scale < 1.05:
        return [f"mix: FL has {scale:.2f} times its level"]
    for number, name in enumerate(layout):
        for output, side in enumerate(("left", "right")):
            share = mixed[number, output] / (single[number].max() or 1) / scale
            least, most = MIX[name][output]
            if not least - 0.08 <= share <= most + 0.08 + (LEAK - 0.08) * (most == 0):
                faults.append(f"mix: {name} is {share:.2f} on the {side}")
    return faults
