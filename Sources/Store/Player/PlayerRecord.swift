package import JSON
internal import Linux

/// The record that a player keeps in the home while it lives, so that it is found from everywhere.
package struct PlayerRecord: Hashable, Sendable {
  /// The process number of the player, on its own host.
  package let process: Int32
  /// The path of its socket.
  package let socket: String
  /// The host on which the player runs.
  package let host: Host

  /// A record of a player of this host, unless another is given.
  package init(process: Int32, socket: String, host: Host = .current) {
    self.process = process
    self.socket = socket
    self.host = host
  }

  /// The file, in the state directory.
  static let file = "player.json"
  private static let largest = 16_384
}

extension PlayerRecord: JSONConvertible {
  /// Reads what `json` wrote; nil where a member is missing or wrong.
  package init?(json: JSONValue) {
    guard let process = json["pid"].flatMap(Int32.init(json:)), let socket = json["socket"]?.string,
      let host = json["host"].flatMap(Host.init(json:))
    else { return nil }
    self.init(process: process, socket: socket, host: host)
  }

  /// The object of the file `player.json`, with its schema.
  package var json: JSONValue {
    ["schema": 1, "pid": process.json, "socket": socket.json, "host": host.json]
  }
}

extension PlayerRecord {
  /// The record of the player of a state directory; nil where there is none, or one of a former release.
  static func read(in path: String) -> PlayerRecord? {
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(Self.file, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: largest),
      let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largest))
    else { return nil }
    return PlayerRecord(json: json)
  }

  /// Writes the record; not synchronized to the disk, since no player survives a power cut.
  func write(in directory: borrowing Directory) throws(SystemError) {
    let draft = ".\(Self.file).\(try RandomBytes.hexadecimal(8)).tmp"
    let file = try directory.open(draft, [.writeOnly, .create, .exclusive, .noFollow])
    let text = Array((json.encoded() + "\n").utf8)
    do {
      try file.writeAll(text.span)
      try directory.rename(draft, to: Self.file)
    } catch {
      try? directory.remove(draft)
      throw error
    }
  }
}
