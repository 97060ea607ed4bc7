/// One directory of a disk on which the calls of a program are replayed, to find out what a power
/// cut may leave of it.
///
/// Only synchronised data is certain to be left. Of the later data, each page of 4 KiB may be left
/// as it was after any of its writes, and may be torn at a sector. Of the later names, those until
/// any one moment may be left.
struct RememberedDisk {
  private enum Change {
    case write(offset: Int, bytes: [UInt8])
    case length(Int)
  }

  private enum Naming {
    case new(String, Int)
    case renamed(String, String)
    case gone(String)
  }

  private struct File {
    var sure: [UInt8] = []
    var later: [Change] = []
  }

  private static let page = 4_096
  private static let sector = 512

  private let directory: String
  private var files: [File] = []
  /// The index of the file that each inode means. The numbers of removed inodes are used again.
  private var open: [String: Int] = [:]
  private var names: [String: Int] = [:]
  private var sureNames: [String: Int] = [:]
  private var laterNames: [Naming] = []

  /// Makes a directory by its path, with files that already exist.
  init(_ directory: String, holding files: [String: [UInt8]] = [:]) {
    self.directory = directory
    for (name, bytes) in files {
      sureNames[name] = self.files.count
      self.files.append(File(sure: bytes))
    }
    names = sureNames
  }

  /// The number of bytes that were written and not yet synchronised.
  var unsure: Int {
    names.values.map { file in
      files[file].later.reduce(0) {
        if case .write(_, let bytes) = $1 { $0 + bytes.count } else { $0 }
      }
    }.reduce(0, +)
  }

  mutating func follow(_ call: FollowedCall) {
    switch call.name {
    case "openat": made(call)
    case "pwrite", "write": change(call, .write(offset: call.offset, bytes: call.bytes))
    case "ftruncate": change(call, .length(call.offset))
    case "fsync", "fdatasync": synchronize(call)
    case "unlinkat": name(.gone(call.subject), of: call.subject)
    default:
      name(.renamed(call.subject, String(decoding: call.bytes, as: UTF8.self)), of: call.subject)
    }
  }

  private mutating func made(_ call: FollowedCall) {
    guard let name = nameHere(call.subject) else { return }
    if names[name] == nil {
      names[name] = files.count
      laterNames.append(.new(name, files.count))
      files.append(File())
    }
    open[call.file] = names[name]
  }

  private func nameHere(_ path: String) -> String? {
    guard path.hasPrefix(directory + "/") else { return nil }
    let name = String(path.dropFirst(directory.count + 1))
    return name.contains("/") ? nil : name
  }

  private mutating func change(_ call: FollowedCall, _ change: Change) {
    guard nameHere(call.subject) != nil, let file = open[call.file] else { return }
    files[file].later.append(change)
  }

  private mutating func synchronize(_ call: FollowedCall) {
    if call.subject == directory {
      sureNames = names
      laterNames = []
    } else if nameHere(call.subject) != nil, let file = open[call.file] {
      for change in files[file].later { Self.apply(change, to: &files[file].sure) }
      files[file].later = []
    }
  }

  /// Changes a name. Names of other directories are ignored.
  private mutating func name(_ naming: Naming, of old: String) {
    guard names[old] != nil else { return }
    laterNames.append(naming)
    Self.apply(naming, to: &names)
  }

  private static func apply(_ naming: Naming, to names: inout [String: Int]) {
    switch naming {
    case .new(let name, let file): names[name] = file
    case .renamed(let old, let new): names[new] = names.removeValue(forKey: old)
    case .gone(let name): names[name] = nil
    }
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .write(let offset, let new): put(new[...], at: offset, into: &bytes)
    case .length(let length):
      bytes = Array(bytes.prefix(length)) + Array(repeating: 0, count: max(0, length - bytes.count))
    }
  }

  private static func put(_ new: ArraySlice<UInt8>, at offset: Int, into bytes: inout [UInt8]) {
    let end = offset + new.count
    if end > bytes.count { bytes += Array(repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(offset..<end, with: new)
  }
}

extension RememberedDisk {
  /// The files that are certain to be left after a power cut now.
  var least: [String: [UInt8]] { sureNames.mapValues { files[$0].sure } }

  /// Returns the files that one power cut now may leave.
  func afterCut(_ random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
    var names = sureNames
    for naming in laterNames.prefix(Int.random(in: 0...laterNames.count, using: &random)) {
      Self.apply(naming, to: &names)
    }
    // None, a few, half, nearly all or all of the later pages may have been written.
    let chances: [Double] = [0, 0.1, 0.5, 0.9, 1]
    let chance = chances.randomElement(using: &random) ?? 0
    return names.mapValues { bytes(of: files[$0], chance, &random) }
  }

  private func bytes(
    of file: File, _ chance: Double, _ random: inout some RandomNumberGenerator
  ) -> [UInt8] {
    var bytes = file.sure
    // The number of changes that each page contains.
    var reached: [Int: Int] = [:]
    for (index, change) in file.later.enumerated() {
      guard case .write(let offset, let new) = change else {
        if Double.random(in: 0..<1, using: &random) < chance { Self.apply(change, to: &bytes) }
        continue
      }
      var done = 0
      while done < new.count {
        let start = offset + done
        let length = min(new.count - done, Self.page - start % Self.page)
        let last = reached[start / Self.page] ?? Self.last(of: file.later.count, chance, &random)
        reached[start / Self.page] = last
        var piece = new[done..<(done + length)]
        // The last write of a page may be torn at the start of a sector.
        if index + 1 == last, Bool.random(using: &random) {
          let whole = (start + length / 2) / Self.sector * Self.sector - start
          piece = piece.prefix(max(0, whole))
        }
        if index < last, !piece.isEmpty { Self.put(piece, at: start, into: &bytes) }
        done += length
      }
    }
    return bytes
  }

  private static func last(
    of count: Int, _ chance: Double, _ random: inout some RandomNumberGenerator
  ) -> Int {
    if Double.random(in: 0..<1, using: &random) < chance { return count }
    return Bool.random(using: &random) ? 0 : Int.random(in: 0...count, using: &random)
  }
}
