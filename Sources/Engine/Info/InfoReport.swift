internal import CommandLine
internal import JSON

/// What several sound files hold, and which could not be read.
struct InfoReport: Report {
  /// A file, or why it could not be read.
  enum Entry: Equatable {
    case file(SoundFileReport)
    case unreadable(path: String, Failure)
  }

  let entries: [Entry]

  var exitCode: ExitCode { failures.first?.code ?? .done }

  /// Only the files that could be read; the others were told on stderr.
  func text(_ style: Style) -> String {
    let files = entries.compactMap { entry in
      if case .file(let file) = entry { file.text(style) } else { nil }
    }
    return files.joined(separator: "\n")
  }

  var json: JSONObject { ["files": .array(entries.map(json))] }

  private var failures: [Failure] {
    entries.compactMap { entry in
      if case .unreadable(_, let failure) = entry { failure } else { nil }
    }
  }

  private func json(_ entry: Entry) -> JSONValue {
    switch entry {
    case .file(let file): file.json
    case .unreadable(let path, let failure):
      [
        "path": .string(path), "error": .string(failure.message.fact),
        "exitCode": failure.code.rawValue.json,
      ]
    }
  }
}
