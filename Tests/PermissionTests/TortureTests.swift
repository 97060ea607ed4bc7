import Foundation
import Testing

@testable import Permission

/// Processes that compete for one store, are killed while they use it, or find no space for it.
@Suite(.serialized) struct TortureTests {
  @Test("Sixteen writers lose no change while four others read, and none reads half a file")
  func competing() throws {
    let steps = Int(ProcessInfo.processInfo.environment["RECORDER_STEPS"] ?? "") ?? 50
    let writers = 16
    let scratch = try Scratch()
    let flag = scratch.path + "/stop"
    let readers = try (0..<4).map { _ in try Hammer.start("watch", scratch.store.path, flag) }
    let started = try (0..<writers).map { _ in
      try Hammer.start("mix", scratch.store.path, "\(steps)")
    }
    var generations: [UInt64] = []
    for writer in started {
      let (code, lines) = Hammer.finish(writer)
      #expect(code == 0, "\(lines.suffix(1))")
      let own = lines.compactMap { UInt64($0) }
      #expect(own == own.sorted())
      generations += own
    }
    try Data().write(to: URL(fileURLWithPath: flag))
    var reads = 0
    for reader in readers {
      let (code, lines) = Hammer.finish(reader)
      #expect(code == 0, "\(lines.suffix(1))")
      reads += Int(lines.last ?? "") ?? 0
    }
    #expect(generations.sorted() == (1...UInt64(writers * steps)).map { $0 })
    let log = try scratch.audit().log()
    #expect(log.entries.count == writers * steps && log.damaged == 0)
    #expect(try scratch.names().allSatisfy { !$0.hasSuffix(".tmp") })
    #expect(reads > 100, "too few to mean anything")
    print("torture: \(writers) writers × \(steps) changes, 4 readers, \(reads) reads")
  }

  @Test(
    "A killed writer leaves the old file or the new one, with every reported change")
  func killed() throws {
    let kills = Int(ProcessInfo.processInfo.environment["RECORDER_KILLS"] ?? "") ?? 100
    let scratch = try Scratch()
    var draw = Draw(seed: UInt64(getpid()))
    var last: UInt64 = 0
    for kill in 0..<kills {
      let writer = try Hammer.start("write", scratch.store.path, "")
      // Killed after its first output, or at a random time after it.
      let first = writer.output.availableData
      usleep(UInt32(draw.number(0...15_000)))
      Foundation.kill(writer.process.processIdentifier, SIGKILL)
      let said = first + writer.output.readDataToEndOfFile()
      writer.process.waitUntilExit()
      let reported = String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap {
        UInt64($0)
      }
      let store = PermissionStore(
        path: scratch.store.path, owner: StoreOwner(user: geteuid(), machine: "hammer"))
      guard let ledger = store.read().ledger, let newest = reported.last else {
        Issue.record("kill \(kill): \(store.read()), said \(String(decoding: said, as: UTF8.self))")
        return
      }
      #expect((newest...newest + 1).contains(ledger.generation) && newest > last)
      last = newest
    }
    _ = try scratch.record(.denial)
    #expect(try scratch.names().allSatisfy { !$0.hasSuffix(".tmp") }, "leftovers are removed")
    print("torture: \(kills) kills, generation \(last)")
  }

  /// The options of `unshare` for a small private filesystem: as root if that is requested, else in
  /// a namespace. It is nil if neither can mount one.
  static let namespace: [String]? = {
    let asRoot = ProcessInfo.processInfo.environment["RECORDER_ROOT_TESTS"] == "1"
    let arguments = asRoot ? ["-m"] : ["-Urm"]
    guard
      let probe = try? Hammer.start(
        "/usr/bin/unshare", arguments + ["mount", "-t", "tmpfs", "none", "/mnt"]),
      Hammer.finish(probe).code == 0
    else { return nil }
    return arguments
  }()

  @Test(
    "On a full disk a grant fails, a revoke still refuses, and room brings everything back",
    .enabled(
      if: namespace != nil, "neither RECORDER_ROOT_TESTS=1 as root nor a user namespace can mount"),
    arguments: [false, true])
  func fullDiskAsRoot(underAuthorizingPolicy policy: Bool) throws {
    let script = """
      set -u
      mount -t tmpfs -o size=48k,nr_inodes=40,mode=700 none /mnt || exit 99
      S=/mnt/recorder
      fill() { dd if=/dev/zero of=/mnt/fill bs=4k 2>/dev/null; }
      say() { "$HAMMER" "$@" > /dev/null 2>&1; echo "$1=$?"; }
      if [ "$POLICY" = 1 ]; then
        umask 022; mkdir -p "$S.policy/policy.d"
        echo '\(PolicyFileTests.authorizing)' > "$S.policy/policy.d/a.json"
      fi
      say grant $S '*'
      fill
      say grant $S other
      say status $S '*'
      say revoke $S '*'
      say status $S '*'
      say revoke $S '*'
      say status $S '*'
      say grant $S '*'
      say status $S '*'
      rm /mnt/fill
      say reset $S '*'
      say status $S '*'
      say revoke $S '*'
      mount -o remount,bind,ro /mnt
      say grant $S '*'
      say status $S '*'
      """
    let started = try Hammer.start(
      "/usr/bin/env",
      ["HAMMER=\(Hammer.path)", "POLICY=\(policy ? 1 : 0)", "/usr/bin/unshare"]
        + (Self.namespace ?? []) + ["sh", "-c", script])
    let (code, lines) = Hammer.finish(started)
    #expect(code == 0, "\(lines)")
    #expect(
      lines == [
        "grant=0", "grant=1", "status=0", "revoke=0", "status=21", "revoke=0", "status=21",
        "grant=1", "status=21", "reset=0", policy ? "status=0" : "status=20", "revoke=0",
        "grant=1", "status=21",
      ])
  }

  @Test(
    "A revoke with nothing stored yet refuses on a full disk, over a policy that authorizes",
    .enabled(
      if: namespace != nil, "neither RECORDER_ROOT_TESTS=1 as root nor a user namespace can mount"))
  func fullDiskWithoutStoreAsRoot() throws {
    let script = """
      mount -t tmpfs -o size=48k,nr_inodes=40,mode=700 none /mnt || exit 99
      S=/mnt/recorder
      umask 022; mkdir -p "$S.policy/policy.d"
      echo '\(PolicyFileTests.authorizing)' > "$S.policy/policy.d/a.json"
      "$HAMMER" status $S '*' > /dev/null; echo $?
      dd if=/dev/zero of=/mnt/fill bs=4k 2>/dev/null
      "$HAMMER" revoke $S '*' > /dev/null; echo $?
      "$HAMMER" status $S '*' > /dev/null; echo $?
      """
    let started = try Hammer.start(
      "/usr/bin/env",
      ["HAMMER=\(Hammer.path)", "/usr/bin/unshare"] + (Self.namespace ?? [])
        + ["sh", "-c", script])
    #expect(Hammer.finish(started).lines == ["0", "0", "21"])
  }
}

extension Scratch {
  /// The audit of the competing processes.
  func audit() -> Audit {
    PermissionStore(
      path: store.path, owner: StoreOwner(user: geteuid(), machine: "hammer")
    ).audit
  }
}
