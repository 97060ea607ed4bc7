import Commands
import Foundation
import FoundationXML
import Support
import Testing

@Suite("Commands in the documentation", .timeLimit(.minutes(5)))
struct DocumentationTests {
  /// Placeholders in the documentation, each with a value that the parser accepts.
  private static let placeholders = [
    "KEY": "format", "SHELL": "bash", "TIME": "1:30", "V": "0.5", "D": "2s", "COMMAND": "start",
    "VOLUME": "0.5", "DIRECTION": "capture", "SERVICE": "microphone",
  ]

  /// Texts that contain `recorder` and need not be command lines of this program.
  private static let mentions: [(page: String, text: String, reason: String)] = [
    ("docs/design/README.md", "recorder complete -- WORDS", "shells type it, and no page lists it")
  ]

  /// Returns why the parser refuses a command line, or nil if it accepts it.
  ///
  /// - Parameter isName: whether the text may only name a command, without the arguments that it
  ///   needs, as sentences do.
  private func refusal(_ words: [String], isName: Bool = false) -> String? {
    let words = words.compactMap { word -> String? in
      let bare = word.trimmingCharacters(in: .init(charactersIn: "[]…"))
      return bare.isEmpty ? nil : Self.placeholders[bare] ?? bare
    }
    do {
      _ = try Parser.parse(words, by: .standard)
      return nil
    } catch .missingOperand, .unfinishedCommand, .noCommand, .missingValue {
      return isName ? nil : "\(words) is not finished"
    } catch {
      return "\(error)"
    }
  }

  @Test("in blocks are accepted by the parser", arguments: DocumentPage.all.map(\.name))
  func blocks(name: String) throws {
    let page = try DocumentPage(name)
    for block in page.blocks where block.isShell {
      for command in block.commands {
        guard let arguments = command.arguments else { continue }
        if Self.mentions.contains(where: { command.words.joined(separator: " ") == $0.text }) {
          continue
        }
        #expect(refusal(arguments) == nil, "\(name):\(command.line)")
      }
    }
  }

  @Test("in sentences are accepted by the parser", arguments: DocumentPage.all.map(\.name))
  func spans(name: String) throws {
    for span in try DocumentPage(name).spans {
      for words in ShellLine.commands(span.text) {
        guard let place = words.firstIndex(of: "recorder"), words.count > place + 1 else {
          continue
        }
        if Self.mentions.contains(where: { words.joined(separator: " ") == $0.text }) { continue }
        let arguments = Array(words[(place + 1)...])
        #expect(refusal(arguments, isName: true) == nil, "\(name):\(span.line): \(span.text)")
      }
    }
  }

  @Test("that need not be command lines still exist", arguments: mentions.indices)
  func mentioned(number: Int) throws {
    let mention = Self.mentions[number]
    let page = try DocumentPage(mention.page)
    let blocks = page.blocks.flatMap(\.commands).map(\.words)
    let all = blocks + page.spans.flatMap { ShellLine.commands($0.text) }
    #expect(all.contains { $0.joined(separator: " ") == mention.text }, "\(mention)")
  }

  /// Options of other programs that sentences mention.
  private static let foreign: [(option: String, reason: String)] = [
    ("--symbol-ordering-file", "of the linker"), ("--init", "of docker and podman"),
    ("--as-pid2", "of systemd-nspawn"), ("--socket", "of flatpak"), ("--filesystem", "of flatpak"),
  ]

  @Test("name only options that exist", arguments: DocumentPage.all.map(\.name))
  func options(name: String) throws {
    // Pages for developers name options of many other programs.
    guard !name.hasPrefix("docs/design/"), !Self.forDevelopers.contains(name) else { return }
    let known = Set(
      CommandTable.standard.commands.flatMap { command in
        command.options.flatMap(\.options).map { "--" + $0.name }
      } + ["--json", "--quiet", "--help", "--version"] + Self.foreign.map(\.option))
    for span in try DocumentPage(name).spans where span.text.hasPrefix("--") {
      let option = span.text.prefix { !" =[".contains($0) }
      #expect(known.contains(String(option)), "\(name):\(span.line): \(span.text)")
    }
  }

