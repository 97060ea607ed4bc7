import Foundation
import Support
import Testing

@Suite("The manual", .timeLimit(.minutes(5)))
struct ManualTests {
  @Test("has no fault that mandoc finds", .requires(tool: "mandoc"))
  func clean() throws {
    let outcome = try sh("\"$recorder\" help manual | mandoc -T lint -W warning")
    #expect(outcome.output == "" && outcome.code == 0, "\(outcome)")
  }

  /// The topics that have a manual page, read from the `Makefile`.
  static let topics: [String] = {
    let makefile = try? String(
      contentsOf: DocumentPage.root.appending(path: "Makefile"), encoding: .utf8)
    let line = makefile?.split(separator: "\n").first { $0.hasPrefix("topics = ") }
    return (line ?? "").split(separator: " ").dropFirst(2).map(String.init)
  }()

  @Test(
    "of each topic has no fault that mandoc and groff know, and short lines",
    .requires(tool: "mandoc"), .requires(tool: "groff"), arguments: topics)
  func topic(name: String) throws {
    let outcome = try sh(
      """
      "$recorder" help manual \(name) | mandoc -T lint -W warning
      "$recorder" help manual \(name) | groff -man -Tutf8 -ww -rLL=80n 2>&1 > /dev/null
      """)
    #expect(outcome.output == "" && outcome.errors == "" && outcome.code == 0, "\(outcome)")
    let page = try sh("\"$recorder\" help manual \(name)").output
    #expect(page.hasPrefix(".TH RECORDER-\(name.uppercased()) 7 \"20"))
    let lines = page.split(separator: "\n").map(String.init).filter { $0.count > 80 }
    #expect(lines.allSatisfy { $0.hasPrefix(".TH") || $0.hasPrefix("\\fB") }, "\(lines)")
  }

  @Test("has no fault that groff finds", .requires(tool: "groff"))
  func printed() throws {
    let outcome = try sh("\"$recorder\" help manual | groff -man -Tutf8 -ww -rLL=80n > /dev/null")
    #expect(outcome.errors == "" && outcome.code == 0, "\(outcome)")
  }

  @Test("has short lines, a date, examples, related pages, and the values of the options")
  func whole() throws {
    let manual = try sh("\"$recorder\" help manual").output
    let lines = manual.split(separator: "\n")
    #expect(
      lines.filter { $0.count > 80 && !$0.hasPrefix(".TH") && !$0.hasPrefix("\\fB") }.count == 0)
    for section in [
      ".SH EXAMPLES\n", ".SH SEE ALSO\n.BR alsamixer (1) ,\n", ".BR recorder\\-voice (7) ,\n",
      ".SH EXIT STATUS\n",
      ".SH FILES\n", ".SH ENVIRONMENT\n", ".SH CONFIGURATION\n", ".SH REFERENCES TO TAKES\n",
    ] {
      #expect(manual.contains(section))
    }
    let words = manual.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for values in [
      "wav, flac, opus, caf, aiff or raw", "16, 24, 32 or float", "always or never", "clock",
      "restart, overlap, ignore or queue", "capture or playback", "a duration such as",
      "a size such as 500M", "a level such as", "a volume from 0.0 to 1.0",
      "a number of files such as 24", "a sample rate such as",
    ] {
      #expect(words.contains(values), "\(values)")
    }
    #expect(lines[0].contains("\"20"))
  }
}

@Suite("A topic of the help", .timeLimit(.minutes(5)))
struct TopicTests {
  @Test("fits 80 columns, and 40 columns except for code and long words", arguments: [80, 40])
  func fits(columns: Int) throws {
    for topic in ManualTests.topics {
      let outcome = try sh(
        """
        export NO_COLOR=1
        script -qec 'stty cols \(columns); "$recorder" help \(topic)' /dev/null < /dev/null
        """)
      #expect(outcome.code == 0 && outcome.output.contains("recorder "), "\(outcome)")
      let code = (try? DocumentPage("docs/\(topic).md"))?.blocks.flatMap(\.lines) ?? []
      for line in outcome.output.split(whereSeparator: \.isNewline) where line.count > columns {
        // The comment of a wide line of code is above it.
        let isCode = columns < 80 && code.contains { $0.hasPrefix(line.dropFirst(2)) }
        #expect(
          isCode || line.split(separator: " ").contains { $0.count >= columns / 2 },
          "\(topic): \(line)")
      }
    }
  }

  @Test("is a page of the documentation without its marks")
  func page() throws {
    let topics = ManualTests.topics.filter { $0 != "references" && $0 != "configuration" }
    #expect(topics.count == 10)
    for topic in topics {
      let text = try sh("\"$recorder\" help \(topic)").output
      let name = "docs/\(topic).md"
      let page = try DocumentPage(name)
      for line in page.blocks.flatMap(\.lines) where !line.isEmpty {
        #expect(text.contains("\n  \(line)\n"), "\(name)")
      }
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      for span in page.spans where !span.text.contains(" ") {
        #expect(words.contains(span.text), "\(name):\(span.line)")
      }
      for mark in ["`", "**", "](", "|---", "\\|"] {
        #expect(!words.contains(mark), "\(name): \(mark)")
      }
    }
  }

  @Test("that is not installed is listed, and its help says which directory is missing")
  func missing() throws {
    let scratch = try ScratchDirectory()
    // The nearest directory of sounds counts, so an installed one does not.
    let outcome = try sh(
      """
      mkdir -p \(scratch.path)/share/recorder; : > \(scratch.path)/share/recorder/index.json
      cp "$recorder" \(scratch.path)/recorder && cd \(scratch.path)
      ./recorder help | grep -c '^  voice$'; ./recorder help voice
      """)
    #expect(outcome.code == 10 && outcome.output == "1\n", "\(outcome)")
    #expect(
      outcome.errors == """
        recorder: the page "voice.md" is not installed
        recorder: install recorder again, with its directory share/recorder/docs

        """)
  }
}

