"""Compares the files of a take with the list of takes, the sidecars, the deliveries, and the history of the session."""

import json
import os
import struct
import subprocess


class Broken(Exception):
    """The remains of a session contradict its history."""


def expect(condition, *words):
    if not condition:
        raise Broken(" ".join(map(str, words)))


class Agreement:
    """The checks of a finished take. The session that made it has the attributes."""

    def check_total(self, takes):
        totals = [take["total"] for take in takes if "total" in take]
        expect(len(totals) <= 1, "several totals", totals)
        for total in totals:
            expect(total["files"] == len(takes) and total["marks"] == sum(take["marks"] for take in takes), "the total", total)
            for key, count in total["frames"].items():
                expect(count == sum(take["frames"].get(key, 0) for take in takes), key, "in the total", count)

    def check_deliveries(self, takes):
        if not self.is_delivered:
            return
        self.run("deliver", "--json")
        delivered = []
        if os.path.exists("delivered"):
            with open("delivered") as file:
                delivered = file.read().splitlines()
        # No worker was killed, so no file is delivered twice. Retention may delete a file that waits.
        paths = [take["path"] for take in takes if take["exists"] or take["path"] in delivered]
        expect(delivered == paths, "delivered", delivered, "and listed", paths)

    def check_take(self, take, start, is_last):
        """Compares the counts of one file with its samples. Returns the number of the frame after it."""
        name, frames = os.path.basename(take["path"]), take["frames"]
        expect(take["rate"] == self.rate, name, "rate", take["rate"])
        expect(sum(gap["length"] for gap in take["gaps"]) == frames["lost"], name, "gaps", take["gaps"], frames)
        expect(take.get("title") == "A title" and take.get("note") == "a note", name, "title or note")
        if not take["exists"]:
            return start + frames["captured"] + frames["lost"]
        numbers = samples(take["path"], self.format)
        expect(take["bytes"] == os.path.getsize(take["path"]), name, "bytes")
        begins = start == 0 and (numbers[1:2] == (1,) or not self.is_armed and not any(gap["position"] == 0 for gap in take["gaps"]))
        runs = list(consecutive(numbers, begins))
        captured = sum(end - first for first, end, is_silence in runs if not is_silence)
        counts = {"captured": captured + frames["discarded"], "filled": len(numbers) - captured, "onDisk": len(numbers)}
        expect(counts == {key: frames[key] for key in counts}, name, "has", counts, "and the list says", frames)
        expect(captured, name, "has no captured frames")
        events = self.check_sidecar(take, name)
        if events is None and not any(line.startswith("pause") for line in self.history):
            events = [{"event": "gap", "frame": gap["position"], "lost": gap["length"]} for gap in take["gaps"]]
        # A full disk has no space for the journal, so recovery does not know when such a take paused.
        is_recovered = take["reason"] == "interrupted"
        if is_recovered and "fill files" in self.history:
            events = None
        self.check_numbers(take, numbers, runs, events, start, is_recovered)
        if is_last and is_recovered and "fill files" not in self.history:
            expect(numbers[-1] >= self.known - 2 * self.rate, name, "ends at", numbers[-1], "after", self.known)
        return start + frames["captured"] + frames["lost"]

    def check_numbers(self, take, numbers, runs, events, start, is_recovered):
        """Compares the number of every frame with the losses and the pauses before it."""
        name, frames = os.path.basename(take["path"]), take["frames"]
        most = frames["discarded"] + frames["lost"]
        # The frames before the trigger are discarded without an event. Recovery does not know them.
        waited = None if self.is_armed and take.get("segment", 1) == 1 else 0
        captured, former = 0, 0
        for first, end, is_silence in runs:
            if is_silence:
                continue
            offset = numbers[first] - start - captured
            expect(offset >= former, name, "number", numbers[first], "at", first, "comes after a higher one")
            if waited is None and not former:
                waited = offset - (passed(events, first)[0] if events is not None else 0)
                expect(waited >= 0, name, "begins", waited, "frames too early")
            if events is not None:
                expected = [waited + passed(events, place)[0] for place in (first, end - 1)]
                expect([offset] * 2 == expected, name, "misses", offset, "frames before", first, "and should miss", expected)
            captured, former = captured + end - first, offset
        counted = 0 if is_recovered else waited
        if events is None:
            expect(is_recovered or former <= most, name, "misses", former, "frames", frames)
            return
        missing, is_paused = passed(events, len(numbers))
        after = most - counted - missing
        expect(after == 0 or is_paused and after > 0, name, "counts", after, "frames after its end", frames)

    def check_sidecar(self, take, name):
        """Compares the sidecar with the list. Returns its events, or None without a sidecar."""
        path = take["path"] + ".json"
        expect(os.path.exists(path) == ("sidecar" in take), name, "sidecar", take.get("sidecar"))
        if not os.path.exists(path):
            expect(not self.has_sidecar, name, "has no sidecar")
            return None
        with open(path) as file:
            sidecar = json.load(file)
        for key in ("id", "frames", "gaps", "marks", "bytes", "path", "title", "note"):
            expect(sidecar.get(key) == take.get(key), name, key, "in the sidecar", sidecar.get(key), "in the list", take.get(key))
        positions = [event["frame"] for event in sidecar["events"]]
        expect(positions == sorted(positions), name, "events out of order", positions)
        end = take["frames"]["onDisk"]
        expect(not positions or positions[-1] <= end, name, "events after the end", end, positions)
        gaps = [event for event in sidecar["events"] if event["event"] == "gap"]
        listed = [{"position": gap["frame"], "length": gap["lost"], "cause": gap["cause"]} for gap in gaps]
        expect(listed == take["gaps"], name, "gaps in the events", listed, "in the list", take["gaps"])
        # The silence of a gap ends with the file at the latest.
        filled = sum(min(gap["lost"], end - gap["frame"]) for gap in gaps if gap.get("filled", True))
        expect(filled == take["frames"]["filled"], name, "silence in the events", filled, "in the list", take["frames"])
        texts = [event["text"] for event in sidecar["events"] if event["event"] == "mark"]
        expect(texts == take.get("markTexts", []), name, "marks in the sidecar", texts, take.get("markTexts"))
        return sidecar["events"]

    def check_marks(self, takes):
        listed = [text for take in takes for text in take.get("markTexts", [])]
        # A full disk has no space for the journal, so a kill loses the marks that were set on it.
        lost = self.unwritten if "SIGKILL" in self.history else set()
        # Without a frame there is no file. That happens only if nothing triggered the take.
        if self.is_armed and not takes:
            lost = set(self.marks)
        # A kill leaves no file if the first block of a FLAC file was incomplete. Then recovery reports the marks.
        lost = lost | self.lost
        kept = [text for text in self.marks if text in listed or text not in lost]
        expect(sorted(listed) == sorted(kept), "marks in the list", listed, "accepted", list(self.marks))
        expect(sum(take["marks"] for take in takes) == len(listed), "the number of marks")
        # Without a sidecar, only WAV files have marks. On a full disk there is no space for them after the samples.
        if not self.has_sidecar and (self.format != "wav" or "fill files" in self.history):
            return
        for take in takes:
            if not take["exists"]:
                continue
            _, info = self.run("info", "--json", take["path"])
            marks = {mark["label"]: mark["frame"] for mark in info["files"][0]["marks"]}
            for text in take.get("markTexts", []):
                expect(text in marks, text, "is not in", take["path"])
                # A kill or a full disk loses the last frames. Marks in them move to the end of the file.
                end = info["files"][0]["frames"]
                if self.marks[text] is None:
                    # Silence for frames that were lost in the meantime makes the pre-roll longer.
                    most = self.pre_roll * self.rate // 1_000 + take["frames"]["filled"]
                    expect(marks[text] <= most, text, "was accepted before the trigger, and is at", marks[text])
                else:
                    has_lost = "SIGKILL" in self.history or "fill files" in self.history
                    expected = min(self.marks[text], end) if has_lost else self.marks[text]
                    expect(marks[text] == expected, text, "is at", marks[text], "and was accepted at", self.marks[text])


