internal import JSON
package import Linux

/// A cache of the lengths of sound files, stored in a file.
///
/// If the cache file cannot be written, every listing of the sounds reads the sound files again.
package struct SoundLengths {
  private static let file = "sound-lengths.json"
  private static let limits = JSONLimits(bytes: 4 << 20)
  /// The largest number of lengths. When it is reached, all lengths are dropped and read again.
  private static let most = 40_000

  private let directory: String
  /// The lengths of the files, by the identity of each file.
  private var lengths: [Path: Duration] = [:]
  private var hasChanged = false

  /// Reads the cached lengths in a directory. If the cache cannot be read, it is empty.
  package init(in directory: String) {
    self.directory = directory
    let bytes = try? PrivateDirectory.open(directory).open(Self.file, .noFollow)
      .readAll(upTo: Self.limits.bytes)
    let root = bytes.flatMap { try? JSONValue(decoding: $0.span, limits: Self.limits) }
    for member in root?["lengths"]?.object?.members ?? [] {
      lengths[Path(member.key)] = Duration(json: member.value)
    }
  }

  /// The length of the file with this status, or nil if it is not cached.
  package subscript(status: FileStatus) -> Duration? {
    get { lengths[Path(status.identity)] }
    set {
      if lengths.count >= Self.most { lengths = [:] }
      lengths[Path(status.identity)] = newValue
      hasChanged = true
    }
  }

  /// Writes the cache if it has changed.
  package func save() {
    guard hasChanged, let opened = try? PrivateDirectory.make(at: directory) else { return }
    let members = lengths.map { ($0.key.text, $0.value.json) }
    let root: JSONObject = ["schema": 1, "lengths": .object(JSONObject(members))]
    let text = Array((JSONValue.object(root).encoded() + "\n").utf8)
    try? AtomicFile.write(text.span, to: Self.file, in: opened)
  }
}
