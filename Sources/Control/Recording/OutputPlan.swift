package import Audio
package import JSON

/// Where the sound goes.
package struct OutputPlan: Hashable, Sendable {
  /// When the facts of a take are left beside it.
  package enum Sidecar: String, Hashable, Sendable {
    /// Where there is something that the file itself cannot say.
    case automatic, always, never
  }

  /// The file's absolute path, or nil for the standard output.
  package var path: String?
  /// The path with what `strftime` fills in for each file; nil where there is nothing of it.
  package var pattern: String?
  /// When it goes on in another file; nil where only an order does that.
  package var split: SplitPlan?
  /// Which files of its series stay; nil keeps all.
  package var keep: KeepPlan?
  package var format: FileFormat
  /// How samples lie in the file, or nil for what the format and the device suggest.
  package var sample: SampleFormat?
  /// Whether a file of that name is replaced, at the end and not before.
  package var replaces = false
  package var sidecar: Sidecar = .automatic
  package var title: String?
  package var note: String?

  package init(path: String?, format: FileFormat, sample: SampleFormat? = nil) {
    self.path = path
    self.format = format
    self.sample = sample
  }

  /// What files of one series have in common.
  package var series: String? { pattern ?? path }
}

extension OutputPlan: JSONConvertible {
  package init?(json: JSONValue) {
    guard let format = json["format"]?.string.flatMap(FileFormat.init(rawValue:)) else {
      return nil
    }
    self.init(
      path: json["path"]?.string, format: format,
      sample: json["sample"]?.string.flatMap(SampleFormat.init(rawValue:)))
    pattern = json["pattern"]?.string
    split = json["split"].flatMap(SplitPlan.init(json:))
    keep = json["keep"].flatMap(KeepPlan.init(json:))
    replaces = json["replaces"]?.bool ?? false
    sidecar = json["sidecar"]?.string.flatMap(Sidecar.init(rawValue:)) ?? .automatic
    title = json["title"]?.string
    note = json["note"]?.string
  }

  package var json: JSONValue {
    var members: JSONObject = ["format": format.rawValue.json]
    members.set("path", path)
    members.set("pattern", pattern)
    members.set("split", split)
    members.set("keep", keep)
    members.set("sample", sample?.rawValue)
    members.set("replaces", replaces)
    members.set("sidecar", sidecar.rawValue)
    members.set("title", title)
    members.set("note", note)
    return .object(members)
  }
}
