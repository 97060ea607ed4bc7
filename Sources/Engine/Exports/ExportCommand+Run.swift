internal import Analysis
internal import Audio
package import CommandLine
internal import Decoding
internal import Exports
internal import Files
internal import Linux
internal import Sounds
internal import Store

extension ExportCommand: RunnableCommand {
  /// Exports the requested part of the file. A child process reads the file.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    guard let named = arguments[file].first else { return SilentReport(exitCode: .usage) }
    let path = try TakeLookup.path(of: named, console)
    let output = arguments[output].first?.text ?? ""
    let part = try SoundPart(arguments)
    let format = try ExportName.format(
      of: output, arguments[self.format], from: path, part: part,
      loudness: wantedLoudness(arguments))
    let plan = plan(format, part, arguments)
    try ExportName.check(isSplit: plan.splitsAtMarks, isNormalized: plan.loudness != nil)
    let isStream = try ExportName.isStream(output, isSplit: plan.splitsAtMarks)
    let target: ExportTarget =
      isStream
      ? .stream(1, temporaryIn: Environment.value(of: "TMPDIR") ?? "/var/tmp") : .file(output)
    try RecordedFile(path).refuseWhileRecording()
    let sound = try OpenSound(path, console)
    let line = try ProgressLine("Exporting", console)
    defer { line.end() }
    var export = Export(
      of: sound.source, in: sound.file, by: openDecoder, progress: line.watch)
    if plan.loudness != nil, let status = try? sound.file.descriptor.status() {
      export.known = TakeLookup.measured(path, status)
      export.note = { TakeLookup.note($0, of: path, status) }
    }
    do throws(ExportError) {
      let (layout, files) = try export.run(plan, to: target)
      line.end()
      return report(path, sound.source, layout, files, plan.loudness, console)
    } catch {
      throw Failure(exporting: path, error)
    }
  }

  private static func plan(
    _ format: ExportFormat, _ part: SoundPart, _ arguments: Arguments
  ) -> ExportPlan {
    var plan = ExportPlan(format)
    (plan.from, plan.to) = (part.from, part.to)
    plan.splitsAtMarks = arguments[atMarks]
    plan.trims = arguments[trim]
    plan.channels = arguments[mono] ? .mono : nil
    plan.rate = arguments[rate]
    plan.sample = format.isLossy ? nil : arguments[bits]?.sample
    plan.loudness = wantedLoudness(arguments)
    plan.fadeIn = arguments[fadeIn] ?? .zero
    plan.fadeOut = arguments[fadeOut] ?? .zero
    return plan
  }

  private static func wantedLoudness(_ arguments: Arguments) -> Double? {
    arguments[loudness]?.value ?? (arguments[normalize] ? -16 : nil)
  }

  /// Returns the report. If stdout carries the audio, the report goes to stderr instead.
  private static func report(
    _ path: String, _ source: ExportSource, _ layout: ExportLayout, _ files: [ExportedFile],
    _ loudness: Double?, _ console: Console
  ) -> any Report {
    let report = ExportReport(
      source: path, layout.format, layout.stream,
      files.map { file in
        var entry = ExportReport.File(
          path: file.path, frames: file.frames, bytes: file.bytes, marks: file.marks)
        entry.loudness = file.loudness
        return entry
      })
    return report.shown(
      outOf: layout.pieces.reduce(0) { $0 + $1.marks.count }, loudness: loudness, console)
  }
}

/// Starts a child process that decodes a file.
func openDecoder(
  _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
) throws(DecodingError) -> any FrameSupply {
  try ConfinedDecoder(file, order, from: first)
}

extension TakeLookup {
  /// Saves the measured levels of a file if it is an unchanged take.
  static func note(_ levels: SoundLevels, of path: String, _ file: FileStatus) {
    note(levels.loudness, truePeak: levels.truePeak, of: path, file)
  }

  /// Returns the saved loudness and true peak of a file, or nil if they were not measured before.
  fileprivate static func measured(_ path: String, _ file: FileStatus) -> SoundLevels? {
    guard let known = levels(of: path, file), let peak = known.truePeak else { return nil }
    var sound = SoundLevels()
    sound.loudness = MeasuredLoudness(integrated: known.loudness, range: 0)
    sound.truePeak = Decibels(peak).amplitude
    return sound
  }
}

extension ProgressLine {
  /// A progress handler that updates the line and throws after a signal.
  var watch: Export.Progress {
    { share throws(ExportError) in
      if let signal = self.update(share) { throw .interrupted(signal) }
    }
  }
}
