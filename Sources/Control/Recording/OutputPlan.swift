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
  /// The sample format in the file, or nil if the file format and the device determine it.
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
  /// The names of the tracks if each track has its own file, otherwise empty. `path` is then the
  /// file of the first track.
  package var tracks: [String] = []

  /// An output that replaces nothing and starts no new files.
  package init(path: String?, format: FileFormat, sample: SampleFormat? = nil) {
    self.path = path
    self.format = format
    self.sample = sample
  }

  /// The path that all files of one series share, or nil for the standard output.
  package var series: String? { pattern ?? path }

  /// Whether the takes with the same FILE argument are one series. A name that is in use then gets
  /// the next free number.
  package var isSeries: Bool { split != nil || keep != nil }
}

extension OutputPlan: JSONMembers {
  /// An output whose members are about to be read.
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
    // The names become parts of file names.
    form.require(tracks.allSatisfy(Track.isName))
  }
}

extension OutputPlan.Sidecar: JSONConvertible {}

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

extension SplitPlan: JSONMembers {
  /// A rule whose members are about to be read.
  package static var blank: SplitPlan { SplitPlan(length: .zero) }

  /// Lists the members of the object in an output plan.
  package mutating func list(in form: inout JSONForm) {
    form.member("length", &length)
    form.require(length > .zero)
    form.member("aligned", &isAligned)
  }
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

extension DeliveryPlan: JSONMembers {
  /// The key of a delivery in plans and results.
  package static let key = "delivery"

  /// A delivery whose members are about to be read.
  package static var blank: DeliveryPlan { DeliveryPlan(program: "", series: "") }

  /// Lists the members of the object in an output plan or a result.
  package mutating func list(in form: inout JSONForm) {
    form.member("program", &program)
    form.member("series", &series)
  }
}

/// An existing file at the path of a recording, which the recording must not replace.
package enum TakenName: Hashable, Sendable {
  /// A regular file that the plan does not allow to be replaced.
  case file
  case directory
  case symbolicLink
  /// A pipe, a socket or a device.
  case other

  /// The kind of the existing file, or nil if it is to be replaced. For a symbolic link, `status`
  /// describes the link, not its target.
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
