package import Audio
package import JSON

/// One sound of an order: a name of the library, or a file.
package struct WantedSound: Hashable, Sendable {
  /// The name in the library, or the file as it was typed.
  package var name: String
  /// The absolute path of the file; nil for a name of the library.
  package var path: String?
  /// The format of samples without a header; nil for a file that has one.
  package var raw: StreamFormat?

  /// A sound of the library, unless a path is given.
  package init(_ name: String, path: String? = nil, raw: StreamFormat? = nil) {
    self.name = name
    self.path = path
    self.raw = raw
  }
}

extension WantedSound: JSONConvertible {
  /// Reads what `json` wrote; nil without a name.
  package init?(json: JSONValue) {
    guard let name = json["name"]?.string else { return nil }
    self.init(
      name, path: json["path"]?.string, raw: json["raw"].flatMap(StreamFormat.init(json:)))
  }

  /// The object within an order.
  package var json: JSONValue {
    var members: JSONObject = ["name": name.json]
    members.set("path", path)
    members.set("raw", raw)
    return .object(members)
  }
}
