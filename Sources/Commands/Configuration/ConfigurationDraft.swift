internal import JSON
internal import Linux

/// A copy of the user's settings for an editor. The copy takes effect only if it has no faults.
struct ConfigurationDraft {
  private let file: ConfigurationFile
  private let text: ConfigurationText

  /// Reads the file, even if its text has faults: the user corrects them in the editor.
  init(of file: ConfigurationFile) throws {
    self.file = file
    text = try file.text()
  }

  /// Runs the editor until the text has no faults or the user gives up. Returns the report of the
  /// settings.
  func edit(_ console: Console) throws -> any Report {
    let (parent, name) = text.path.pathParts
    let directory = try file.directory(parent)
    let draft = try file.writing {
      // The editor recognizes the language by this extension.
      ".\(name).\(try RandomBytes.hexadecimal(4)).json"
    }
    let before = try copy(to: draft, in: directory)
    while true {
      let after = try edited(draft, from: before, in: directory)
      guard let fault = CheckedConfiguration(after, for: file).faults.first else {
        try adopt(draft, as: text.mode == nil || after != before ? name : nil, in: directory)
        return ConfigurationReport(try Configuration.files())
      }
      console.complain(Message(fault.message.fact))
      guard Self.wantsAnotherTry() else {
        throw Failure(
          .failed, "your settings are unchanged",
          advice: "the faulty text is in \(quoted(directory.path(of: draft)))")
      }
    }
  }

  /// Writes the file's text into the draft, or an empty object if there is no file. Returns the
  /// written text.
  private func copy(to draft: String, in directory: borrowing Directory) throws -> [UInt8] {
    let bytes = text.mode == nil ? Array("{\n}\n".utf8) : text.bytes
    try file.writing {
      try AtomicFile.write(bytes.span, to: draft, in: directory, mode: text.mode ?? 0o600)
    }
    return bytes
  }

  /// Runs the editor, and returns the text of the draft after the editor has ended.
  private func edited(
    _ draft: String, from before: [UInt8], in directory: borrowing Directory
  ) throws -> [UInt8] {
    do {
      try Self.runEditor(on: directory.path(of: draft))
    } catch {
      try keep(draft, unless: before, in: directory)
      throw error
    }
    return try file.writing {
      try directory.open(draft, [.noFollow, .nonBlocking]).readAll(upTo: 1 << 16)
    }
  }

  /// Renames the draft to `name`, or removes the draft if `name` is nil. Throws if another program
  /// has changed the user's file while the editor ran; then the draft is not removed.
  private func adopt(_ draft: String, as name: String?, in directory: borrowing Directory) throws {
    guard let name else { return try file.writing { try directory.remove(draft) } }
    let lock = try file.lock(directory)
    defer { withExtendedLifetime(lock) {} }
    guard try file.text().bytes == text.bytes else {
      throw Failure(
        .failed,
        "another program changed \(quoted(file.path)) during the edit, and its change is kept",
        advice: "your text is in \(quoted(directory.path(of: draft)))")
    }
    try file.writing { try directory.rename(draft, to: name) }
  }

  /// Removes an unchanged draft. A changed draft is kept, because it has text that the user typed.
  private func keep(
    _ draft: String, unless before: [UInt8], in directory: borrowing Directory
  ) throws {
    try file.writing {
      let bytes = try directory.open(draft, [.noFollow, .nonBlocking]).readAll(upTo: 1 << 16)
      if bytes == before { try directory.remove(draft) }
    }
  }

  /// Runs the user's editor in this terminal. A shell runs it, because VISUAL or EDITOR may contain
  /// options.
  private static func runEditor(on path: String) throws {
    let names = ["VISUAL", "EDITOR"]
    let named = names.lazy.compactMap { Environment.value(of: $0) }.first { !$0.isEmpty }
    guard named != nil || Terminal.isTerminal(StandardStream.input.rawValue) else {
      throw Failure(
        .usage, "config edit needs a terminal for its editor",
        advice: "use \"recorder config set KEY VALUE\", or set VISUAL to an editor with a window")
    }
    let editor = named ?? "vi"
    // While the editor runs, Ctrl-C is meant for the editor.
    for signal in [Signal.interrupt, .quit] { signal.ignore() }
    defer { for signal in [Signal.interrupt, .quit] { signal.restoreDefault() } }
    let ending = try Failure.context("cannot run \(quoted(editor))") {
      try Spawn("/bin/sh", ["-c", editor + " \"$@\"", editor, path]).start().wait()
    }
    guard ending == .exited(0) else {
      throw Failure(
        .failed, "the editor \(quoted(editor)) failed, and your settings are unchanged",
        advice: "set VISUAL or EDITOR to an editor; text that you changed is kept in "
          + "\(quoted(path))")
    }
  }

  /// Asks on the terminal whether to edit again. Returns false without a terminal.
  private static func wantsAnotherTry() -> Bool {
    let input = StandardStream.input.rawValue
    guard Terminal.isTerminal(input), Terminal.isTerminal(StandardStream.error.rawValue) else {
      return false
    }
    try? StandardStream.error.write("Edit it again? [Y/n] ")
    let keyboard = Descriptor(owning: input)
    var line = [UInt8](repeating: 0, count: 256)
    let count = (try? keyboard.read(into: &line)) ?? 0
    _ = keyboard.release()
    let answer = String(decoding: line[..<count], as: UTF8.self).lowercased()
    return ["\n", "y\n", "yes\n"].contains(answer)
  }
}
