import Glibc
import Linux

@testable import Commands
@testable import Permission

/// Commands that the tests of the store run in separate processes, to compete, to be killed and to
/// fill disks.
@main
enum Hammer {
  static func main() {
    let arguments = Array(Swift.CommandLine.arguments.dropFirst())
    guard arguments.count == 3, let authority = authority(at: arguments[1]) else { exit(64) }
    switch arguments[0] {
    case "mix": mix(authority, Int(arguments[2]) ?? 0)
    case "write": while true { step(authority) }
    case "watch": watch(authority, until: arguments[2])
    default: perform(arguments[0], authority, client: arguments[2])
    }
  }

  /// Returns the authority for a store. Its policies come from a directory next to the store.
  private static func authority(at path: String) -> Authority? {
    let user = Environment.effectiveUser
    let store = PermissionStore(
      path: path, owner: StoreOwner(user: user, machine: "hammer"), patience: .seconds(300))
    return Authority(
      store: store, directories: PolicyDirectories(paths: [path + ".policy/policy.d"], owner: user),
      account: Account(id: user, name: "hammer", groups: []), process: { .current() },
      clock: {
        ClockReading(
          boottime: KernelClock.bootTime.now,
          wall: WallTime(seconds: KernelClock.realTime.now.components.seconds), boot: "hammer")
      })
  }

  private static func mix(_ authority: Authority, _ count: Int) {
    for _ in 0..<count { step(authority) }
  }

  /// Makes one change that always creates a new generation, and prints the generation once it is
  /// stored.
  private static func step(_ authority: Authority) {
    let client = Client(["a", "b", "*"].randomElement() ?? "a")
    let event = AuditEvent(
      kind: .grant, clock: authority.now, process: .current(),
      subject: Subject(.microphone, .everyone), output: "step")
    do {
      let update = try authority.store.update(at: authority.now.wall, events: { _ in [event] }) {
        _ in
        let record = Record(
          [.forever, .denied].randomElement() ?? .denied, at: authority.now.wall, by: .command)
        let scope = Scope([.microphone], client ?? .everyone)
        return [LedgerChange.record(scope, record), .forget(scope)]
          .randomElement()
      }
      guard update.auditFailure == nil else { fail("audit: \(update)") }
      say("\(update.after.ledger?.generation ?? 0)")
    } catch {
      fail("\(error)")
    }
  }

  /// Reads until a file exists. Fails on anything but complete ledgers whose generation never
  /// decreases.
  private static func watch(_ authority: Authority, until flag: String) {
    var (newest, reads) = (UInt64(0), 0)
    while (try? FileStatus(of: flag)) == nil {
      switch authority.store.read() {
      case .absent where newest == 0: break
      case .ledger(let ledger) where ledger.generation >= newest: newest = ledger.generation
      case let other: fail("read \(reads) after generation \(newest): \(other)")
      }
      reads += 1
    }
    say("\(reads)")
  }

  private static func perform(_ word: String, _ authority: Authority, client: String) {
    let commands: [String: PermissionCommand] = [
      "status": .status, "grant": .grant(.forever), "revoke": .revoke,
      "reset": .reset(force: false),
    ]
    guard let command = commands[word], let client = Client(client) else { exit(64) }
    do {
      let report = PermissionPhrasing().summary(
        try authority.perform(command, AccessQuery(client: client)))
      for line in report.lines + report.warnings { say(line) }
      exit(report.exit.rawValue)
    } catch {
      fail("\(error)")
    }
  }

  /// Prints without a buffer, so that text printed before a kill counts.
  private static func say(_ words: String) {
    let line = Array((words + "\n").utf8)
    _ = write(1, line, line.count)
  }

  private static func fail(_ words: String) -> Never {
    say(words)
    exit(1)
  }
}
