package import Audio
internal import Decoding
internal import Exports
internal import Files
internal import Linux
internal import Sounds
internal import Store

/// The command `export`, which writes a take to another file.
package enum ExportCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["export"] }

  /// The sound to export.
  package static let file = Operand<FileOrTake>(
    .one, summary: "Sound file to export, or a take such as @1")
  /// The file to write.
  package static let output = Operand<OutputPath>(
    .one, named: "OUT", summary: "File to write; its extension sets the format; \"-\" is stdout")
  /// The flag that writes one file for each part between two marks.
  package static let atMarks = Flag(
    "at-marks", summary: "Cut at each mark and write a numbered file for each part")
  /// The flag that skips silence at both ends.
  package static let trim = Flag(
    "trim", summary: "Remove the silence below -60dB at both ends")

  /// The sounds to write in sequence with FILE.
  package static let join = Option<FileOrTake>(
    "join", repeats: true, summary: "Write this sound too, in the order of the command line")
  /// The track to write.
  package static let track = Option<TrackName>(
    "track", summary: "Write only this track of the take")
  /// The track whose echo is removed.
  package static let remove = Option<TrackName>(
    "remove", summary: "Remove the echo of this track from --track")
  /// The flag that mixes the tracks.
  package static let mix = Flag("mix", summary: "Mix all tracks, each at the same level")

  /// The option for the file format, if the name has no extension.
  package static let format = Option<ExportFormat>(
    "format", short: "f", summary: "Format and extension, if OUT has no extension (stdout: wav)")
  /// The flag that mixes all channels into one.
  package static let mono = Flag("mono", summary: "Mix all channels into one")
  /// The rate of the new file.
  package static let rate = Option<SampleRate>("rate", short: "r", summary: "Sample rate")
  /// The sample format of the new file.
  package static let bits = Option<Bits>("bits", short: "b", summary: "Sample format")
  /// The length of the fade at the start.
  package static let fadeIn = Option<Duration>("fade-in", summary: "Fade-in time")
  /// The length of the fade at the end.
  package static let fadeOut = Option<Duration>("fade-out", summary: "Fade-out time")

  /// The flag for the usual loudness, -16 LUFS.
  package static let normalize = Flag(
    "normalize", summary: "Set the loudness to -16LUFS, with peaks below -1dBTP")
  /// The loudness of the new file.
  package static let loudness = Option<Loudness>(
    "loudness", summary: "Set the loudness to this value, with peaks below -1dBTP")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Cut a take, or convert it to another format",
      details: [
        "Writes FILE, or a part of it, to OUT. The extension of OUT chooses the format: "
          + FileFormat.exported.map(\.rawValue).joined(separator: ", ")
          + ". FILE is not changed, and an existing OUT is never replaced. A missing directory of OUT "
          + "is created, and a note says so.",
        "If only the length changes, the samples of WAV, FLAC, AIFF, CAF and W64 files stay "
          + "exactly the same. A conversion to fewer bits adds dither. Opus and MP3 support only some "
          + "sample rates; any other rate is raised to the next of them, or lowered to 48 kHz.",
        "WAV and AIFF files keep the marks; FLAC, Ogg and Opus files keep them as chapters. Title, "
          + "date and comment are kept if the format supports them.",
        "--normalize and --loudness measure by EBU R 128. If the peaks would exceed -1 dBTP, a "
          + "limiter reduces them. The file is written again, up to 12 times, until its measured "
          + "loudness is right within 0.1 LU.",
        "--join writes several sounds in sequence, in the order in which they are typed. The first "
          + "of them sets the rate, the channels, the title and the date.",
        "Without --track and --mix, OUT has all tracks side by side, even if each track was "
          + "recorded into its own file. A file with one track, or with a mix, has one or two "
          + "channels. A mix is mono if all its tracks are mono; otherwise, a mono track is on "
          + "both sides. The mix is the mean of the tracks, so it never clips; --normalize makes "
          + "it louder.",
        "--remove is for a microphone that has recorded the loudspeaker. It needs PipeWire's echo "
          + "canceller (apt install libspa-0.2-modules), and measures the reduction. Speech at the "
          + "same time as the echo becomes quieter, too. Without an echo, the track is unchanged.",
        "On a terminal, \"recorder export\" without FILE and OUT opens a list of takes to pick from, and asks "
          + "for OUT.",
        "OUT appears when it is complete. If the export fails or is interrupted, no file is left.",
      ],
      operands: [file, output],
      options: [
        OptionGroup("Part", [SoundPart.from, SoundPart.to, atMarks, trim, join]),
        OptionGroup("Tracks", [track, remove, mix]),
        OptionGroup("Format", [format, mono, rate, bits]),
        OptionGroup("Level", [normalize, loudness, fadeIn, fadeOut]),
      ],
      examples: [
        Example("recorder export @1 talk.mp3", "Convert the newest take to MP3"),
        Example("recorder export --from 1:30 --to 2:00 talk.wav quote.wav", "Cut half a minute"),
        Example("recorder export --at-marks talk.flac part.flac", "Write part-001.flac and so on"),
        Example("recorder export --trim --mono talk.wav talk.opus", "Make a small voice file"),
        Example("recorder export --normalize talk.wav cast.mp3", "Use the loudness of a podcast"),
        Example("recorder export @1 mic.wav --track mic", "Write one track of a take"),
        Example("recorder export @1 mic.wav --track mic --remove far", "Remove the echo of a call"),
        Example("recorder export @2 both.wav --join @1", "Write two takes in sequence"),
        Example("recorder export talk.flac -", "Send it to another program as WAV"),
      ],
      ends: [
        .notFound, .alreadyRecording, .outputRefused, .nothingCaptured, .notASound, .interrupted,
      ])
  }
}

