internal import RealTime

/// A reader in a place where others can be kept in arrays; guarded by the desk's lock.
final class ReportReader {
  private var reader: LatestValue<VoiceReport>.Reader

  init(_ reader: consuming LatestValue<VoiceReport>.Reader) { self.reader = reader }

  /// The newest report.
  func look() -> VoiceReport { reader.look() }
}
