internal import CommandLine
internal import JSON

/// The contents of several sound files, with the reasons for those that could not be read.
struct InfoReport: Report {
  /// A readable file, or the reason why it could not be read.
  enum Entry: Equatable {
    case file(path: String, SoundDescription)
    case unreadable(path: String, Failure)
  }

  let entries: [Entry]

  var exitCode: ExitCode { failures.first?.code ?? .done }

  /// The files that could be read; the others were reported on stderr.
  func text(_ style: Style) -> String {
    let files = entries.compactMap { entry in
      if case .file(let path, let file) = entry {
        style.heading(printable(path)) + "\n" + definitions(file.rows)
      } else {
        nil
      }
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
    case .file(let path, let file):
      var object: JSONObject = ["path": path.json]
      for member in file.members.members { object[member.key] = member.value }
      object["levels"] = file.levels
      return .object(object)
    case .unreadable(let path, let failure):
      return [
        "path": .string(path), "error": .string(failure.message.fact),
        "exitCode": failure.code.rawValue.json,
      ]
    }
  }
}