/// The part of a sound that a command reads, as the options define it.
package struct SoundPart {
  /// The option for the beginning.
  package static let from = Option<Duration>("from", summary: "Start at this time of FILE")
  /// The option for the end.
  package static let to = Option<Duration>("to", summary: "End at this time of FILE")

  /// The beginning, or nil for the beginning of the sound.
  package let from: Duration?
  /// The end, or nil for the end of the sound.
  package let to: Duration?

  /// Reads the part from the options. Throws if the end is not after the beginning.
  package init(_ arguments: Arguments) throws {
    (from, to) = (arguments[Self.from], arguments[Self.to])
    if let from, let to, from >= to {
      throw Failure(.usage, "--to \(clock(to)) is not after --from \(clock(from))")
    }
  }

  /// Prints a note if `to` is past the end of the sound.
  func remark(on layout: ExportLayout, _ console: Console) {
    guard let to, let length = layout.exceededLength else { return }
    console.note("--to \(clock(to)) is past the end of the sound at \(clock(length))")
  }
}

extension ExportCommand {
  /// Exports the requested part of the file. A child process reads the file.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let named = arguments.inOrder(file, join)
    guard let first = named.first else { return SilentReport(exitCode: .usage) }
    var path = try TakeLookup.path(of: first, notesSplit: named.count == 1, console)
    let output = arguments[output].first?.text ?? ""
    let part = try SoundPart(arguments)
    let format = try ExportName.format(
      of: output, arguments[self.format]?.format, from: path, part: part,
      loudness: wantedLoudness(arguments))
    var plan = try plan(format, part, arguments)
    try ExportName.check(isSplit: plan.splitsAtMarks, isNormalized: plan.loudness != nil)
    if plan.mixes, plan.track != nil {
      throw Failure(
        .usage,
        "--track writes one track, but --mix combines all tracks; remove one of these options")
    }
    try checkEcho(plan, arguments)
    let isStream = try ExportName.isStream(output, isSplit: plan.splitsAtMarks)
    let target: ExportTarget =
      isStream
      ? .stream(1, temporaryIn: Environment.value(of: "TMPDIR") ?? "/var/tmp")
      : .file(output.named(for: format))
    let take = try ExportedTake(path, track: plan.echo == nil ? plan.track : nil, console)
    if take.isTrack { plan.track = nil }
    let joined = try joinedTakes(named.dropFirst(), arguments, to: take, console)
    let line = try ProgressLine("Exporting", path, writesFile: true, console)
    defer { line.end() }
    var export = take.export(progress: line.update)
    for next in joined { next.append(to: &export) }
    let sound = take.sounds[0]
    path = take.files[0]
    if plan.loudness != nil, !take.isTrack, let status = try? sound.file.descriptor.status() {
      export.known = TakeLookup.measured(path, status)
      export.note = { TakeLookup.note($0, of: path, status) }
    }
    let missing = MissingDirectory(above: output)
    defer { missing?.report(to: console) }
    let (layout, written, echo) = try exporting(
      path, from: ([take] + joined).flatMap(\.files), track: plan.track
    ) {
      try export.run(plan, to: target)
    }
    line.end()
    part.remark(on: layout, console)
    if let wanted = plan.rate, wanted != layout.stream.rate {
      console.note(
        "\(format) files do not support \(wanted), so the file has \(layout.stream.rate)")
    }
    let report = ExportReport(
      source: path, joined: joined.map { $0.files[0] }, format: layout.format,
      stream: layout.stream, files: written, echo: echo)
    return report.shown(outOf: layout.marks, loudness: plan.loudness, console)
  }

  /// Throws if `--remove` is given without `--track`, with the same track or with `--join`.
  private static func checkEcho(_ plan: ExportPlan, _ arguments: Arguments) throws {
    guard let echo = plan.echo else { return }
    guard let track = plan.track else {
      throw Failure(
        .usage, "--remove needs --track, the track to remove the echo from",
        advice: "for example: recorder export @1 mic.wav --track mic --remove far")
    }
    if track.isSameName(as: echo) {
      throw Failure(
        .usage, "--track and --remove both name \(quoted(echo))",
        advice: "--track names the microphone, and --remove names the other side")
    }
    if !arguments.values(of: join).isEmpty {
      throw Failure(
        .usage, "--remove works on one take, and --join appends others",
        advice: "export each take with --remove, then join the files")
    }
  }

  /// Opens the takes to append. Throws if they cannot follow the first take.
  private static func joinedTakes(
    _ named: ArraySlice<FileOrTake>, _ arguments: Arguments, to first: ExportedTake,
    _ console: Console
  ) throws -> [ExportedTake] {
    let name = arguments[track]?.value
    return try named.map { next -> ExportedTake in
      let path = try TakeLookup.path(of: next, notesSplit: false, console)
      let take = try ExportedTake(path, track: first.isTrack ? name : nil, console)
      try take.requireFit(behind: first, choosesTracks: name != nil || arguments[mix])
      return take
    }
  }

  private static func plan(
    _ format: FileFormat, _ part: SoundPart, _ arguments: Arguments
  ) throws -> ExportPlan {
    if format.isLossy, arguments[bits] != nil {
      throw Failure(.usage, "\(format) files have no sample format; remove --bits")
    }
    var plan = ExportPlan(format)
    (plan.from, plan.to) = (part.from, part.to)
    plan.splitsAtMarks = arguments[atMarks]
    plan.trims = arguments[trim]
    (plan.track, plan.mixes) = (arguments[track]?.value, arguments[mix])
    plan.echo = arguments[remove]?.value
    plan.channels = arguments[mono] ? .mono : nil
    plan.rate = arguments[rate]
    plan.sample = arguments[bits]?.sample
    plan.loudness = try wantedLoudness(arguments)
    plan.fadeIn = arguments[fadeIn] ?? .zero
    plan.fadeOut = arguments[fadeOut] ?? .zero
    return plan
  }

  private static func wantedLoudness(_ arguments: Arguments) throws -> Double? {
    let value = arguments[loudness]?.value
    guard arguments[normalize] else { return value }
    if value != nil { throw Failure(.usage, "give only one of --normalize and --loudness") }
    return -16
  }
}

/// Starts a child process that decodes a file. The child process runs the same program as this
/// process, even if an upgrade has replaced the program's file since this process started.
func openDecoder(
  _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
) throws -> any FrameSupply {
  try DecoderChild("/proc/self/exe", file, order, from: first)
}
