internal import JSON
package import Linux

/// The lengths of sound files that were read once, kept in a file of the cache.
///
/// Without the right or the room to write it, each list of sounds reads their files anew.
package struct SoundLengths {
  private static let file = "sound-lengths.json"
  private static let limits = JSONLimits(bytes: 4 << 20)
  /// More states of files than this are forgotten, and read anew.
  private static let most = 40_000

  private let directory: String
  /// The lengths by the state of the file.
  private var lengths: [String: Duration] = [:]
  private var hasChanged = false

  /// Reads the lengths that are kept in a directory; a file that cannot be read has none.
  package init(in directory: String) {
    self.directory = directory
    let bytes = try? PrivateDirectory.open(directory).open(Self.file, .noFollow)
      .readAll(upTo: Self.limits.bytes)
    let root = bytes.flatMap { try? JSONValue(decoding: $0.span, limits: Self.limits) }
    for member in root?["lengths"]?.object?.members ?? [] {
      lengths[member.key] = Duration(json: member.value)
    }
  }

  /// The length of a file in this state.
  package subscript(status: FileStatus) -> Duration? {
    get { lengths[status.identity] }
    set {
      if lengths.count >= Self.most { lengths = [:] }
      lengths[status.identity] = newValue
      hasChanged = true
    }
  }

  /// Writes the file, if a length was added.
  package func save() {
    guard hasChanged, let place = try? PrivateDirectory.make(at: directory) else { return }
    let members = lengths.map { ($0.key, $0.value.json) }
    let root: JSONObject = ["schema": 1, "lengths": .object(JSONObject(members))]
    let text = Array((JSONValue.object(root).encoded() + "\n").utf8)
    try? AtomicFile.write(text.span, to: Self.file, in: place)
  }
}
