internal import Linux

/// The space that has to stay free where a take is written.
package enum DiskFloor {
  /// Throws where there is less, asking the nearest directory that exists; nil is no disk.
  package static func check(_ path: String?, leaving floor: Int64) throws(Failure) {
    guard var place = path.map({ Substring($0).utf8 }) else { return }
    while !place.isEmpty {
      place = place[..<(place.lastIndex(of: UInt8(ascii: "/")) ?? place.startIndex)]
      let directory = place.isEmpty ? "/" : String(Substring(place))
      guard let free = try? FileSystem.freeBytes(at: directory) else { continue }
      guard free < floor else { return }
      throw Failure(
        .outputRefused,
        Message(
          "cannot record to", on: path ?? "",
          why: "\(ByteCount(free)) free on that disk, less than --min-free \(ByteCount(floor))",
          advice: "make room, record to another disk, or give a lower --min-free"))
    }
  }
}