  private static let forDevelopers = [
    "docs/testing-vm.md", "docs/swift-on-linux.md", "docs/architecture.md",
  ]

  @Test("for make have a target", arguments: DocumentPage.all.map(\.name))
  func targets(name: String) throws {
    let makefile = try String(
      contentsOf: DocumentPage.root.appending(path: "Makefile"), encoding: .utf8)
    let targets = Set(
      makefile.split(separator: "\n").compactMap { line in
        line.first?.isLetter == true ? line.split(separator: ":").first.map(String.init) : nil
      })
    let page = try DocumentPage(name)
    let inBlocks = page.blocks.filter(\.isShell).flatMap(\.commands).map { ($0.line, $0.words) }
    let inSpans = page.spans.flatMap { span in
      ShellLine.commands(span.text).map { (span.line, $0) }
    }
    for (line, words) in inBlocks + inSpans where words.first == "make" && words.count > 1 {
      let target = words.dropFirst().first { !$0.contains("=") } ?? "all"
      #expect(targets.contains(target), "\(name):\(line): make \(target)")
    }
  }

  @Test("in example units and hooks are accepted by the parser")
  func examples() throws {
    let directory = DocumentPage.root.appending(path: "docs/examples")
    // Ansible fills in the templates, and files with other extensions contain no commands.
    let files = (FileManager.default.subpaths(atPath: directory.path) ?? []).filter {
      ["service", "timer", ""].contains(URL(filePath: $0).pathExtension)
        && !$0.contains("/templates/") && !Self.isDirectory(directory.appending(path: $0))
    }
    var count = 0
    for file in files {
      let text = try String(contentsOf: directory.appending(path: file), encoding: .utf8)
      for (place, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      where Self.isTyped(line) {
        let shell = line.split(separator: "'").first { $0.hasPrefix("recorder ") }
        let typed = shell ?? line.range(of: "recorder ").map { line[$0.lowerBound...] }
        let quoted = typed?.prefix { $0 != "\"" }.drop { $0 == "#" }
        for words in ShellLine.commands(String(quoted ?? "")) where words.first == "recorder" {
          count += 1
          #expect(refusal(Array(words.dropFirst())) == nil, "\(file):\(place + 1): \(words)")
        }
      }
    }
    #expect(count >= 4)
  }

  /// Returns whether a line of an example has a command: in a unit, or after a comment sign.
  private static func isTyped(_ line: Substring) -> Bool {
    guard line.contains("recorder "), !line.hasPrefix("Description=") else { return false }
    // Command lines of a script contain its variables, so they are not checked.
    guard line.hasPrefix("#") else { return !line.hasPrefix("recorder ") }
    return line.contains("\"recorder ")
      || line.drop { $0 == "#" || $0 == " " }.hasPrefix("recorder ")
  }

  private static func isDirectory(_ file: URL) -> Bool {
    var isDirectory: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory)
    return isDirectory.boolValue
  }

  @Test("in the help and the manual are accepted by the parser")
  func help() throws {
    var count = 0
    let topics =
      CommandTable.standard.commands.map(\.name) + ["", "exit-codes", "manual"]
      + ManualTests.topics.flatMap { [$0, "manual " + $0] }
    let script = topics.map { "\"$recorder\" help \($0)\n" }.joined()
    let outcome = try sh("set -e\n" + script, limit: .seconds(120))
    #expect(outcome.code == 0, "\(outcome.errors)")
    // A manual page may break a line between any two words.
    let plain = outcome.output.replacingOccurrences(of: "\\-", with: "-")
      .replacing(/(?m)^\.TH .*$/, with: "")
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for piece in plain.components(separatedBy: "\"recorder ").dropFirst() {
      count += 1
      let typed = String(piece.prefix { $0 != "\"" })
      let words = ShellLine.commands("recorder " + typed).first?.dropFirst() ?? []
      #expect(refusal(Array(words), isName: true) == nil)
    }
    #expect(count > 50)
  }

