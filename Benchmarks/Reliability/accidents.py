"""The faults. Each is a function that takes a stage and yields table rows: a title, and a cell for each program."""

import os
import signal
import subprocess
import time

from listening import READERS, Sound, now
from stage import PATIENCE, Run, signal_all

NOT_OFFERED = "not offered"
LOSS = r"overrun|lost|missing|dropped|xrun"


def milliseconds(seconds):
    # The result can be slightly negative, by a part of the server's cycle in progress.
    return f"{max(0, seconds) * 1000:.0f} ms"


def ending(code):
    """Returns an exit code in words."""
    if code is None:
        return "hung until SIGKILL"
    return f"exit {code}" if code >= 0 else f"ended by {signal.Signals(-code).name}"


def state(sound):
    """Returns the state of a file in words."""
    if not sound.count:
        return "no sound readable"
    if sound.is_whole:
        return "whole"
    others = [name for name in READERS if name not in sound.readers]
    flaw = [] if sound.header == "right" else [f"header {sound.header}"]
    return ", ".join(flaw + ([f"not read by {' and '.join(others)}"] if others else []))


def cells(runs, cell):
    return {run.program.name: cell(run) for run in runs}


def killed(stage, rounds=3):
    """SIGKILL: checks the file as it is on the disk, before any repair."""
    found, saved = {program.name: [] for program in stage.programs}, []
    for _ in range(rounds):
        runs = stage.begin()
        moment = signal_all(runs, signal.SIGKILL)
        for run in runs:
            run.wait(PATIENCE)
            sound = Sound(run.written)
            found[run.program.name].append((sound, sound.missing_at_end(moment)))
            if run.program.is_ours:
                subprocess.run(["recorder", "recover", run.folder], capture_output=True)
                saved.append(Sound(run.recovered).missing_at_end(moment))

    def readers(all_of):
        least = min((sound.readers for sound, _ in all_of), key=len)
        return "all three" if len(least) == len(READERS) else ", ".join(least) or "none"

    def most(all_of):
        return "all" if any(lost is None for _, lost in all_of) else milliseconds(
            max(lost for _, lost in all_of))

    yield "SIGKILL: read by ffmpeg, sox, libsndfile", {k: readers(v) for k, v in found.items()}
    yield "SIGKILL: sound missing at the end, maximum of " + str(rounds), {
        k: most(v) for k, v in found.items()}
    yield "SIGKILL: length in the header", {k: v[-1][0].header for k, v in found.items()}
    row = {program.name: NOT_OFFERED for program in stage.programs}
    if saved:
        row["recorder"] = "all" if None in saved else milliseconds(max(saved))
    yield "SIGKILL: missing after the program's own recovery", row


