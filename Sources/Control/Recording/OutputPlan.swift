package import Audio
package import JSON

/// The output of a recording: the file or the standard output, its format and its sidecar.
package struct OutputPlan: Hashable, Sendable {
  /// The rule for writing a take's sidecar.
  package enum Sidecar: String, Hashable, Sendable {
    /// Only for facts that the file itself cannot hold.
    case automatic, always, never
  }

  /// The file's absolute path, or nil for the standard output.
  package var path: String?
  /// The path with the fields of `strftime` that each file fills in; nil where it has none.
  package var pattern: String?
  /// The rule for starting new files; nil where only a request starts one.
  package var split: SplitPlan?
  /// The files of its series that retention keeps; nil keeps all.
  package var keep: KeepPlan?
  /// The container of the file, or of the stream to the standard output.
  package var format: FileFormat
  /// The sample format in the file, or nil for the one that the file format and the device suggest.
  package var sample: SampleFormat?
  /// True to replace a file of that name, at the end and not before.
  package var replaces = false
  /// The rule for the sidecar.
  package var sidecar: Sidecar = .automatic
  /// The title for the file's tags; nil for none.
  package var title: String?
  /// The comment for the file's tags; nil for none.
  package var note: String?

  /// An output that replaces nothing and starts no new files.
  package init(path: String?, format: FileFormat, sample: SampleFormat? = nil) {
    self.path = path
    self.format = format
    self.sample = sample
  }

  /// The path that all files of one series share; nil for the standard output.
  package var series: String? { pattern ?? path }
}

extension OutputPlan: JSONConvertible {
  /// Reads what `json` wrote; nil without a known file format.
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

  /// The object within a recording plan; values that are nil have no member.
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