def passed(events, position):
    """Returns how many frames were lost or discarded before a position in the file, and whether the take is paused."""
    missing, is_paused = 0, False
    for event in events:
        if event["frame"] > position:
            break
        if event["event"] == "resumed":
            # This includes the frames that were lost during the pause.
            missing += event["discarded"]
        elif event["event"] == "gap" and not is_paused:
            missing += event["lost"]
        is_paused = event["event"] == "paused" or is_paused and event["event"] != "resumed"
    return missing, is_paused


def consecutive(numbers, begins):
    """Returns the ranges of consecutive numbers and of silence: first place, end, whether it is silence."""
    bounds = [place for place, (left, right) in enumerate(zip(numbers, numbers[1:]), 1) if right != left + 1 and (left or right)]
    # The number of the first frame of a take is 0, like silence.
    if begins and numbers[:2] == (0, 0):
        bounds.insert(0, 1)
    for first, end in zip([0, *bounds], [*bounds, len(numbers)]):
        yield first, end, numbers[first] == 0 and not (begins and first == 0)


def samples(path, form):
    """Returns the numbers of the frames: the left sample is the low half, the right sample the high half."""
    if form == "raw":
        with open(path, "rb") as file:
            data = file.read()
    else:
        data = subprocess.run(
            ["sox", "-D", "-t", form, path, "-t", "raw", "-e", "signed", "-b", "16", "-L", "-"], capture_output=True, check=True).stdout
    return struct.unpack(f"<{len(data) // 4}I", data[:len(data) // 4 * 4])