def ended(stage):
    """The signals that ask a program to end."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        runs = stage.begin(3.0)
        moment = signal_all(runs, number)

        def cell(run):
            code = run.wait(PATIENCE) if run.wait(PATIENCE) is not None else run.end()
            sound = Sound(run.written)
            tail = sound.missing_at_end(moment)
            missing = "" if tail is None else f", {milliseconds(tail)} missing"
            # If the machine itself was late, all programs lost the same frames.
            if run.has_said(LOSS):
                missing += ", reported a loss before"
            return f"{ending(code)}, {state(sound)}{missing}"

        yield number.name, cells(runs, cell)


def named(stage):
    """The file name already belongs to a file, or to a link to one."""
    for title, is_link in (("The file exists", False), ("The name is a link to a file", True)):
        runs = []
        for program in stage.programs:
            folder = stage.place(program)
            old = os.path.join(folder, "old" if is_link else "take.wav")
            with open(old, "w") as file:
                file.write("old")
            if is_link:
                os.symlink("old", os.path.join(folder, "take.wav"))
            run = Run(program, folder)
            run.old = old
            runs.append(run)
        time.sleep(3)

        def cell(run):
            code = run.process.poll()
            code = run.end() if code is None else code
            kept = os.path.getsize(run.old) == 3
            return f"refused, {ending(code)}" if kept else "overwritten"

        yield title, cells(runs, cell)


def together(stage):
    """Two instances of a program record to the same name at the same moment."""
    first = [Run(program, stage.place(program)) for program in stage.programs]
    second = [Run(run.program, run.folder, wish="other") for run in first]
    time.sleep(4)
    codes = {run: run.process.poll() for run in first + second}
    for run in first + second:
        if codes[run] is None:
            run.end()

    def cell(run):
        other = second[first.index(run)]
        refused = [codes[one] for one in (run, other) if codes[one] is not None]
        if refused:
            return f"one records, the other is refused ({refused[0]})"
        return "both write into one file"

    yield "Two recordings to one name", cells(first, cell)


def private(stage):
    """The mode of the file under umask 022."""
    runs = stage.begin(2.0)
    for run in runs:
        run.end()
    yield "Mode of the file, umask 022", cells(
        runs, lambda run: f"{os.stat(run.written).st_mode & 0o777:04o}")


def _on_small_disk(size):
    def around(words, run):
        kept = run.folder + ".kept"
        os.mkdir(kept)
        script = (
            f"mount -t tmpfs -o size={size} none '{run.folder}' || exit 99; cd '{run.folder}'; "
            f"\"$@\" & echo $! > '{kept}/pid'; wait $!; code=$?; cp -a . '{kept}'; exit $code"
        )
        return ["unshare", "-rm", "sh", "-c", script, "sh", *words]

    return around


def _adopt(run):
    """Finds the program that the shell with the small disk started."""
    with open(run.folder + ".kept/pid") as file:
        run.target = int(file.read())
    run.path = run.path.replace(run.folder, run.folder + ".kept")


def full(stage):
    """A disk of 700 KiB, which is full after 3.7 s."""
    runs = stage.begin(3.0, wish="small disk", around=_on_small_disk("700k"))
    for run in runs:
        _adopt(run)
    deadline = now() + 6

    def cell(run):
        code = run.wait(max(0.1, deadline - now()))
        goes_on = "" if code is not None else "continues until it is ended, "
        said = "reported" if run.has_said("no space|full|disk") else "silent"
        code = run.end() if code is None else code
        return f"{said}, {goes_on}{ending(code)}, {state(Sound(run.written))}"

    yield "The disk is full", cells(runs, cell)


def floor(stage):
    """A disk with less free space than the minimum that a program leaves to others."""
    runs = [
        Run(program, stage.place(program), around=_on_small_disk("8m"))
        for program in stage.programs if program.is_ours
    ]
    row = {program.name: NOT_OFFERED for program in stage.programs}
    yield "Less free space than a minimum", row | cells(
        runs, lambda run: f"minimum 16 MiB: refused, {ending(run.wait(PATIENCE))}")


def _fail(run, fault):
    """Makes the next write to the file of a program fail or wait. Uses the kernel's tracing, so it works alike for
    all programs."""
    calls = "write,pwrite64,writev"
    names = [word for name in run.program.names(run.path) for word in ("-P", name)]
    log = os.path.join(run.folder, ".trace")
    words = ["strace", "-f", "-qq", "-o", log, *names, "-p", str(run.target)]
    words += ["-e", f"trace={calls}", "-e", f"inject={calls}:{fault}:when=1"]
    return subprocess.Popen(words, stderr=subprocess.DEVNULL), log


def _fail_all(runs, fault, seconds):
    """Does this for all programs together. A tracer ends after its fault has happened, and all end after the given
    time."""
    tracers = [_fail(run, fault) for run in runs]
    deadline = now() + seconds
    happened = set()
    while now() < deadline and len(happened) < len(runs):
        time.sleep(0.02)
        for run, (tracer, log) in zip(runs, tracers):
            if run not in happened and os.path.exists(log):
                with open(log, errors="replace") as file:
                    if "INJECTED" in file.read() or "DELAYED" in file.read():
                        happened.add(run)
                        tracer.terminate()
    for tracer, _ in tracers:
        tracer.terminate()
        tracer.wait()
    return happened


def failed(stage):
    """One write fails."""
    runs = stage.begin()
    happened = _fail_all(runs, "error=EIO", 5)
    time.sleep(2)

    def cell(run):
        if run not in happened:
            run.end()
            return "not measured"
        code = run.process.poll()
        goes_on = "" if code is not None else "continues, "
        said = "reported" if run.has_said("input/output|error|i/o|fail") else "silent"
        code = run.end() if code is None else code
        sound = Sound(run.written)
        lost, _ = sound.lost()
        hole = f", {milliseconds(lost)} missing within" if lost else ""
        return f"{said}, {goes_on}{ending(code)}, {state(sound)}{hole}"

    yield "One write fails with EIO", cells(runs, cell)


def _loss(run, code):
    """Returns how much sound a take lacks, and whether the program reported it, in words."""
    sound = Sound(run.written)
    lost, short = sound.lost()
    if lost is None:
        return f"{ending(code)}, {state(sound)}"
    said = "reported" if run.has_said(LOSS) else "silent"
    if not lost:
        return f"nothing lost, {ending(code)}"
    length = "length right" if abs(short) < 0.1 else f"{short:.1f} s too short"
    return f"{lost:.1f} s lost, {said}, {length}, {ending(code)}"


def stalled(stage):
    """A disk that does not answer for 8 s."""
    runs = stage.begin()
    _fail_all(runs, "delay_enter=8000000", 11)
    time.sleep(2)
    codes = {run: run.end() for run in runs}
    yield "One write takes 8 s", cells(runs, lambda run: _loss(run, codes[run]))


def stopped(stage):
    """The program itself is stopped for 5 s."""
    runs = stage.begin(3.0)
    signal_all(runs, signal.SIGSTOP)
    time.sleep(5)
    signal_all(runs, signal.SIGCONT)
    time.sleep(3)
    codes = {run: run.end() for run in runs}
    yield "The program is stopped for 5 s", cells(runs, lambda run: _loss(run, codes[run]))


def frozen(stage):
    """The sound server is frozen, and the user ends the recording."""
    runs = stage.begin(3.0)
    stage.card("freeze")
    time.sleep(1)
    signal_all(runs, signal.SIGTERM)
    codes = {run: run.wait(PATIENCE) for run in runs}
    for run in runs:
        if codes[run] is None:
            run.signal(signal.SIGKILL)
            run.wait(PATIENCE)
    stage.card("thaw")
    yield "SIGTERM while the sound server is frozen", cells(
        runs, lambda run: f"{ending(codes[run])}, {state(Sound(run.written))}")


def _busy(run, before):
    used = (run.seconds() - before) / 4
    return f" at {used * 100:.0f} % of a processor" if used > 0.5 else ""


def died(stage):
    """The sound server is killed and does not return."""
    runs = stage.begin(3.0)
    stage.card("kill")
    time.sleep(6)
    codes = {run: run.process.poll() for run in runs}
    living = [run for run in runs if codes[run] is None]
    before = {run: run.seconds() for run in living}
    time.sleep(4)
    waits = {run: "waits" + _busy(run, before[run]) for run in living}
    said = {run: "reported" if run.words().strip() else "silent" for run in runs}
    for run in living:
        codes[run] = run.end()
    stage.card("restart")
    stage.open()

    def cell(run):
        words = [waits[run]] if run in waits else []
        return ", ".join(words + [said[run], ending(codes[run]), state(Sound(run.written))])

    yield "The sound server dies", cells(runs, cell)


def restarted(stage):
    """The sound server is killed, and starts again 2 s later."""
    runs = stage.begin(3.0, wish="return")
    stage.card("kill")
    time.sleep(2)
    stage.card("restart")
    stage.open()
    time.sleep(5)
    moment = now()
    codes = {run: run.process.poll() for run in runs}
    goes_on = [run for run in runs if codes[run] is None]
    for run in goes_on:
        codes[run] = run.end()

    def cell(run):
        sound = Sound(run.written)
        late = sound.missing_at_end(moment)
        if late is None or late > 4:
            left = "ended" if run not in goes_on else "records nothing more"
            return f"{left}, {ending(codes[run])}, {state(sound)}"
        return "continues: " + _loss(run, codes[run])

    yield "The sound server restarts", cells(runs, cell)


ALL = {
    function.__name__: function
    for function in (
        killed, ended, named, together, private, full, floor, failed, stalled, stopped, frozen,
        died, restarted)
}


def has_namespaces():
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0
