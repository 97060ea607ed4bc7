internal import JSON
internal import Linux

/// A file that notes the host of a session or a directory, beside the file with its other facts.
///
/// It is a file of its own because a former release reads the other one, and may refuse a key that it does not know.
struct HostNote {
  let host: Host
  /// The identifier of the recording, since another may have taken the name; nil for a whole
  /// directory.
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

  /// Writes the note, completely or not at all.
  ///
  /// It is not synchronized to the disk: after a power cut no session lives that it could be about.
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
