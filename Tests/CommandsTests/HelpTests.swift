import Foundation
import Testing

@testable import Commands

@Suite("Help")
struct HelpTests {
  private static let tables = [CommandTable.standard, SampleTable.table]
  private static let commands = tables.flatMap(\.commands)
  private static let topics = HelpCommand.names.compactMap(HelpTopic.named)

  @Test("Every page fits 80 columns, and no line ends with a space")
  func pagesFit() {
    let pages: [any Report] =
      Self.commands.map(CommandPage.init) + Self.tables.map { OverviewPage(table: $0) }
      + Self.topics + [ExitCodePage(), OverviewPage(table: SampleTable.table, family: ["sound"])]
    for page in pages {
      let lines = page.text(.plain).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.allSatisfy { $0.count <= 80 && $0.last != " " }, "\(lines)")
      #expect(lines.last == "")
    }
  }

  @Test("The page of a command has every option and operand with its arguments")
  func everyOption() {
    for command in Self.commands {
      let page = CommandPage(command: command).text(.plain)
      for option in command.allOptions {
        #expect(page.contains(option.synopsis))
      }
      for operand in command.operands {
        #expect(page.contains(operand.synopsis))
      }
    }
  }

  @Test("No option occurs twice, and a command that begins others takes no operands")
  func unambiguous() {
    for command in Self.commands {
      let options = command.allOptions
      #expect(Set(options.map(\.name)).count == options.count)
      #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
      #expect(options.allSatisfy { $0.short?.isNumber != true })
    }
    for table in Self.tables {
      #expect(
        table.commands.allSatisfy {
          table.family(of: $0.words).commands.count == 1 || $0.operands.isEmpty
        })
    }
  }

  @Test("Every command has examples, and all summaries have the same form")
  func wording() {
    for command in Self.commands {
      #expect(!command.examples.isEmpty)
      #expect(command.examples.allSatisfy { $0.line.contains("recorder \(command.name)") })
      let summaries = command.allOptions.map(\.summary) + command.operands.map(\.summary)
      for summary in summaries + [command.summary] {
        #expect(summary.first?.isUppercase == true && summary.last != ".", "\(summary)")
      }
    }
  }

  @Test("The parser accepts every example")
  func examplesParse() throws {
    for command in CommandTable.standard.commands {
      for example in command.examples {
        // Another program may precede `recorder` on the line, or follow it.
        let typed = example.line.split(separator: " ").drop { $0 != "recorder" }
          .prefix { $0 != "|" && $0 != ">" }
        let words = typed.dropFirst().map(String.init)
        let request = try Parser.parse(words, by: .standard)
        guard case .run(let parsed) = request.action else {
          Issue.record("\(example.line) runs nothing")
          continue
        }
        #expect(parsed.name == command.name)
      }
    }
  }

  @Test(
    "The help lists the exit code of an interruption only for commands that can exit with it",
    arguments: [("export", true), ("info", true), ("guard run", false)])
  func interruption(name: String, isListed: Bool) throws {
    let command = try #require(CommandTable.standard.commands.first { $0.name == name })
    #expect(command.ends.contains(.interrupted) == isListed)
  }

  @Test("The list of exit codes matches the documentation")
  func exitCodes() {
    let documented: [Int32] = [
      0, 1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 64, 130,
    ]
    #expect(ExitCode.allCases.map(\.rawValue) == documented)
    let narrow = exitCodeRows(ExitCode.allCases, width: 40).split(separator: "\n")
    #expect(narrow.allSatisfy { $0.count <= 40 } && narrow.count > documented.count)
    let page = ExitCodePage().text(.plain)
    #expect(ExitCode.allCases.allSatisfy { page.contains("\($0.rawValue)  \($0.meaning)\n") })
  }

  @Test("Every topic is listed in the help, and has a page and a section of the manual")
  func topics() throws {
    let help = CommandPage(command: HelpCommand.describe(HelpCommand.words)).text(.plain)
    let manual = ManualPage(table: .standard).text(.plain)
    for topic in HelpCommand.topics {
      #expect(help.contains(topic.text) && !topic.meaning.isEmpty)
      #expect(try !HelpCommand.report(on: [topic.text], .standard).text(.plain).isEmpty)
      #expect(CommandTable.standard.command([topic.text]) == nil, "a command has the name")
    }
    #expect(Self.topics.map(\.name) == HelpTopic.sections.map(\.name) + HelpTopic.guides)
    for entries in Self.topics.map({ $0.blocks.flatMap(\.entries) }) {
      #expect(!entries.isEmpty && entries.allSatisfy { !$0.meaning.hasSuffix(".") })
    }
    for topic in HelpTopic.sections {
      #expect(manual.contains(".SH \(topic.title.uppercased())\n"))
    }
  }

  @Test("The parser accepts the examples of a topic's manual page, and make installs the page")
  func pages() throws {
    for topic in try HelpTopic.pages.map({ try #require(HelpTopic.named($0)) }) {
      // The commands in the pages of the documentation are parsed by tests of the documentation.
      #expect(topic.examples.isEmpty == HelpTopic.guides.contains(topic.name), "\(topic.name)")
      for line in topic.examples.map(\.line) where line.hasPrefix("recorder ") {
        _ = try Parser.parse(line.split(separator: " ").dropFirst().map(String.init), by: .standard)
      }
      #expect(topic.examples.allSatisfy { $0.meaning.last != "." })
      let page = try HelpCommand.report(on: ["manual", topic.name], .standard).text(.plain)
      let examples = topic.examples.isEmpty ? ".EX\n\\fB" : ".SH EXAMPLES\n"
      for part in [".SH NAME\n", ".SH DESCRIPTION\n", examples, ".SH SEE ALSO\n"] {
        #expect(page.contains(part), "\(topic.name)")
      }
    }
    // Topics without a page of their own are sections of the manual.
    #expect(
      Set(Self.topics.map(\.name)) == Set(HelpTopic.sections.map(\.name) + HelpTopic.pages))
    let makefile = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Makefile"), encoding: .utf8)
    let names = HelpTopic.pages.joined(separator: " ")
    #expect(makefile.contains("\ntopics = \(names)\n"))
    #expect(throws: Failure.self) { try HelpCommand.report(on: ["manual", "files"], .standard) }
  }

  @Test("A page of the documentation is shown without marks, and code is not wrapped")
  func markdown() {
    let page = """
      # Title

      <!-- a comment -->
      A [link](file.md#part), `recorder help`, `--json` and **strong
      words** in [NAME].

      ![a picture](file.png)
      and a sentence about it.

      - `one`
        line
      2. two

      ```sh
      # \(String(repeating: "wide ", count: 20))

      | bar
      ```

      ### Part

      | term | `a b` | meaning |
      |---|:--|---|
      | `x y` | `1 \\| 2` | \(String(repeating: "long ", count: 20)) |
      | `z` | | |
      """
    #expect(
      PageBlock.text(of: PageBlock.all(in: page), .plain) == """
        Title

        A link, "recorder help", --json and strong words in [NAME].

          - one line
          2. two

          # \(String(repeating: "wide ", count: 20))

          | bar

        Part
          term  "a b"    meaning
          x y   "1 | 2"  \(String(repeating: "long ", count: 11))long
                         \(String(repeating: "long ", count: 7))long
          z

        """)
    #expect(PageBlock.all(in: page).flatMap(\.entries).map(\.meaning).last == "")
  }

  @Test("The topics about the environment and the files name all directories that recorder uses")
  func directories() throws {
    let environment = try HelpCommand.report(on: ["environment"], .standard).text(.plain)
    for name in [
      "CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "RUNTIME_DIR", "DATA_DIRS",
    ] {
      #expect(environment.contains("XDG_\(name)"), "\(environment)")
    }
    let files = try HelpCommand.report(on: ["files"], .standard).text(.plain)
    for name in [
      "permissions.json", "audit.jsonl", "sessions", "deliveries", "player.log", "sounds.json",
      "sound-lengths.json", "Trash", "policy.d",
    ] {
      #expect(files.contains(name), "\(files)")
    }
  }

  @Test("A page of the documentation names other pages by their commands or paths")
  func links() {
    let page = """
      See [json.md](json.md#part), ([fleet.md](fleet.md)), [design/guard.md](design/guard.md),
      [json.schema.json](json.schema.json) and [other words](json.md).
      """
    #expect(
      PageBlock.all(in: page).compactMap(\.prose) == [
        "See \"recorder help json\", (share/recorder/docs/fleet.md), docs/design/guard.md in the "
          + "source code, docs/json.schema.json in the source code and other words."
      ])
    for topic in Self.topics {
      let words = topic.text(.plain).split { $0.isWhitespace || $0 == "(" }
      for guide in HelpTopic.guides {
        #expect(!words.contains { $0.hasPrefix("\(guide).md") }, "\(topic.name)")
      }
    }
  }

  @Test("The comments of code are above it if a line is too wide")
  func comments() {
    let lines = [
      "recorder start talk.wav", "recorder tap | aplay    # listen to the recording",
      "recorder stop           # end", "", "recorder tap \\", "  -f wav  # more", "  # deeper",
    ]
    #expect(PageBlock.fitted(lines, width: 60) == lines)
    #expect(
      PageBlock.fitted(lines, width: 24) == [
        "recorder start talk.wav", "# listen to the", "# recording", "recorder tap | aplay",
        "# end", "recorder stop", "", "# more", "recorder tap \\", "  -f wav", "  # deeper",
      ])
  }

  @Test("An emphasized name is quoted, and an emphasized sentence is not")
  func emphasis() {
    let page = """
      **takes** (`takes`) has a list of **take**.

      - **Order.** **Two words**, **`a` b**
      """
    #expect(
      PageBlock.all(in: page).compactMap(\.prose) == [
        "\"takes\" (takes) has a list of \"take\".", "Order. Two words, a b",
      ])
  }

  @Test("A table that is too wide for columns has the names of the columns in its rows")
  func wideTable() {
    let name = String(repeating: "n", count: 40)
    let page = "| term | \(name) | last |\n|---|---|---|\n| `x` | \(name) | z |\n| `y` | | z |\n"
    let blocks = PageBlock.all(in: page)
    #expect(blocks.flatMap(\.entries).map(\.meaning) == ["\(name): \(name); last: z", "last: z"])
    #expect(PageBlock.text(of: blocks, .plain).hasPrefix("  x  \(name):\n"))
  }

  @Test("The page of a command lists its exit codes")
  func ends() {
    #expect(
      CommandPage(command: SampleStart.command).exitCodes == [.done, .failed, .device, .usage])
  }

  @Test("The help for a family lists its commands")
  func family() throws {
    let page = try HelpCommand.report(on: ["sound"], SampleTable.table).text(.plain)
    #expect(page.contains("sound volume") && page.contains("sound list"))
    #expect(!page.contains("start"))
  }

  @Test("The list of a family names its guide, and the guide of sounds names the list")
  func guidesOfFamilies() throws {
    for (family, guide) in HelpTopic.guidesOfFamilies {
      let page = try HelpCommand.report(on: [family], .standard).text(.plain)
      #expect(page.contains("\"recorder help \(guide)\""), "\(page)")
      #expect(HelpTopic.guides.contains(guide))
    }
    let guide = try HelpCommand.report(on: ["sounds"], .standard).text(.plain)
    #expect(guide.contains("\"recorder help sound\""), "\(guide)")
  }

  @Test("The help for an unknown subject suggests the nearest name")
  func unknownSubject() {
    let expected = Failure(
      .usage, UsageError.unknownCommand("strat", nearest: ["start"]).message)
    #expect(throws: expected) { try HelpCommand.report(on: ["strat"], SampleTable.table) }
    #expect(throws: Failure.self) { try HelpCommand.report(on: ["refrence"], .standard) }
    do {
      _ = try HelpCommand.report(on: ["reference"], .standard)
    } catch {
      #expect(error.message.fact.contains("did you mean \"references\""), "\(error)")
    }
  }

  @Test("The overview and the list of topics name every topic")
  func topicList() throws {
    for words in [[], ["topics"]] {
      let page = try HelpCommand.report(on: words, .standard).text(.plain)
      #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 })
      for topic in HelpCommand.topics {
        #expect(
          page.contains("\n  \(topic.text) ") && page.contains(topic.meaning), "\(topic.text)")
      }
    }
  }

  @Test("An option that names a track takes a NAME")
  func trackNames() throws {
    for line in ["export track", "export remove", "play track", "tap track", "start require"] {
      let words = line.split(separator: " ").map(String.init)
      let command = try #require(CommandTable.standard.command([words[0]]))
      let option = command.allOptions.first { $0.name == words[1] }
      #expect(option?.value?.placeholder == "NAME", "\(line)")
    }
  }

  @Test("Every placeholder in capitals is explained")
  func placeholders() throws {
    for command in CommandTable.standard.commands {
      let values = command.allOptions.compactMap(\.value?.placeholder)
      for word in command.operands.map(\.name) + values {
        let page = try HelpCommand.report(on: [word], .standard).text(.plain)
        #expect(page.contains("  recorder \(command.name)"), "\(word)")
      }
    }
    let take = try HelpCommand.report(on: ["TAKE"], .standard).text(.plain)
    #expect(take.contains("@1 is the newest") && take.contains("recorder help references"))
  }
}
