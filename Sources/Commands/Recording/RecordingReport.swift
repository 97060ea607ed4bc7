internal import Audio
package import Control
package import JSON
internal import Takes

/// The report of finished recordings, and of sessions that could not be asked.
package struct RecordingReport: Report {
  let results: [RecordingResult]
  /// The reasons why sessions could not be asked. stderr has their messages.
  private let failures: [Failure]

  /// Creates the report of one recording.
  package init(_ result: RecordingResult) { self.init([result]) }

  init(_ results: [RecordingResult], failures: [Failure] = []) {
    self.results = results
    self.failures = failures
  }

  /// The exit code of the first session that could not be asked, else the first code other than
  /// `done`.
  package var exitCode: ExitCode {
    let codes = results.map { ExitCode(rawValue: $0.exit) ?? .failed }
    return failures.first?.code ?? codes.first { $0 != .done } ?? .done
  }

  /// Formats a heading and rows for each recording, with an empty line between recordings.
  package func text(_ style: Style) -> String {
    results.map { result in
      let (heading, rows) = Self.parts(result)
      return style.heading(heading) + "\n" + definitions(rows)
    }.joined(separator: "\n")
  }

  /// The lines of the text, for stderr if stdout has another output.
  package var lines: [String] {
    results.flatMap { result in
      let (heading, rows) = Self.parts(result)
      return [heading] + rows.map { "\($0.term): \($0.meaning)" }
    }
  }

  /// The object of the first recording.
  package var json: JSONObject { results.first?.json.object ?? [:] }

  /// One line of JSON for each recording and each failure.
  package var encoded: String {
    (results.map { Self($0).encodedObject } + failures.map { FailureReport($0).encodedObject })
      .joined()
  }

  private static func parts(
    _ result: RecordingResult
  ) -> (heading: String, rows: [(term: String, meaning: String)]) {
    let heading = heading(result)
    let frames = counted(Int(result.frames.onDisk.value), "frame")
    var rows = [("Duration", "\(clock(result.duration)) (\(frames))")]
    if result.isMeasured, result.frames.onDisk > 0 { rows.append(("Peak", peak(result))) }
    let isFailedStream = result.isStream && result.reason == .disk
    let reason = isFailedStream ? "stdout could not be written" : result.reason.words
    rows += [("Gaps", gaps(result)), ("Reason", reason)]
    if result.reason == .interrupted { rows.append(("Missing", CrashCost.words)) }
    // The command `cancel` moves these files to the trash now, or has already moved them.
    if result.reason == .discarded, result.path != nil, !result.isHidden {
      let files = result.files.count > 1 ? "files" : "file"
      rows.append(("Trash", "\"recorder undo\" restores the \(files)"))
    }
    rows += result.facts.trackRows?.map { ($0.term, $0.meaning) } ?? []
    if result.marks > 0 { rows.append(("Marks", "\(result.marks)")) }
    if let leftOut = leftOut(result) { rows.append(("Left out", leftOut)) }
    if let total = result.total {
      let length = clock(total.frames.onDisk.duration(at: result.stream.rate))
      let lost = total.frames.lost - result.frames.lost
      let losses =
        lost > 0 ? "; \(lossText(lost, at: result.stream.rate)) in earlier files" : ""
      let discarded = total.frames.discarded - result.frames.discarded
      let pauses =
        discarded > 0
        ? "; \(clock(discarded.duration(at: result.stream.rate))) left out in earlier files" : ""
      let earlier = total.marks - result.marks
      let marks = earlier > 0 ? "; \(counted(earlier, "mark")) in earlier files" : ""
      rows.append(
        ("Take", "\(length) in \(counted(total.files, "file"))" + losses + pauses + marks))
    }
    if result.deletedOlder > 0 {
      rows.append(("Deleted", counted(result.deletedOlder, "older file") + " (--keep)"))
    }
    if let replaced = result.replacedText { rows.append(("Replaced", replaced)) }
    if let sidecar = result.sidecar { rows.append(("Sidecar", pathText(sidecar))) }
    if let message = result.message {
      rows.append((result.exit == 0 ? "Note" : "Problem", printable(message)))
    }
    return (heading, rows.map { (term: $0.0, meaning: $0.1) })
  }

  private static func heading(_ result: RecordingResult) -> String {
    if result.path == nil {
      let part = result.frames.onDisk > 0 ? "Sent" : "Nothing was sent"
      return result.isStream ? "\(part) to stdout" : "No file was kept"
    }
    let files = alternatives(result.files.map(pathText), "and")
    return (result.reason == .discarded ? "Cancelled " : "Saved ") + files
  }

  private static func peak(_ result: RecordingResult) -> String {
    if result.highestPeak == 0 { return "none: only silence was recorded" }
    let clipped =
      result.clipped > 0 ? ", \(counted(result.clipped, "sample")) clipped" : ""
    return level(result.highestPeak) + clipped
  }

  /// Returns the lengths of the discarded sound with the reasons, or nil if there is none.
  private static func leftOut(_ result: RecordingResult) -> String? {
    let frames = result.frames
    let parts = [
      (frames.early, "before the take began"),
      (frames.discarded - frames.early - frames.late, "in pauses"),
      (frames.late, "after the pipe was closed"),
    ].filter { $0.0 > 0 }.map { "\(clock($0.0.duration(at: result.stream.rate))) \($0.1)" }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func gaps(_ result: RecordingResult) -> String {
    guard result.frames.lost > 0 else {
      let tracks = result.tracks.filter { $0.gaps?.isEmpty == false }.map { quoted($0.name ?? "") }
      return tracks.isEmpty ? "none" : "only in \(alternatives(tracks, "and"))"
    }
    return "\(result.gaps.count), " + lossText(result.frames.lost, at: result.stream.rate)
  }
}

extension RecordingResult {
  /// The replaced files, which are in the trash, or nil if there are none.
  fileprivate var replacedText: String? {
    guard !replacedFiles.isEmpty else { return nil }
    let (files, them) = replacedFiles.count == 1 ? ("a file", "it") : ("files", "them")
    return "\(files), now at \(alternatives(replacedFiles.map(pathText), "and")); "
      + "\"recorder undo\" restores \(them) if nothing was changed since"
  }
}

/// A report without output, only with an exit code.
package struct SilentReport: Report {
  /// The exit code of the command.
  package let exitCode: ExitCode

  /// Creates a report for a command that has already written its output.
  package init(exitCode: ExitCode) { self.exitCode = exitCode }

  /// Empty.
  package func text(_ style: Style) -> String { "" }

  /// Empty, and not printed.
  package var json: JSONObject { [:] }

  /// Empty: no line of JSON is printed.
  package var encoded: String { "" }
}
