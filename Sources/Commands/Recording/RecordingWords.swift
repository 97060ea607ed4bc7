package import Control
internal import Linux
package import Store

extension RecordingLocation {
  /// The location of the recording in a sentence, such as `process 7`.
  package var words: String {
    switch self {
    case .process(let number): "process \(number)"
    case .program(let number): "in the program of process \(number)"
    case .host(let name): "on \(quoted(name))"
    case .unknown: "on another machine or in another container"
    }
  }

  /// Returns the advice for ending a recording that cannot be reached.
  package func remedy(_ name: String) -> String {
    switch self {
    case .process(let number) where isStopped:
      "its process is stopped; \"kill -CONT \(number)\" continues it"
    case .process(let number): "\"kill -TERM \(number)\" ends it and saves the file"
    case .program(let number): "to end it, quit the program of process \(number)"
    case .host(let host): "to end it, run \"recorder stop \(name)\" on \(quoted(host))"
    case .unknown: "to end it, run \"recorder stop \(name)\" on its machine or in its container"
    }
  }

  /// Returns the command that ends the recording, for a row with a label.
  package func command(_ name: String) -> String {
    switch self {
    case .process(let number) where isStopped: "kill -CONT \(number); \(stopCommand(name))"
    case .process(let number): "kill -TERM \(number)"
    case .program(let number): "end the program of process \(number)"
    case .host(let host): "recorder stop \(name), on \(printable(host))"
    case .unknown: "recorder stop \(name), where it was started"
    }
  }
}

/// Returns the command that stops a recording. The usual name is left out, because it is the
/// default.
package func stopCommand(_ name: String) -> String { "recorder stop" + argument(of: name) }

/// Returns the name of a recording as an argument, with a space before it; empty for the usual
/// name.
func argument(of name: String) -> String {
  name == SessionName.usual.text ? "" : " \(printable(name))"
}

extension TakenName {
  /// Returns the refusal to record to a path that is in use.
  package func failure(_ path: String) -> Failure {
    Failure(.outputRefused, "cannot record to", on: path, why: words, advice: advice)
  }

  private var words: String {
    switch self {
    case .file: "the file exists"
    case .directory: "it is a directory"
    case .symbolicLink: "it is a symbolic link"
    case .other: "it is not a file"
    }
  }

  private var advice: String {
    "choose another name" + (self == .file ? ", or --force to replace it" : "")
  }
}

extension MarkText {
  /// Returns the text of a mark, or another text with the same limits. Throws if it has several
  /// lines or is too long.
  ///
  /// - Parameter owner: the text's name in messages.
  package static func checked(
    _ text: String, of owner: String = "the text of a mark"
  ) throws -> String {
    try mapError({ Failure($0, of: owner) }, MarkText(text).text)
  }
}

extension Failure {
  /// Creates the failure for an invalid text of a mark, or for the text that `owner` names.
  package init(_ flaw: MarkTextFlaw, of owner: String = "the text of a mark") {
    switch flaw {
    case .severalLines:
      self.init(.usage, "\(owner) must be one line", advice: "remove the line breaks")
    case .tooLong(let bytes):
      self.init(
        .usage, "\(owner) is limited to \(MarkText.longest) bytes, and this one has \(bytes)")
    }
  }
}

/// The missing directory of a take. It is created, with missing directories above it. The user is
/// notified, because the path may be mistyped.
package struct MissingDirectory: Sendable {
  /// The innermost missing directory, which contains the file.
  let path: String

  /// Finds the directory of a file. Returns nil if the directory exists.
  package init?(above file: String?) {
    guard let parent = file?.directoriesAbove.first, (try? FileStatus(of: parent)) == nil else {
      return nil
    }
    path = parent
  }

  /// Prints a note if the directory now exists.
  package func report(to console: Console) {
    guard (try? FileStatus(of: path)) != nil else { return }
    console.note("created the directory \(quoted(path))")
  }
}

extension SessionRecord {
  /// The advice for the parts of a take whose session died.
  var remedy: [String] {
    guard let part else { return ["it had no file"] }
    let parts = left.map { quoted($0) }
    if parts.isEmpty { return ["its file \(quoted(part)) is missing", Self.search] }
    return [
      "its audio is in \(parts.joined(separator: " and "))",
      "\"recorder recover\" repairs it",
    ]
  }

  /// The advice of `remedy` as a clause.
  var rescue: String {
    guard let part, !isLeft else { return "\"recorder recover\" saves it" }
    return "its file \(quoted(part)) is missing; " + Self.search
  }

  private static var search: String {
    "if it was moved, \"recorder recover PATH\" saves it from there"
  }
}
