internal import CLinux

/// One `struct inotify_event`.
struct WatchEvent {
  let watch: CInt
  let mask: UInt32
  /// The name in the directory, or nil where the event is about the directory itself.
  let name: String?

  var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

  /// True where the name now stands for something else, or for nothing.
  var movesNames: Bool {
    mask & UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) != 0
  }

  /// The events in what one read of an inotify descriptor delivered.
  static func parse(_ bytes: RawSpan) -> [WatchEvent] {
    var events: [WatchEvent] = []
    var rest = bytes
    let header = MemoryLayout<inotify_event>.size
    while rest.byteCount >= header {
      let length = Int(unsafe rest.unsafeLoad(fromByteOffset: 12, as: UInt32.self))
      let name = rest.extracting(header..<(header + length))
      events.append(
        WatchEvent(
          watch: unsafe rest.unsafeLoad(as: CInt.self),
          mask: unsafe rest.unsafeLoad(fromByteOffset: 4, as: UInt32.self), name: text(of: name)))
      rest = rest.extracting(droppingFirst: header + length)
    }
    return events
  }

  // The kernel pads a name with NULs.
  private static func text(of bytes: RawSpan) -> String? {
    let text = unsafe bytes.withUnsafeBytes { unsafe $0.prefix { $0 != 0 } }
    return unsafe text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }
}
