internal import Audio
internal import RealTime

/// A gap on its way from the capture thread to the writer.
struct GapRecord: BitwiseCopyable {
  /// Frames in the ring before it.
  var position: Int
  var length: Int
  var cause: Int

  static let bytes = MemoryLayout<GapRecord>.stride
}

extension Gap.Cause {
  /// The causes by number, since a record carries no strings.
  static let numbered: [Gap.Cause] = [.overrun, .suspended, .disconnected, .stalled, .disk]

  var number: Int {
    switch self {
    case .overrun: 0
    case .suspended: 1
    case .disconnected: 2
    case .stalled: 3
    case .disk: 4
    }
  }
}

extension SampleRing.Writer {
  /// Puts a record in; false if there is no room.
  mutating func put(_ record: GapRecord) -> Bool {
    var room = room(upTo: 1)
    guard room.byteCount == GapRecord.bytes else { return false }
    room.storeBytes(of: record, as: GapRecord.self)
    commit(1)
    return true
  }
}

extension SampleRing.Reader {
  /// Takes the next record; nil if there is none.
  mutating func takeRecord() -> GapRecord? {
    let record: GapRecord
    do {
      let bytes = frames(upTo: 1)
      guard bytes.byteCount == GapRecord.bytes else { return nil }
      record = unsafe bytes.unsafeLoad(as: GapRecord.self)
    }
    release(1)
    return record
  }
}
