internal import Audio
package import Control
package import JSON

/// What became of recordings.
package struct RecordingReport: Report {
  let results: [RecordingResult]
  /// Whether there may be more than one.
  let isList: Bool

  /// Of one recording.
  package init(_ result: RecordingResult) { self.init([result], isList: false) }

  /// The code of the first that could not be asked, where one could not.
  private let failure: ExitCode?

  init(_ results: [RecordingResult], isList: Bool, failure: ExitCode? = nil) {
    self.results = results
    self.isList = isList
    self.failure = failure
  }

  package var exitCode: ExitCode {
    let codes = results.map { ExitCode(rawValue: $0.exit) ?? .failed }
    return failure ?? codes.first { $0 != .done } ?? .done
  }

  package func text(_ style: Style) -> String {
    results.map { result in
      let (heading, rows) = Self.parts(result)
      return style.heading(heading) + "\n" + definitions(rows)
    }.joined(separator: "\n")
  }

  /// The same line by line, to be told beside another output.
  package var lines: [String] {
    results.flatMap { result in
      let (heading, rows) = Self.parts(result)
      return [heading] + rows.map { "\($0.term): \($0.meaning)" }
    }
  }

  package var json: JSONObject {
    guard !isList else { return ["recordings": .array(results.map(\.json))] }
    return results.first?.json.object ?? [:]
  }

  private static func parts(
    _ result: RecordingResult
  ) -> (heading: String, rows: [(term: String, meaning: String)]) {
    let heading = result.path.map { "Saved \(printable($0))" } ?? unsaved(result)
    var rows = [
      ("Duration", "\(clock(result.duration)) (\(result.frames.onDisk.value) frames)"),
      ("Peak", level(result.highestPeak)),
      ("Gaps", gaps(result)),
      ("Reason", result.reason.rawValue),
    ]
    if result.clipped > 0 { rows[1].1 += ", \(counted(result.clipped, "sample")) clipped" }
    if let total = result.total {
      let length = clock(total.frames.onDisk.duration(at: result.stream.rate))
      rows.append(("Take", "\(length) in \(counted(total.files, "file"))"))
    }
    if let sidecar = result.sidecar { rows.append(("Sidecar", printable(sidecar))) }
    if let message = result.message { rows.append(("Problem", printable(message))) }
    return (heading, rows.map { (term: $0.0, meaning: $0.1) })
  }

  /// A take without a file went to stdout, or holds nothing.
  private static func unsaved(_ result: RecordingResult) -> String {
    result.isStream ? "Sent to stdout" : "No file was kept"
  }

  private static func gaps(_ result: RecordingResult) -> String {
    guard result.frames.lost > 0 else { return "none" }
    return "\(result.gaps.count), \(result.frames.lost.value) frames lost"
  }
}

extension RecordingResult {
  /// The place of its audio, in words: the quoted file, `stdout` or `no file`.
  package var place: String { path.map(quoted) ?? (isStream ? "stdout" : "no file") }
}

/// Nothing to print but an exit code.
package struct SilentReport: Report {
  package let exitCode: ExitCode

  package init(exitCode: ExitCode) { self.exitCode = exitCode }

  package func text(_ style: Style) -> String { "" }

  package var json: JSONObject { [:] }

  package var encoded: String { "" }
}
