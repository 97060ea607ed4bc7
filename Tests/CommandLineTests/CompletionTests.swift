import Support
import Testing

@testable import CommandLine

@Suite("What shells complete")
struct CompletionTests {
  private func script(_ shell: CompletedShell) -> String {
    CompletionScript(shell: shell, table: .standard).text(.plain)
  }

  private func run(_ shell: String, _ script: String) throws -> Tool.Outcome {
    let scratch = try ScratchDirectory()
    // Shells that begin at once would make their directories in the way of each other.
    let home = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].map { ($0, scratch.path) }
    return try Tool.run(
      shell, [try scratch.write(script, to: "script")],
      environment: Dictionary(uniqueKeysWithValues: home))
  }

  @Test(
    "Bash offers commands, options, their values and files",
    arguments: [
      (["sta"], "start status"), (["permission", "gr"], "grant"),
      (["start", "--form"], "--format"), (["start", "--format", ""], "wav flac opus raw"),
      (["start", "-f", "f"], "flac"), (["permission", "grant", "--o"], "--once"),
      (["start", "--duration", "x"], ""), (["info", "scr"], "script"),
    ])
  func bash(words: [String], offered: String) throws {
    let line = (["recorder"] + words).map { "'\($0)'" }.joined(separator: " ")
    let outcome = try run(
      "bash",
      script(.bash) + """
        cd "$HOME" || exit; COMP_WORDS=(\(line)); COMP_CWORD=\(words.count); _recorder
        echo "${COMPREPLY[*]}"

        """)
    #expect(outcome.outputText == offered + "\n" && outcome.errorText == "")
  }

  @Test("Its script is clean", .requires(tool: "shellcheck"))
  func shellcheck() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write(script(.bash), to: "recorder.bash")
    let outcome = try Tool.run("shellcheck", ["--shell=bash", path])
    #expect(outcome.code == 0, "\(outcome.outputText)")
  }

  @Test(
    "Fish offers the same", .requires(tool: "fish"),
    arguments: [
      ("recorder sta", "start status"), ("recorder permission gr", "grant"),
      ("recorder start --format ", "flac opus raw wav"),
      ("recorder start --tol", "--tolerate-gaps"),
    ])
  func fish(line: String, offered: String) throws {
    let outcome = try run(
      "fish", script(.fish) + "complete --do-complete '\(line)' | string replace -r '\\t.*' ''\n")
    let words = outcome.outputText.split(separator: "\n").sorted().joined(separator: " ")
    #expect(words == offered && outcome.errorText == "", "\(outcome.errorText)")
  }

  @Test("Zsh can read its own", .requires(tool: "zsh"))
  func zsh() throws {
    let lines = script(.zsh).split(separator: "\n", omittingEmptySubsequences: false)
    let body = lines.dropLast(2).joined(separator: "\n")
    let outcome = try run(
      "zsh",
      """
      _describe() { print -r -- "describe ${(P)2[1]}" }
      _arguments() { print -r -- "arguments $# $words" }
      \(body)
      words=(recorder ''); CURRENT=2; _recorder
      words=(recorder permission ''); CURRENT=3; _recorder
      words=(recorder permission grant --once ''); CURRENT=5; _recorder
      """)
    let found = outcome.outputText.split(separator: "\n")
    #expect(found.first == "describe start:Start a recording", "\(outcome.errorText)")
    #expect(found.count == 3 && found[1].hasPrefix("describe ") && found[2].hasPrefix("arguments "))
  }

  @Test("The manual has every command and option, and no line that a macro misreads")
  func manual() throws {
    let page = ManualPage(table: .standard).text(.plain)
    for command in CommandTable.standard.commands {
      #expect(page.contains(".SS \"recorder \(command.name.replacing("-", with: "\\-"))"))
    }
    #expect(page.contains("\\-\\-tolerate\\-gaps"))
    let macros: Set = [".TH", ".SH", ".SS", ".BR", ".PP", ".TP", ".br", ".B", ".I"]
    for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(macros.contains(String(line.prefix { $0 != " " })), "\(line)")
    }
  }

  @Test("The reader of manuals finds no fault", .requires(tool: "groff"))
  func groff() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write(
      ManualPage(table: .standard).text(.plain), to: "recorder.1")
    let outcome = try Tool.run("groff", ["-man", "-Tutf8", "-ww", "-z", path])
    #expect(outcome.code == 0 && outcome.errorText == "", "\(outcome.errorText)")
  }
}
