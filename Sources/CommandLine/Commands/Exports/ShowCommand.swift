package import Audio
package import JSON
internal import Linux

/// The command `show`, which draws a take in the terminal, as a picture or on a page.
package enum ShowCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["show"] }

  /// The sound to show.
  package static let file = Operand<FileOrTake>(
    .one, summary: "Sound file to show; or a take, as @1")
  /// The flag that draws frequencies.
  package static let spectrogram = Flag(
    "spectrogram", summary: "Draw the strength of the frequencies instead of the levels")
  /// The width of the picture.
  package static let width = Option<PictureSize>(
    "width", summary: "Columns (default: the terminal's, or 80), or pixels of a PNG or SVG")
  /// The height of the picture.
  package static let height = Option<PictureSize>(
    "height", summary: "Rows per channel or of the spectrogram, or pixels of a PNG or SVG")
  /// The PNG picture to write.
  package static let png = Option<FilePath>("png", summary: "Write a PNG picture; - is stdout")
  /// The SVG picture to write.
  package static let svg = Option<FilePath>("svg", summary: "Write an SVG picture; - is stdout")
  /// The web page to write.
  package static let page = Option<FilePath>(
    "page", summary: "Write a web page with a player, both pictures and the marks; - is stdout")

  /// The description of the command. The engine runs it, because it reads sound files.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Draw a take as text, a picture or a web page",
      details: [
        "Draws the peaks of each channel over time. Below them, ^ is a mark, x a gap in the recording, and ! "
          + "a position with clipped samples, red on a color terminal. Marks and gaps are listed "
          + "with their times.",
        "--spectrogram draws the frequencies from bottom to top on a mel scale, as people hear them; all "
          + "channels are drawn as one.",
        "--png, --svg and --page write new files; they never replace one. A picture has 1200x400 pixels "
          + "by default. The page is one file for any browser, and loads nothing from a network. Audio up "
          + "to 20 MB is stored in the page. A longer take is linked: if you move the page, move the "
          + "file of the take with it.",
        "On a terminal, \"recorder show\" without FILE opens a list of takes to pick from.",
        "With --json, prints the peak and the mean level of each column in dBFS, or the level of each "
          + "column and row of the spectrogram.",
      ],
      operands: [file],
      options: [
        OptionGroup("Part", [SoundPart.from, SoundPart.to]),
        OptionGroup("Picture", [spectrogram, width, height]),
        OptionGroup("Output", [png, svg, page]),
      ],
      examples: [
        Example("recorder show @1", "Draw the newest take"),
        Example("recorder show --from 1:30 --to 1:40 talk.wav", "Draw ten seconds of a file"),
        Example("recorder show --width 200 --height 16 talk.wav", "Draw a large waveform"),
        Example("recorder show --spectrogram @1", "Draw its frequencies"),
        Example("recorder show --png talk.png --width 2000 talk.wav", "Make a picture"),
        Example("recorder show --page talk.html @1", "Write a page to send or to keep"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .notASound, .interrupted])
  }
}

