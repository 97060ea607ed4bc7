"""Takes with their sidecars, and delivery programs that run as the recorder runs them."""

import hashlib
import os
import pathlib

from theatre import expect, run


class Delivery:
    """One file of a take, recorded from the built-in tone."""

    number = 0

    def __init__(self, machine, seconds=2, path=None):
        Delivery.number += 1
        self.machine = machine
        path = path or f"take {Delivery.number} 'quoted'.flac"
        result = machine.json(
            "start", path, "--foreground", "--duration", str(seconds), "--sidecar", "always",
            "--name", "log", code=None)
        # A busy machine may lose frames of the built-in tone. This does not affect a delivery.
        expect(result["exit"] in (0, 14), f"the take ended with {result['exit']}")
        self.result = result
        self.path, self.sidecar = pathlib.Path(result["path"]), pathlib.Path(result["sidecar"])

    def environment(self, attempt=1, **more):
        result = self.result
        facts = {
            "EVENT": "segment", "ID": result["id"], "NAME": result["name"], "PATH": self.path,
            "SIDECAR": self.sidecar, "REASON": result["reason"], "EXIT": result["exit"],
            "FORMAT": result["format"], "BEGAN": result["began"], "SECONDS": result["duration"],
            "BYTES": result["bytes"], "FRAMES": result["frames"]["onDisk"],
            "LOST": result["frames"]["lost"], "SEGMENT": result.get("segment", 1),
            "SHA256": digest(self.path), "MACHINE": self.machine.name, "ATTEMPT": attempt}
        return {**self.machine.environment,
                **{"RECORDER_TAKE_" + name: str(value) for name, value in facts.items()}, **more}

    def deliver(self, program, code=0, attempt=1, **more):
        """Runs a delivery program. `code=None` expects any failure."""
        outcome = run([program], code=None, env=self.environment(attempt, **more),
                      cwd=self.machine.home)
        if code is None:
            expect(outcome.returncode != 0, f"a delivery succeeded that could not: {outcome.stderr}")
        else:
            expect(outcome.returncode == code, f"ended with {outcome.returncode}: {outcome.stderr}")
        return outcome


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def fetched(remote, directory, environment):
    """Returns everything that a remote holds: relative paths with their SHA-256."""
    os.makedirs(directory)
    run(["rclone", "copy", remote, directory], env=environment)
    return {str(path.relative_to(directory)): digest(path)
            for path in pathlib.Path(directory).rglob("*") if path.is_file()}


def expect_whole(held, delivery):
    """Fails unless the remote holds the file and its sidecar once each."""
    for path in (delivery.path, delivery.sidecar):
        found = [name for name, hashed in held.items() if hashed == digest(path)]
        expect(len(found) == 1, f"{path} is there as {found}, among {sorted(held)}")
        wanted = f"{delivery.machine.name}/log/{delivery.result['began'][:10]}/{delivery.result['id']}-"
        expect(found[0].startswith(wanted), f"{found[0]} is not below {wanted}")


def expect_no_litter(theatre):
    """Fails unless every delivery has removed its scratch directory."""
    left = sorted(path.name for path in theatre.path("tmp", ".keep").parent.iterdir())
    expect(not left, f"left behind: {left}")
