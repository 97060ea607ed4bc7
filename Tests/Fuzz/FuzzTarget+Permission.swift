import JSON
import Linux

@testable import Commands
@testable import Permission

extension FuzzTarget {
  /// The record of decisions: unchanged, and with a correct checksum.
  static let store = FuzzTarget("store") { bytes in
    demandChecksum(of: bytes)
    demandHarmless(MutantSubject.store.show(bytes))
    demandHarmless(MutantSubject.programs.show(bytes))
  }

  /// Demands that a ledger is decoded only from bytes that match its checksum.
  private static func demandChecksum(of bytes: [UInt8]) {
    guard (try? Ledger(decoding: bytes)) != nil else { return }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    demand(
      lines.count == 2 && Ledger.file(of: Array(lines[1])) == bytes,
      "the store was read although its checksum is wrong")
  }

  /// A policy of an administrator.
  static let policy = FuzzTarget("policy") { bytes in
    demandHarmless(MutantSubject.policy.show(bytes))
  }

  /// The lines of the audit, as `permission log` shows them.
  static let audit = FuzzTarget("audit") { bytes in
    let entries = bytes.split(separator: UInt8(ascii: "\n")).map(AuditLog.Entry.init(line:))
    let log = AuditLog(entries: entries.compactMap(\.self), damaged: entries.count { $0 == nil })
    let report = PermissionLogReport(log: log, since: nil)
    demandHarmless(report.shown(.plain) + report.encoded)
    var search = UseSearch(bytes)
    while search.findPrevious() { _ = search.time }
  }
}
