import Foundation
import Support
import Testing

@Suite("A disk that is full, fails or stalls", .timeLimit(.minutes(10)))
struct DiskTests {
  /// Expects that the frame counts add up, and that the gaps account for all lost frames. Returns
  /// the counts.
  private func expectExact(_ result: [String: Any]) throws -> [String: Int] {
    let frames = try #require(result["frames"] as? [String: Int])
    let count = { (name: String) throws in try #require(frames[name]) }
    #expect(try count("elapsed") == count("captured") + count("lost"), "\(frames)")
    #expect(
      try count("onDisk") == count("captured") - count("discarded") + count("filled"), "\(frames)")
    let gaps = try #require(result["gaps"] as? [[String: Any]])
    #expect(gaps.compactMap { $0["length"] as? Int }.reduce(0, +) == frames["lost"])
    return frames
  }

  @Test(
    "Full: what fitted is whole, the counts agree with the file, and 14 comes with the reason",
    .requiresNamespaces,
    arguments: [("wav", 512), ("raw", 512), ("flac", 32), ("opus", 32)])
  func full(format: String, kibibytes: Int) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=\(kibibytes)k none disk &&
        "$recorder" permission grant > /dev/null && "$recorder" start -q -d test:ramp --min-free 0 disk/a.\(format) > /dev/null &&
        "$recorder" wait --json; code=$?; ls -A disk > left; cp disk/a.* .; exit $code'
      """)
    #expect(outcome.code == 14, "\(outcome)")
    let result = try parsed(outcome.output)
    #expect(result["reason"] as? String == "disk")
    #expect((result["message"] as? String)?.contains("No space left on device") == true)
    #expect(try studio.run("cat left").output == "a.\(format)\n")
    let frames = try expectExact(result)
    let decoded = try studio.decoded("a.\(format)")
    #expect(decoded.count == frames["onDisk"] && decoded.count > 48_000)
    if format != "opus" { #expect(firstBreak(in: decoded) == nil) }
  }

  @Test("A start below the minimum exits with 13 and prints the free space", .requiresNamespaces)
  func belowTheFloor() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=8M none disk &&
        "$recorder" start -d test:ramp disk/a.wav; code=$?; ls -A disk; exit $code'
      """)
    #expect(outcome.code == 13 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("8.0 MiB free on that disk"), "\(outcome)")
  }

  @Test("A take ends when free space reaches the minimum", .requiresNamespaces)
  func floor() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=2M none disk &&
        "$recorder" permission grant > /dev/null && "$recorder" start -q -d test:ramp --min-free 1600K disk/a.wav > /dev/null &&
        "$recorder" wait --json; code=$?; df --output=avail disk | tail -n 1 >&2
        cp disk/a.wav .; exit $code'
      """)
    #expect(outcome.code == 14, "\(outcome)")
    #expect(try #require(Int(outcome.errors.filter(\.isNumber))) > 1_000)
    let frames = try expectExact(parsed(outcome.output))
    #expect(try studio.decoded("a.wav").count == frames["onDisk"])
  }

  @Test(
    "A state that takes nothing more starts nothing, and the message says what helps",
    .requiresNamespaces,
    arguments: [
      (
        "dd if=/dev/zero of=state/fill bs=4k 2> /dev/null", "No space left", "free some space there"
      ),
      ("mount -o remount,bind,ro state", "Read-only file system", "set XDG_STATE_HOME"),
    ])
  func state(change: String, reason: String, advice: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir state
      unshare -rm sh -c 'mount -t tmpfs -o size=64k,mode=700 none state
        export XDG_STATE_HOME="$PWD/state"; "$recorder" permission grant > /dev/null
        "$recorder" start -d test:ramp first.wav > /dev/null; "$recorder" stop > /dev/null; \(change)
        "$recorder" start -d test:ramp a.wav; echo start $?
        "$recorder" play -d test:null click; echo play $?
        \(change); "$recorder" permission grant; echo grant $?
        "$recorder" permission log | grep -c " grant "
        "$recorder" wait; echo wait $?; ls *.wav'
      """)
    #expect(outcome.output == "start 1\nplay 1\ngrant 1\n1\nwait 10\nfirst.wav\n", "\(outcome)")
    for words in [reason, "to repair that, \(advice)"] {
      #expect(outcome.errors.components(separatedBy: words).count == 4, "\(outcome)")
    }
  }

  @Test(
    "A state that fills up during a take has room for its end: it is listed and delivered",
    .requiresNamespaces)
  func stateFillsUp() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir state store; printf '#!/bin/sh\\nexec cp "$RECORDER_TAKE_PATH" store/\\n' > ok; chmod +x ok
      unshare -rm sh -c 'mount -t tmpfs -o size=400k,mode=700 none state
        export XDG_STATE_HOME="$PWD/state"; "$recorder" permission grant > /dev/null
        "$recorder" start -d test:ramp --on-segment ./ok --deliver a.wav > said
        dd if=/dev/zero of=state/fill bs=1k 2> /dev/null; dd if=/dev/zero of=state/more bs=1 2> /dev/null
        "$recorder" stop > said; echo stop $?; rm state/fill; "$recorder" deliver > said; echo deliver $?
        "$recorder" takes --json | grep -o "a.wav" | head -n 1; ls store'
      """)
    #expect(outcome.output == "stop 0\ndeliver 0\na.wav\na.wav\n", "\(outcome)")
  }

  @Test(
    "A file that began while the state was full is found after a kill", .requiresNamespaces)
  func killedOnFullState() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir state
      unshare -rm sh -c 'eval "$functions"; mount -t tmpfs -o size=400k,mode=700 none state
        export XDG_STATE_HOME="$PWD/state"; "$recorder" permission grant > said
        process=$("$recorder" start --json -d test:ramp --split 1h a.wav | number pid); captured 0.2
        dd if=/dev/zero of=state/fill bs=1k 2> said; dd if=/dev/zero of=state/more bs=1 2> said
        "$recorder" split > said; await "[ -e a.wav ]"; captured +0.3; kill -KILL $process; ended $process
        rm state/fill; "$recorder" recover > said; echo $?; ls -A | grep -e wav -e part'
      """)
    #expect(outcome.output == "0\na-002-recovered.wav\na.wav\n", "\(outcome)")
  }

  @Test(
    "A take is not moved to the trash of a full disk, and the message says what helps",
    .requiresNamespaces)
  func fullTrash() throws {
    let outcome = try Studio().run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=300k none disk; "$recorder" permission grant > said
        "$recorder" start -d test:ramp --min-free 0 --duration 0.2 --foreground disk/a.wav > said
        dd if=/dev/zero of=disk/fill bs=4k 2> said
        "$recorder" trash @1; echo $?; "$recorder" takes --json | grep -c "exists.:true"'
      """)
    #expect(outcome.output == "13\n1\n", "\(outcome)")
    #expect(outcome.errors.contains("nothing was changed; make room on that disk"), "\(outcome)")
  }

  @Test(
    "A sidecar for which there is no room is written by a later command", .requiresNamespaces,
    arguments: ["", "--on-segment ./ok --deliver"])
  func laterSidecar(delivery: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir disk store; printf '#!/bin/sh\\nexec cp "$RECORDER_TAKE_PATH" store/\\n' > ok; chmod +x ok
      unshare -rm sh -c 'mount -t tmpfs -o size=2M none disk; "$recorder" permission grant > /dev/null
        "$recorder" start -d test:ramp --min-free 0 --sidecar always \(delivery) disk/a.wav > said
        "$recorder" mark here > said
        dd if=/dev/zero of=disk/fill bs=1k 2> /dev/null
        "$recorder" stop > said 2>&1; echo stop $?; ls -A disk | grep -c json
        "$recorder" deliver > said; ls store; rm disk/fill
        "$recorder" takes > said; ls -A disk; grep -c here disk/a.wav.json; "$recorder" takes | wc -l'
      """)
    // A delivery does not wait for the sidecar, because it may free the space.
    let stored = delivery.isEmpty ? "" : "a.wav\n"
    #expect(
      outcome.output == "stop 14\n1\n\(stored)a.wav\na.wav.json\n1\n1\n", "\(outcome)")
  }

  @Test(
    "A read-only home: the message names the file, and the variable that leads elsewhere",
    .requiresNamespaces,
    arguments: [
      ("trash a.wav", 1, "\(Machine.state)/changes.lock", "XDG_STATE_HOME"),
      ("config set format flac", 13, ".config/recorder/config.json", "XDG_CONFIG_HOME"),
      ("sound add a.wav", 13, ".local/share/recorder/sounds/a.wav", "XDG_DATA_HOME"),
      ("export a.wav c.flac", 13, "c.flac", nil),
    ])
  func readOnly(command: String, code: Int32, file: String, variable: String?) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir -p .local/share/recorder/sounds .config/recorder
      "$recorder" permission grant > /dev/null
      "$recorder" start -q --foreground -d test:ramp --duration 0.1 a.wav > /dev/null 2>&1
      unshare -rm sh -c 'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" && "$recorder" \(command)'
      """)
    #expect(outcome.code == code && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("/\(file)\": Read-only file system\n"), "\(outcome)")
    let remedy = variable.map { "to repair that, set \($0) to a directory that can be written" }
    #expect(outcome.errors.contains("to repair that, ") == (variable != nil), "\(outcome)")
    if let remedy { #expect(outcome.errors.contains(remedy), "\(outcome)") }
  }

  @Test("A stall of 10 s loses no frames")
  func stall() throws {
    let studio = try Studio()
    let preload = try studio.preloading("stall", "STALL=\(studio.scratch.path("still"))")
    let outcome = try studio.run(
      """
      env \(preload) "$recorder" start -d test:ramp a.wav > /dev/null; captured 0.3
      # The length of the stall is the subject.
      touch still; sleep 10; rm still
      "$recorder" stop --json
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let frames = try expectExact(parsed(outcome.output))
    let numbers = try studio.decoded("a.wav")
    #expect(frames["lost"] == 0 && numbers.count > 10 * 48_000)
    #expect(firstBreak(in: numbers) == nil)
  }

  @Test(
    "A stall longer than the memory: the loss is reported within a second, and counted exactly")
  func longStall() throws {
    let studio = try Studio()
    let preload = try studio.preloading("stall", "STALL=\(studio.scratch.path("still"))")
    let outcome = try studio.run(
      """
      env \(preload) "$recorder" start -d test:ramp a.wav > /dev/null; captured 0.3; touch still
      log=$state/sessions/default.log
      # Only the log is read: a client would wake the session.
      await grep -qs 'frames lost' $log
      "$recorder" status --json > early; grep -c 'frames lost' $log
      # More is lost as time goes by.
      sleep 1.5; rm still; captured +1; "$recorder" stop --json
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.code == 14 && lines.first == "1", "\(outcome)")
    let status = try parsed(String(decoding: studio.scratch.read("early"), as: UTF8.self))
    let recording = try #require(status["recordings"] as? [[String: Any]]).first
    let early = try #require((recording?["frames"] as? [String: Int])?["lost"])
    // One second, and the time that the log and the status took.
    #expect(early > 0 && early < 2 * 48_000)
    let frames = try expectExact(parsed(String(try #require(lines.last))))
    let numbers = try studio.decoded("a.wav")
    #expect(numbers.count == frames["onDisk"] && frames["filled"] == frames["lost"])
    // Lost frames are silence, and every other frame is at its position in the ramp.
    let strange = numbers.indices.filter { numbers[$0] != 0 && numbers[$0] != UInt32($0) }
    #expect(strange.isEmpty && numbers.count { $0 == 0 } == 1 + (frames["lost"] ?? 0))
  }
}