  @Test("in the advice of errors are accepted by the parser")
  func advice() throws {
    let sources = DocumentPage.root.appending(path: "Sources")
    let files = (FileManager.default.subpaths(atPath: sources.path) ?? []).filter {
      $0.hasSuffix(".swift")
    }
    var count = 0
    for file in files {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      for (place, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        for piece in line.components(separatedBy: "\\\"recorder ").dropFirst() {
          guard let end = piece.range(of: "\\\""), !piece[..<end.lowerBound].contains("\\(") else {
            continue
          }
          count += 1
          let typed = String(piece[..<end.lowerBound])
          let words = ShellLine.commands("recorder " + typed).first?.dropFirst() ?? []
          #expect(refusal(Array(words), isName: true) == nil, "\(file):\(place + 1): \(typed)")
        }
      }
    }
    #expect(count > 50)
  }

  @Test(
    "and links lead to existing files and headings", arguments: DocumentPage.all.map(\.name))
  func links(name: String) throws {
    let text = try String(contentsOf: DocumentPage.root.appending(path: name), encoding: .utf8)
    let directory = DocumentPage.root.appending(path: name).deletingLastPathComponent()
    for match in text.matches(of: /\]\(([^)#\s]*)(?:#([^)\s]+))?\)/) {
      let (path, heading) = (String(match.1), match.2.map(String.init))
      guard !path.contains(":") else { continue }
      let file =
        path.isEmpty ? DocumentPage.root.appending(path: name) : directory.appending(path: path)
      #expect(FileManager.default.fileExists(atPath: file.path), "\(name): \(path)")
      guard let heading else { continue }
      let page = try String(contentsOf: file, encoding: .utf8)
      let headings = page.split(separator: "\n").filter { $0.hasPrefix("#") }.map(Self.anchor)
      #expect(headings.contains(heading), "\(name): \(path)#\(heading)")
    }
  }

  /// Returns the anchor that links to a heading use.
  private static func anchor(_ heading: Substring) -> String {
    String(
      heading.drop { $0 == "#" || $0 == " " }.lowercased().compactMap { character in
        character == " "
          ? "-"
          : character.isLetter || character.isNumber || "-_".contains(character)
            ? character : nil
      })
  }
}

@Suite("The picture of a terminal", .timeLimit(.minutes(5)))
struct TerminalPictureTests {
  @Test(
    "is made by its script, shows the commands of the committed one, and those are taken",
    .requires(tool: "tmux"), .requires(tool: "python3"))
  func made() throws {
    let scratch = try ScratchDirectory()
    let script = DocumentPage.root.appending(path: "scripts/make-terminal-picture").path
    let outcome = try Tool.run(
      script, [try Products.directory, scratch.path], limit: .seconds(150))
    try #require(outcome.code == 0, "\(outcome.errorText)")
    for theme in ["dark", "light"] {
      let made = try commands(scratch.path("terminal-\(theme).svg"))
      let committed = try commands(
        DocumentPage.root.appending(path: "docs/pictures/terminal-\(theme).svg").path)
      #expect(made == committed && made.count == 5, "\(made)")
      for words in made {
        _ = try Parser.parse(Array(words.dropFirst()), by: .standard)
      }
    }
  }

  /// Returns the commands after the prompts of a picture.
  private func commands(_ path: String) throws -> [[String]] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    // A browser shows only well-formed XML.
    #expect(XMLParser(data: Data(text.utf8)).parse())
    return text.matches(of: />\$ ([^<]+)</).flatMap { match in
      ShellLine.commands(String(match.1).replacing("&amp;", with: "&"))
    }
  }
}
