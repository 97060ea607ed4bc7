package import Audio
package import JSON
package import Linux

/// The output of a recording: the file or the standard output, the format and the sidecar.
package struct OutputPlan: Hashable, Sendable {
  /// The rule for writing a take's sidecar.
  package enum Sidecar: String, Hashable, Sendable {
    /// Write a sidecar only if there are facts that the file itself cannot store.
    case automatic, always, never
  }

  /// The file's absolute path, or nil for the standard output.
  package var path: String?
  /// The path with `strftime` fields, which are replaced for each file. Nil if the path has no such
  /// fields.
  package var pattern: String?
  /// The rule for starting new files, or nil if only a request starts a new file.
  package var split: SplitPlan?
  /// The files that retention keeps in the series, or nil to keep all files.
  package var keep: KeepPlan?
  /// The delivery of every file, or nil if the files are not delivered.
  package var delivery: DeliveryPlan?
  /// The container of the file, or of the stream to the standard output.
  package var format: FileFormat
  /// The sample format in the file, or nil if the file format and the device determine it.
  package var sample: SampleFormat?
  /// Whether to replace an existing file. The file is replaced at the end of the recording, not
  /// earlier.
  package var replaces = false
  /// The rule for the sidecar.
  package var sidecar: Sidecar = .automatic
  /// The title for the file's tags, or nil for no title.
  package var title: String?
  /// The comment for the file's tags, or nil for no comment.
  package var note: String?
  /// The names of the tracks if each track has its own file, otherwise empty. If it is not empty,
  /// `path` is the file of the first track.
  package var tracks: [String] = []

  /// Creates an output that replaces no file and starts no new files.
  package init(path: String?, format: FileFormat, sample: SampleFormat? = nil) {
    self.path = path
    self.format = format
    self.sample = sample
  }

  /// The path that identifies the series of the file, or nil for the standard output.
  package var series: String? { pattern ?? path }

  /// Whether the takes with the same FILE argument are one series. In a series, a new file gets the
  /// next free number if its name is in use.
  package var isSeries: Bool { split != nil || keep != nil }
}

extension OutputPlan: JSONMembers {
  /// A placeholder output. Reading JSON replaces its members.
  package static var blank: OutputPlan { OutputPlan(path: nil, format: .wav) }

  /// Lists the members of the object in a recording plan.
  package mutating func list(in form: inout JSONForm) {
    form.member("format", &format)
    form.member("path", &path)
    form.member("pattern", &pattern)
    form.member("split", &split)
    form.member("keep", &keep)
    form.member(DeliveryPlan.key, &delivery)
    form.member("sample", &sample)
    form.member("replaces", &replaces, or: false)
    form.member("sidecar", &sidecar, or: .automatic)
    form.member("title", &title)
    form.member("note", &note)
    form.member("tracks", &tracks, or: [])
    // The names are checked, because they become parts of file names.
    form.require(tracks.allSatisfy(Track.isName))
  }
}

extension OutputPlan.Sidecar: JSONConvertible {}

/// The rule for starting a new file automatically during a take.
package struct SplitPlan: Hashable, Sendable {
  /// The length of each file.
  package var length: Duration
  /// Whether the files begin at multiples of the length on the local clock.
  package var isAligned: Bool

  /// Creates a rule. Unless the rule is aligned, the lengths count from the beginning of the take.
  package init(length: Duration, isAligned: Bool = false) {
    self.length = length
    self.isAligned = isAligned
  }
}

extension SplitPlan: JSONMembers {
  /// A placeholder rule. Reading JSON replaces its members.
  package static var blank: SplitPlan { SplitPlan(length: .zero) }

  /// Lists the members of the object in an output plan.
  package mutating func list(in form: inout JSONForm) {
    form.member("length", &length)
    form.require(length > .zero)
    form.member("aligned", &isAligned)
  }
}

/// The files that retention keeps in a series.
package enum KeepPlan: Hashable, Sendable {
  /// The newest files, up to this number.
  case count(Int)
  /// The files that ended at most this long ago.
  case age(Duration)
}

extension KeepPlan: JSONConvertible {
  /// Reads a value that `json` has written. The result is nil if the value has neither a positive
  /// count nor a positive age.
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
  /// The path that identifies the series. The files of a series are delivered in order.
  package var series: String

  /// A delivery of a series by a program.
  package init(program: String, series: String) {
    self.program = program
    self.series = series
  }
}

extension DeliveryPlan: JSONMembers {
  /// The key of a delivery in plans and results.
  package static let key = "delivery"

  /// A placeholder delivery. Reading JSON replaces its members.
  package static var blank: DeliveryPlan { DeliveryPlan(program: "", series: "") }

  /// Lists the members of the object in an output plan or a result.
  package mutating func list(in form: inout JSONForm) {
    form.member("program", &program)
    form.member("series", &series)
  }
}

/// The kind of an existing file that a recording must not replace.
package enum TakenName: Hashable, Sendable {
  /// A regular file, if the plan does not allow the recording to replace it.
  case file
  case directory
  case symbolicLink
  /// A pipe, a socket or a device.
  case other

  /// Creates the kind of an existing file. The result is nil if the recording may replace the file.
  /// For a symbolic link, `status` describes the link, not its target.
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
