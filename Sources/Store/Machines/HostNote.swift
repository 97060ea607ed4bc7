internal import JSON
internal import Linux

/// A file that says on which host something runs, beside the file that says the rest.
///
/// It is a file of its own because a former release reads the other one, and may refuse a key that it does not know.
struct HostNote {
  let host: Host
  /// The recording that it is about, since another may have taken the name; nil for a whole directory.
  let identifier: String?

  private static let largest = 4_096

  /// Reads one; nil where there is none or it cannot be trusted.
  static func read(_ name: String, in path: String) -> HostNote? {
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(name, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: largest),
      let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largest)),
      let host = Host(json: json)
    else { return nil }
    return HostNote(host: host, identifier: json["id"]?.string)
  }

  /// Leaves the note, whole or not at all.
  ///
  /// It is not brought to the disk: after a power cut nothing lives that it could be about.
  func leave(as name: String, in path: String) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    do throws(SystemError) {
      let draft = ".\(name).\(try RandomBytes.hexadecimal(8)).tmp"
      let file = try directory.open(draft, [.writeOnly, .create, .exclusive, .noFollow])
      let text = Array((JSONValue.object(host.noted(by: identifier)).encoded() + "\n").utf8)
      do throws(SystemError) {
        try file.writeAll(text.span)
        try directory.rename(draft, to: name)
      } catch {
        try? directory.remove(draft)
        throw error
      }
    } catch {
      throw DirectoryRefusal(path, .system(error))
    }
  }
}

extension Host {
  /// The members of a note about a recording, or about a directory.
  func noted(by identifier: String?) -> JSONObject {
    var members: JSONObject = ["schema": 1]
    members.set("id", identifier)
    for member in json.object?.members ?? [] { members[member.key] = member.value }
    return members
  }
}
