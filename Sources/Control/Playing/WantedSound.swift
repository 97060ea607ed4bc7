package import Audio
package import JSON

/// One sound of an order: a name of the library, or a file.
package struct WantedSound: Hashable, Sendable {
  /// What it is called: the name, or what was typed for the file.
  package var name: String
  /// The file, absolute; nil asks the library for the name.
  package var path: String?
  /// What the samples are, where the file does not say it.
  package var raw: StreamFormat?

  package init(_ name: String, path: String? = nil, raw: StreamFormat? = nil) {
    self.name = name
    self.path = path
    self.raw = raw
  }
}

extension WantedSound: JSONConvertible {
  package init?(json: JSONValue) {
    guard let name = json["name"]?.string else { return nil }
    self.init(
      name, path: json["path"]?.string, raw: json["raw"].flatMap(StreamFormat.init(json:)))
  }

  package var json: JSONValue {
    var members: JSONObject = ["name": name.json]
    members.set("path", path)
    members.set("raw", raw)
    return .object(members)
  }
}