@Suite("The loss after a crash", .timeLimit(.minutes(5)))
struct CrashCostTests {
  @Test("is described in the same words by the README and the help, and recover says which applies")
  func words() throws {
    let words = "at most 1 s if the program is killed, at most 2 s if the power fails"
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains(words))
    let studio = try Studio()
    let outcomes = try [
      "$recorder start --help", "$recorder recover --help", "$recorder help manual",
    ].map { try studio.run($0) }
    for outcome in outcomes {
      let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(outcome.code == 0 && text.contains(words), "\(outcome)")
    }
    let process = try studio.start("a.wav")
    let recovered = try studio.run(
      "captured 0.3; kill -KILL \(process); ended \(process); $recorder recover")
    #expect(recovered.output.contains("at most 1 s of audio after that\n"), "\(recovered)")
  }
}

@Suite("With --quiet", .timeLimit(.minutes(5)))
struct QuietTests {
  @Test("a grant prints the new status, and nothing else")
  func grant() throws {
    let studio = try Studio(granting: false)
    let told = try studio.run("$recorder permission grant")
    let quiet = try studio.run("$recorder permission grant -q")
    #expect(told.output.contains("To refuse it:") && !quiet.output.contains("To refuse it:"))
    #expect(quiet.output.split(separator: "\n").count == 1 && quiet.errors == "", "\(quiet)")
    for command in ["revoke -q", "reset -q", "status -q", "-q"] {
      let outcome = try studio.run("$recorder permission \(command)")
      #expect(!(outcome.output + outcome.errors).contains("To allow it:"), "\(outcome)")
    }
  }

  @Test("doctor prints problems, and no warnings")
  func doctor() throws {
    let studio = try Studio()
    let all = try studio.run("$recorder doctor")
    let quiet = try studio.run("$recorder doctor -q")
    #expect(quiet.code == all.code && !quiet.output.contains("\nwarning"))
    #expect(!quiet.output.hasPrefix("warning") && !quiet.output.contains("ok  "))
    #expect(quiet.output.contains("problem") == all.output.contains("problem"))
  }
}

@Suite("A refusal on a built-in device", .timeLimit(.minutes(5)))
struct SyntheticTests {
  @Test(
    "says how an unattended test can record it",
    arguments: ["start a.wav", "meter"], ["test:tone", "test:silence", "test:ramp"])
  func advice(command: String, device: String) throws {
    let studio = try Studio(granting: false)
    let outcome = try studio.run("$recorder \(command) -d \(device) --no-prompt")
    #expect(outcome.code == 20, "\(outcome)")
    #expect(
      outcome.errors.hasPrefix("recorder: microphone: not decided yet\nrecorder: Cannot ask: "),
      "\(outcome)")
    #expect(outcome.errors.contains("\"test:*\"") && outcome.errors.contains("grant --for 1h"))
    try studio.run("$recorder permission revoke")
    let refused = try studio.run("$recorder \(command) -d \(device)")
    // A rule that authorizes does not override the user's own refusal.
    #expect(refused.code == 21 && !refused.errors.contains("test:*"), "\(refused)")
    #expect(refused.errors.contains("permission grant"), "\(refused)")
    let real = try studio.run("$recorder \(command) -d hw:0")
    #expect(real.code == 21 && !real.errors.contains("test:"), "\(real)")
  }

  @Test("helps: a grant for some time allows the recording")
  func grants() throws {
    let studio = try Studio(granting: false)
    let outcome = try studio.run(
      """
      "$recorder" permission grant --for 1h > /dev/null
      "$recorder" start a.wav -d test:tone --duration 0.2 > /dev/null && "$recorder" wait > /dev/null
      """)
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test(
    "helps: a policy for test devices records them and nothing else",
    .requires("RECORDER_ROOT_TESTS"), .requiresRoot)
  func policyAsRoot() throws {
    let studio = try Studio(granting: false)
    let page = try String(
      contentsOfFile: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../docs/microphone-access.md"
      ).standardized.path, encoding: .utf8)
    let rule = try #require(page.components(separatedBy: "\"test:*\"").count == 2 ? page : nil)
      .components(separatedBy: "```").first { $0.contains("\"test:*\"") }
    let json = try #require(rule?.drop { $0 != "{" })
    try studio.scratch.write(String(json.prefix { $0 != "`" }), to: "ci.json")
    let outcome = try studio.run(
      """
      "$recorder" permission policy check ci.json >&2 || exit 1
      cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder"
      (umask 022; mkdir -p "$HOME/etc/recorder/policy.d"; cp ci.json "$HOME/etc/recorder/policy.d/")
      cat > script <<'END'
      mount --bind "$HOME/etc" /etc; cd "$HOME"
      "$recorder" start a.wav -d test:tone --duration 0.2 > /dev/null; echo $?
      "$recorder" wait > /dev/null; "$recorder" start b.wav -d null --no-prompt; echo $?
      END
      unshare -m sh script
      """)
    #expect(outcome.output == "0\n20\n", "\(outcome)")
  }
}