/// A number of columns, rows or pixels of a picture.
package struct PictureSize: ArgumentValue, Hashable {
  /// The number, 1 to 4,000.
  package let value: Int

  static let most = 4_000

  /// The name of a number in the help.
  package static let placeholder = "N"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "a number of columns, rows or pixels such as 120"

  /// Reads a whole number from 1 to 4,000.
  package init(argument: String) throws(ValueError) {
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
package struct ShowPlan: Sendable {
  /// A file to write.
  package struct File: Hashable, Sendable {
    /// The form of the file, which is the name of the option.
    package let kind: Kind
    /// The path of the file; `-` is stdout.
    package let path: String
  }

  /// The form of a file.
  package enum Kind: String, Sendable {
    case png, svg, page
  }

  /// Whether frequencies are drawn instead of levels.
  package let isSpectrogram: Bool
  /// The files to write, empty for a picture in the terminal.
  package let files: [File]
  private let width: Int?
  private let height: Int?

  /// Reads the plan from the options. Throws if two files use stdout, or if stdout is a terminal.
  package init(_ arguments: Arguments) throws(Failure) {
    isSpectrogram = arguments[ShowCommand.spectrogram]
    let wishes: [(Kind, FilePath?)] = [
      (.png, arguments[ShowCommand.png]), (.svg, arguments[ShowCommand.svg]),
      (.page, arguments[ShowCommand.page]),
    ]
    files = wishes.compactMap { kind, path in path.map { File(kind: kind, path: $0.text) } }
    width = arguments[ShowCommand.width]?.value
    height = arguments[ShowCommand.height]?.value
    let streams = files.filter { $0.path == "-" }
    guard streams.count < 2 else {
      throw Failure(.usage, Message("- may be given only once: stdout can take only one picture"))
    }
    guard let stream = streams.first else { return }
    if Terminal.isTerminal(StandardStream.output.rawValue) {
      throw Failure(
        .usage,
        Message(
          "- sends the picture to stdout, which is this terminal",
          advice: "give a file, or send it to a program: recorder show FILE --\(stream.kind) - | …")
      )
    }
  }

  /// The width and the height of a picture in a file.
  package var pixels: (width: Int, height: Int) { (width ?? 1_200, height ?? 400) }

  /// Returns the columns and the rows of a picture in the terminal.
  package func cells(_ channels: ChannelCount) -> (width: Int, height: Int) {
    let terminal = Terminal.size(of: StandardStream.output.rawValue)?.columns
    let width = width ?? max(20, terminal ?? 80)
    let height = height ?? (isSpectrogram ? 16 : channels > .mono ? 4 : 8)
    return (min(width, Self.mostCells), min(height, Self.mostCells))
  }

  /// The highest number of columns or rows in a picture in the terminal.
  private static let mostCells = 1_000
}

/// The report of `show` for a terminal.
package struct ShowReport: Report {
  /// The picture.
  package enum Picture: Hashable, Sendable {
    case waveform(WaveformText)
    case spectrogram(SpectrogramText)

    var axis: TimeAxis {
      switch self {
      case .waveform(let picture): picture.axis
      case .spectrogram(let picture): picture.axis
      }
    }

    var width: Int {
      switch self {
      case .waveform(let picture): picture.width
      case .spectrogram(let picture): picture.width
      }
    }
  }

  let path: String
  let channels: ChannelCount
  let picture: Picture

  /// Creates the report of a picture of a file.
  package init(_ path: String, _ channels: ChannelCount, _ picture: Picture) {
    self.path = path
    self.channels = channels
    self.picture = picture
  }

  /// Formats the name and the format of the file, and the picture.
  package func text(_ style: Style) -> String {
    let axis = picture.axis
    let (first, last) = (axis.time(of: axis.range.lowerBound), axis.time(of: axis.range.upperBound))
    let line = "\(first) to \(last), \(axis.rate), \(channels)"
    let drawn =
      switch picture {
      case .waveform(let picture): picture.text(style)
      case .spectrogram(let picture): picture.text
      }
    return style.heading(printable(path)) + "\n" + shortened(line, to: picture.width) + "\n" + drawn
  }

  /// True, because the lines of a picture must not be wrapped.
  package var keepsLines: Bool { true }

  /// The levels of each stretch, and the marked positions.
  package var json: JSONObject {
    var json: JSONObject = ["path": path.json]
    picture.axis.add(to: &json)
    switch picture {
    case .waveform(let picture):
      json["channels"] = .array(picture.overview.channels.map(Self.object))
    case .spectrogram(let picture):
      let spectrogram = picture.spectrogram
      json["frequencies"] = .array(
        (0..<spectrogram.rows).map { row in
          let rows = spectrogram.rows
          let low = Spectrogram.frequency(ofRow: Double(row), among: rows, at: spectrogram.rate)
          return .number(low.rounded())
        })
      json["levels"] = .array(
        (0..<spectrogram.columns).map { column in
          .array(
            (0..<spectrogram.rows).map { row in
              .number(spectrogram.level(column: column, row: row))
            })
        })
    }
    return json
  }

  private static func object(_ levels: [Level]) -> JSONValue {
    [
      "peak": .array(levels.map { .number(Decibels(amplitude: $0.peak).value) }),
      "rms": .array(levels.map { .number(Decibels(amplitude: $0.rms).value) }),
      "clipped": .array(levels.map(\.clipped.json)),
    ]
  }
}

/// The report of pictures that were written.
package struct PictureReport: Report {
  /// One picture that was written.
  package struct File: Sendable {
    let kind: ShowPlan.Kind
    let path: String?
    let bytes: Int
    let link: Link?

    /// - Parameters:
    ///   - path: the path of the file, or nil for stdout.
    ///   - link: the sound, if it is too large to be in the page.
    package init(kind: ShowPlan.Kind, path: String?, bytes: Int, link: Link?) {
      self.kind = kind
      self.path = path
      self.bytes = bytes
      self.link = link
    }
  }

  /// A sound that a page links to.
  package struct Link: Sendable {
    let path: String
    let isPlayed: Bool

    /// - Parameters:
    ///   - path: the path relative to the page.
    ///   - isPlayed: true if browsers play this kind of file.
    package init(path: String, isPlayed: Bool) {
      self.path = path
      self.isPlayed = isPlayed
    }

    fileprivate var note: Message {
      Message(
        "the sound is too large for the page, which links to \(quoted(path)) instead",
        advice: isPlayed
          ? "move both files together"
          : "browsers may not play this kind of file: export it as FLAC, then write the page from that"
      )
    }
  }

  private let source: String
  private let files: [File]

  /// Creates the report of pictures of a file.
  package init(_ source: String, _ files: [File]) {
    self.source = source
    self.files = files
  }

  /// Prints the notes, and returns the report. If stdout carries a picture, the report goes to
  /// stderr, and only as JSON.
  package func shown(_ console: Console) -> any Report {
    for file in files { if let link = file.link { console.note(link.note) } }
    guard files.contains(where: { $0.path == nil }) else { return self }
    if console.isJSON { console.tell(self) }
    return SilentReport(exitCode: .done)
  }

  /// Formats one line for each file.
  package func text(_ style: Style) -> String {
    files.compactMap { file in
      file.path.map {
        style.heading("Saved \(printable($0))") + "  \(ByteCount(Int64(file.bytes)))\n"
      }
    }.joined()
  }

  /// The source, and the files.
  package var json: JSONObject {
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
