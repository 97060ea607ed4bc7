internal import Audio
internal import Files
internal import JSON
internal import Linux
internal import Takes

/// The repaired copy of a WAV file that another program wrote, or that was only partly copied.
struct FileRepair {
  /// The path of the file.
  let source: String
  /// The path of the copy, or nil if it was only planned.
  private(set) var path: String?
  let description: SoundDescription

  /// Plans the repair of the file at `path`. Also writes the copy, unless `isListed` is true.
  ///
  /// Throws if the file is whole, cannot be repaired or is being recorded.
  init(of path: String, isListed: Bool) throws {
    try RecordedFile(path).refuseWhileRecording()
    let file = try OpenFile.sound(path)
    source = path
    let answer = try SoundReading.repair(of: file, at: path)
    description = answer.description
    guard let copy = answer.copy else {
      throw Failure(nothingToRecover: "\(quoted(path)) is complete")
    }
    if !isListed { self.path = try Self.write(copy, of: file, beside: path) }
  }

  /// Writes the copy under the first unused name and returns its path.
  private static func write(
    _ copy: WaveCopy, of file: OpenFile, beside path: String
  ) throws -> String {
    let (directory, name) = path.pathParts
    return try exporting(path) {
      var attempt = 0
      while true {
        attempt += 1
        let copied = TakeName.recovered(name, attempt)
        let target = path.isSameName(as: name) ? copied : directory.path(of: copied)
        do {
          let unfinished = try UnfinishedFile(for: target)
          try write(copy, of: file, path, to: unfinished)
          try unfinished.publish()
          return target
        } catch let error as SystemError where error.errno == .exists {}
      }
    }
  }

  private static func write(
    _ copy: WaveCopy, of file: OpenFile, _ path: String, to target: borrowing UnfinishedFile
  ) throws {
    let source = try CheckedFile(try file.descriptor.duplicate(), named: path)
    let output = try CheckedFile(try target.descriptor(), named: target.path ?? path)
    try copy.write(from: source, to: output)
  }
}

extension FileRepair {
  func text(_ style: Style) -> String {
    let heading =
      path.map { "Repaired \(printable(source)) as \(printable($0))" }
      ?? "\(printable(source)) can be repaired"
    let flaw = description.flaw?.finding ?? "its header did not state its length"
    return style.heading(heading) + "\n"
      + definitions([("Length", description.length), ("Flaw", flaw)])
  }

  var json: JSONValue {
    [
      "source": source.json, "path": path?.json ?? .null,
      "frames": description.members["frames"] ?? .null,
      "duration": description.members["duration"] ?? .null,
      "flaw": description.members["flaw"] ?? .null,
    ]
  }
}

extension WaveCopy {
  /// The copy as JSON, written by a confined process.
  var json: JSONValue {
    ["head": head.json, "length": length.json, "padded": isPadded.json, "patches": patches.json]
  }

  /// Decodes the JSON that a confined process wrote.
  init?(json: JSONValue) {
    guard let head = json["head"].flatMap([UInt8].init(json:)),
      let length = json["length"]?.integer, let isPadded = json["padded"]?.bool,
      let patches = json["patches"].flatMap([FilePatch].init(json:))
    else { return nil }
    self.init(head: head, length: length, isPadded: isPadded, patches: patches)
  }
}

extension Failure {
  /// The failure for a path with nothing to recover.
  init(nothingToRecover fact: String) {
    self.init(
      .notFound, "nothing to recover: \(fact)",
      advice: "\"recorder recover --list\" lists the interrupted recordings")
  }
}
