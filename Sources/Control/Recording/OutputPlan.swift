package import Audio
package import JSON
package import Linux

/// The output of a recording: the file or the standard output, the format and the sidecar.
package struct OutputPlan: Hashable, Sendable {
  /// The rule for writing a take's sidecar.
  package enum Sidecar: String, Hashable, Sendable {
    /// Only for facts that the file itself cannot hold.
    case automatic, always, never
  }

  /// The file's absolute path, or nil for the standard output.
  package var path: String?
  /// The path with `strftime` fields, which are filled in for each file, or nil if it has none.
  package var pattern: String?
  /// The rule for starting new files, or nil if only a request starts one.
  package var split: SplitPlan?
  /// The files of the series that retention keeps, or nil to keep all.
  package var keep: KeepPlan?
  /// The delivery of every file, or nil if the files are not delivered.
  package var delivery: DeliveryPlan?
  /// The container of the file, or of the stream to the standard output.
  package var format: FileFormat
  /// The sample format in the file, or nil for the one suggested by the file format and the device.
  package var sample: SampleFormat?
  /// True to replace an existing file. The file is replaced at the end of the recording, not
  /// before.
  package var replaces = false
  /// The rule for the sidecar.
  package var sidecar: Sidecar = .automatic
  /// The title for the file's tags, or nil for no title.
  package var title: String?
  /// The comment for the file's tags, or nil for no comment.
  package var note: String?

  /// An output that replaces nothing and starts no new files.
  package init(path: String?, format: FileFormat, sample: SampleFormat? = nil) {
    self.path = path
    self.format = format
    self.sample = sample
  }

  /// The path that all files of one series share, or nil for the standard output.
  package var series: String? { pattern ?? path }
}

extension OutputPlan: JSONConvertible {
  /// Reads the output of `json`, or returns nil if the file format is unknown.
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
    delivery = json[DeliveryPlan.key].flatMap(DeliveryPlan.init(json:))
    replaces = json["replaces"]?.bool ?? false
    sidecar = json["sidecar"]?.string.flatMap(Sidecar.init(rawValue:)) ?? .automatic
    title = json["title"]?.string
    note = json["note"]?.string
  }

  /// The JSON object in a recording plan. Values that are nil have no member.
  package var json: JSONValue {
    var members: JSONObject = ["format": format.rawValue.json]
    members.set("path", path)
    members.set("pattern", pattern)
    members.set("split", split)
    members.set("keep", keep)
    members.set(DeliveryPlan.key, delivery)
    members.set("sample", sample?.rawValue)
    members.set("replaces", replaces)
    members.set("sidecar", sidecar.rawValue)
    members.set("title", title)
    members.set("note", note)
    return .object(members)
  }
}

/// The rule for starting a new file automatically during a take.
package struct SplitPlan: Hashable, Sendable {
  /// The length of each file.
  package var length: Duration
  /// True if files begin at multiples of the length on the local clock.
  package var isAligned: Bool

  /// A rule whose lengths count from the beginning of the take, unless it is aligned.
  package init(length: Duration, isAligned: Bool = false) {
    self.length = length
    self.isAligned = isAligned
  }
}

extension SplitPlan: JSONConvertible {
  /// Reads the output of `json`, or returns nil if the length is not positive.
  package init?(json: JSONValue) {
    guard let length = json["length"].flatMap(Duration.init(json:)), length > .zero else {
      return nil
    }
    self.init(length: length, isAligned: json["isAligned"]?.bool ?? false)
  }

  /// The JSON object in an output plan.
  package var json: JSONValue { ["length": length.json, "isAligned": isAligned.json] }
}

/// The files of a series that retention keeps.
package enum KeepPlan: Hashable, Sendable {
  /// This number of the newest files.
  case count(Int)
  /// The files that ended at most this long ago.
  case age(Duration)
}

extension KeepPlan: JSONConvertible {
  /// Reads the output of `json`, or returns nil if neither the count nor the age is positive.
  package init?(json: JSONValue) {
    if let count = json["count"]?.integer(in: .ordinals) {
      self = .count(count)
    } else if let age = json["age"].flatMap(Duration.init(json:)), age > .zero {
      self = .age(age)
    } else {
      return nil
    }
  }

  /// The JSON object with one member, `count` or `age`.
  package var json: JSONValue {
    switch self {
    case .count(let count): ["count": count.json]
    case .age(let age): ["age": age.json]
    }
  }
}

/// The delivery of a series to another location, such as an object store.
package struct DeliveryPlan: Hashable, Sendable {
  /// The absolute path of the program that delivers a file.
  package var program: String
  /// The path that all files of the series share. The files are delivered in their order.
  package var series: String

  /// A delivery of a series by a program.
  package init(program: String, series: String) {
    self.program = program
    self.series = series
  }
}

extension DeliveryPlan: JSONConvertible {
  /// The key of a delivery in plans and results.
  package static let key = "delivery"

  /// Reads the output of `json`, or returns nil if the program or the series is missing.
  package init?(json: JSONValue) {
    guard let program = json["program"]?.string, let series = json["series"]?.string else {
      return nil
    }
    self.init(program: program, series: series)
  }

  /// The JSON object in an output plan or a result.
  package var json: JSONValue { ["program": program.json, "series": series.json] }
}

/// An existing file at the path of a recording that must not be replaced.
package enum TakenName: Hashable, Sendable {
  /// A regular file that the plan does not allow to be replaced.
  case file
  case directory
  case symbolicLink
  /// A pipe, a socket or a device.
  case other

  /// The kind of the existing file, or nil if it is to be replaced. The `status` of a symbolic link
  /// is that of the link, not of its target.
  package init?(_ status: FileStatus, replacing: Bool) {
    switch status.kind {
    case .regular where replacing: return nil
    case .regular: self = .file
    case .directory: self = .directory
    case .symbolicLink: self = .symbolicLink
    default: self = .other
    }
  }
}
