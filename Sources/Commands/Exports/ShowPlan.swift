internal import Audio
internal import JSON
internal import Linux
internal import Pictures

/// A number of columns, rows or pixels of a picture.
struct PictureSize: ArgumentValue, Hashable {
  /// The number, 1 to 4,000.
  let value: Int

  static let most = 4_000

  /// The name of a number in the help.
  static let placeholder = "N"
  /// The accepted values, for the help and for error messages.
  static let expectation = "a number of columns, rows or pixels such as 120"

  /// Reads a whole number from 1 to 4,000.
  init(argument: String) throws(ValueError) {
    guard argument.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(argument) else {
      throw .malformed
    }
    guard (1...Self.most).contains(value) else {
      throw .outOfRange("a picture has 1 to \(Self.most) columns, rows or pixels")
    }
    self.value = value
  }
}

/// The pictures of a take that the user requested.
struct ShowPlan: Sendable {
  /// A file to write.
  struct File: Hashable, Sendable {
    /// The form of the file, which is the name of the option.
    let kind: Kind
    /// The path of the file; `-` is stdout.
    let path: String
  }

  /// The form of a file.
  enum Kind: String, Sendable, CaseIterable {
    case png, svg, page
  }

  /// Whether frequencies are drawn instead of levels.
  let isSpectrogram: Bool
  /// The files to write, empty for a picture in the terminal.
  let files: [File]
  /// The width that the user requested, or nil for the default width.
  let width: Int?
  /// The height that the user requested, or nil for the default height.
  let height: Int?

  /// The width and the height of a picture in a file.
  var pixels: (width: Int, height: Int) { (width ?? 1_200, height ?? 400) }

  /// Returns the size of a picture in the terminal: columns, and rows for each channel or track.
  func cells(_ channels: ChannelCount) -> (width: Int, height: Int) {
    let terminal = Terminal.size(of: StandardStream.output.rawValue)?.columns
    let width = width ?? max(20, terminal ?? 80)
    let height = height ?? (isSpectrogram ? 16 : channels > .mono ? 4 : 8)
    return (min(width, Self.mostCells), min(height, Self.mostCells))
  }

  /// The highest number of columns or rows in a picture in the terminal.
  private static let mostCells = 1_000
}

extension ShowPlan.Kind {
  /// The extensions of files of this kind, the most common one first.
  private var suffixes: [String] { self == .page ? ["html", "htm"] : [rawValue] }

  /// Extensions of other pictures and documents.
  private static let foreign: Set = ["jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "pdf"]

  /// Throws if the extension of the path belongs to another kind of file.
  func check(_ path: String) throws(Failure) {
    let name = path.pathParts.name
    guard let suffix = name.formatSuffix else { return }
    let other = Self.allCases.first { $0.suffixes.contains(suffix.lowercased()) }
    guard other != self else { return }
    let isForeign =
      Self.foreign.contains(suffix.lowercased()) || ForeignEnding.contains(suffix)
    guard other != nil || isForeign || name.hasSoundEnding else { return }
    throw Failure(
      foreign: suffix, of: suffixes[0].uppercased(), use: suffixes[0], or: other.map { "--\($0)" })
  }
}

/// A picture of a sound in terminal cells.
protocol TextPicture: Sendable {
  /// The time axis below the picture.
  var axis: TimeAxis { get }
  /// The number of columns.
  var width: Int { get }

  /// Formats the whole picture, each line at most `width` columns wide.
  func text(_ style: Style) -> String

  /// Adds the drawn levels to the JSON object.
  func add(to json: inout JSONObject)
}

/// The report of `show` for a terminal.
struct ShowReport: Report {
  let path: String
  let channels: ChannelCount
  let picture: any TextPicture

  /// Formats the name and the format of the file, and the picture.
  func text(_ style: Style) -> String {
    let axis = picture.axis
    let (first, last) = (axis.time(of: axis.range.lowerBound), axis.time(of: axis.range.upperBound))
    let line = "\(first) to \(last), \(axis.rate), \(channels)"
    let lines = wrapped(line, width: picture.width).map { $0 + "\n" }
    return style.heading(printable(path)) + "\n" + lines.joined() + picture.text(style)
  }

  /// True, because the lines of a picture must not be wrapped.
  var keepsLines: Bool { true }

  /// The levels of each column, and the marked positions.
  var json: JSONObject {
    var json: JSONObject = ["path": path.json]
    picture.axis.add(to: &json)
    picture.add(to: &json)
    return json
  }
}

/// The report of pictures that were written.
struct PictureReport: Report {
  /// One picture that was written.
  struct File: Sendable {
    let kind: ShowPlan.Kind
    /// The path of the file, or nil for stdout.
    let path: String?
    let bytes: Int
    /// The link to the sound, or nil if the file is not a page or the page contains the sound.
    let link: Link?
  }

  /// A sound that a page links to.
  struct Link: Sendable {
    /// The path relative to the page.
    let path: String
    /// Whether browsers play this kind of file.
    let isPlayed: Bool

    fileprivate var note: Message {
      Message(
        "the sound is too large for the page, which links to \(quoted(path)) instead",
        advice: isPlayed
          ? "move both files together"
          : "not every browser plays this format: export the sound as FLAC, and make a page of the "
            + "FLAC file"
      )
    }
  }

  let source: String
  let files: [File]

  /// Prints the notes, and returns the report. If stdout carries a picture, returns a report that
  /// prints nothing, and with `--json` writes the report to stderr.
  func shown(_ console: Console) -> any Report {
    for file in files { if let link = file.link { console.note(link.note) } }
    return files.contains { $0.path == nil } ? console.aside(self) : self
  }

  /// Formats one line for each file.
  func text(_ style: Style) -> String {
    files.compactMap { file in
      file.path.map {
        style.heading("Saved \(printable($0))") + "  \(ByteCount(Int64(file.bytes)))\n"
      }
    }.joined()
  }

  /// The source, and the files.
  var json: JSONObject {
    [
      "path": source.json,
      "files": .array(
        files.map { file in
          var json: JSONObject = ["kind": file.kind.rawValue.json]
          json.set("path", file.path)
          json["bytes"] = file.bytes.json
          return .object(json)
        }),
    ]
  }
}
