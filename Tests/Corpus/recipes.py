"""Recipes of sound files, and the functions that make the files."""

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import signals

WORKERS = 2
# These modules only compare files, so a change in them does not change the corpus.
CHECKS = ("comparing.py", "listening.py", "theatre.py")


@dataclass(frozen=True)
class Source:
    """A sound that is given to encoders as WAV."""

    rate: int = 44100
    channels: int = 2
    seconds: float = 1.5
    seed: int = 1
    layout: str = ""

    @property
    def name(self):
        what = self.layout.strip(")").replace("(", "-") if self.layout else f"{self.channels}ch"
        return f"sources/{self.rate}-{what}-{self.seconds:g}s-{self.seed}.wav"

    def sound(self):
        if self.layout:
            return signals.places(self.rate, self.layout)
        return signals.music(self.rate, self.channels, self.seconds, self.seed)

    def bytes(self):
        # Some encoders refuse a plain WAV with many channels, others an extensible one with few.
        layout = self.layout or signals.USUAL[self.channels]
        mask = signals.mask(layout) if len(signals.LAYOUTS[layout]) > 2 else None
        return signals.wave(self.sound(), self.rate, mask)


def placed(layout, rate=48000):
    """Returns the source whose channels sound one after the other."""
    return Source(rate, len(signals.LAYOUTS[layout]), 0, 0, layout)


@dataclass
class Recipe:
    """One file: how to make it, and its expected sound."""

    path: str
    kind: str
    command: str
    source: Source | None = None
    # Converts the output of the command into the file. Without a command it creates the file.
    edit: object = None
    edit_words: str = ""
    # ffmpeg, source, a command that prints WAV, or the paths of the joined files.
    reference: object = "ffmpeg"
    # Other decoders. The decoders of lossy streams differ, so one that agrees is enough.
    others: tuple = ()
    # The tolerance in frames for the beginning (lag) and for the length (slack).
    lag: int = 0
    slack: int = 0
    rate: int = 0
    channels: int = 0
    rates: list = field(default_factory=list)
    # Whether to check the mix to stereo. It is checked if the file states the position of each
    # channel.
    mixes: bool = False
    # For a file that is refused by design: the words of the refusal, and whether ffmpeg reads the
    # file.
    names: str = ""
    convertible: bool = False
    phase: int = 0

    def entry(self):
        source = self.source or Source()
        made = self.command.replace("{i}", source.name).replace("{o}", self.path)
        if self.edit_words:
            made = f"{made}; {self.edit_words}" if made else self.edit_words
        entry = {"path": self.path, "kind": self.kind, "made": made}
        if self.names:
            return entry | {"names": self.names, "convertible": self.convertible}
        entry |= {
            "rate": self.rate or source.rate,
            "channels": self.channels or source.channels,
            "reference": self.reference,
            "lag": self.lag,
            "slack": self.slack,
        }
        if self.others:
            entry["others"] = list(self.others)
        if self.rates:
            entry["rates"] = self.rates
        if self.reference == "source":
            entry["source"] = source.name
        if source.layout and len(signals.LAYOUTS[source.layout]) > 2:
            entry |= {"layout": source.layout, "mixes": self.mixes, "segment": signals.SEGMENT}
        return entry


def sized(recipe, content, output):
    """Writes the file of a recipe whose `edit` converts bytes."""
    with open(output, "wb") as file:
        file.write(recipe.edit(content))


def cook(recipe, directory):
    """Makes one file. Returns the reason if it fails, or None."""
    output = os.path.join(directory, recipe.path)
    os.makedirs(os.path.dirname(output), exist_ok=True)
    try:
        if recipe.command:
            made = recipe.path + (".part" if recipe.edit else "")
            # Encoders choose the format by the extension.
            if recipe.edit:
                made = os.path.splitext(recipe.path)[0] + ".part" + os.path.splitext(made[:-5])[1]
            command = recipe.command.replace("{o}", made)
            if recipe.source:
                command = command.replace("{i}", recipe.source.name)
            done = subprocess.run(
                ["bash", "-c", "set -o pipefail; " + command],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=60,
            )
            if done.returncode:
                words = done.stderr.decode(errors="replace").strip().splitlines()[-3:]
                return f"exit code {done.returncode}: {' / '.join(words)}"
            if recipe.edit:
                made = os.path.join(directory, made)
                with open(made, "rb") as file:
                    sized(recipe, file.read(), output)
                os.remove(made)
        else:
            sized(recipe, b"", output)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return repr(error)
    return None if os.path.getsize(output) or "empty" in recipe.path else "no bytes"


def cook_all(recipes, directory):
    """Makes every file and the manifest. Returns the number of failures."""
    paths = [recipe.path for recipe in recipes]
    assert len(paths) == len(set(paths)), {path for path in paths if paths.count(path) > 1}
    os.makedirs(os.path.join(directory, "sources"), exist_ok=True)
    with ThreadPoolExecutor(WORKERS) as pool:
        sources = {recipe.source for recipe in recipes if recipe.source}

        def prepare(source):
            with open(os.path.join(directory, source.name), "wb") as file:
                file.write(source.bytes())

        list(pool.map(prepare, sources))
        failures = 0
        entries = []
        for phase in sorted({recipe.phase for recipe in recipes}):
            part = [recipe for recipe in recipes if recipe.phase == phase]
            for recipe, words in zip(part, pool.map(lambda one: cook(one, directory), part)):
                if words:
                    print(f"{recipe.path}: {words}\n  {recipe.command}", file=sys.stderr)
                    failures += 1
                else:
                    entries.append(recipe.entry())
    with open(os.path.join(directory, "manifest.json"), "w") as file:
        json.dump({"files": entries}, file, indent=1)
    return failures


def sample(recipes, count):
    """Selects recipes of all kinds in turn, the last of each kind first, and adds the recipes of
    the files that they join."""
    kinds, chosen = {}, {}
    by_path = {recipe.path: recipe for recipe in recipes}
    for recipe in recipes:
        kinds.setdefault(recipe.kind, []).append(recipe)
    while len(chosen) < min(count, len(recipes)):
        for kind in [kind for kind in kinds.values() if kind]:
            recipe = kind.pop()
            chosen[recipe.path] = recipe
            if isinstance(recipe.reference, list):
                chosen |= {path: by_path[path] for path in recipe.reference}
            if len(chosen) >= count:
                break
    return list(chosen.values())


def fingerprint(directory):
    """Returns a digest of the programs that make the corpus."""
    digest = hashlib.sha256()
    for root, _, names in sorted(os.walk(directory)):
        for name in sorted(names):
            if name.endswith(".py") and name not in CHECKS or name == "make-corpus":
                with open(os.path.join(root, name), "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()
