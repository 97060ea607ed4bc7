import Foundation
import Support
import Testing

/// Runs the scripts in the pages for users as they are written there.
@Suite("A script of the documentation", .timeLimit(.minutes(15)))
struct RecipeTests {
  /// A block of a page, described by the page and the line.
  struct Script: CustomTestStringConvertible {
    let page: String
    let block: DocumentPage.Block
    var testDescription: String { "\(page):\(block.line)" }
  }

  private static let pages = [
    "README.md", "docs/recipes.md", "docs/sounds.md", "docs/microphone-access.md", "docs/guard.md",
    "docs/configuration.md", "docs/voice.md", "docs/exporting.md", "docs/long-takes.md",
    "docs/several-places.md", "docs/fleet.md", "docs/install.md", "docs/library.md",
  ]

  private static let all: [Script] = pages.flatMap { name in
    ((try? DocumentPage(name))?.blocks ?? []).filter(\.isShell).map {
      Script(page: name, block: $0)
    }
  }

  /// A line that is not run. With `toEnd`, the lines of the block after it are not run either.
  struct Exception {
    let page: String
    let line: String
    var toEnd = false
    let reason: String
  }

  private static let exceptions = [
    Exception(
      page: "README.md", line: "make install PREFIX=/usr/local", reason: "it installs as root"),
    Exception(
      page: "README.md", line: "recorder start --meeting call.wav", reason: "it needs PipeWire"),
    Exception(
      page: "docs/install.md", line: "make install PREFIX=/usr/local", toEnd: true,
      reason: "it installs and removes as root"),
    Exception(
      page: "docs/microphone-access.md",
      line: "install -o root -g root -m 0644 10-exam.json /etc/recorder/policy.d/",
      reason: "it writes a policy as root"),
    Exception(
      page: "docs/microphone-access.md", line: "groupadd --system recorder-appliance", toEnd: true,
      reason: "it makes a user as root"),
    Exception(
      page: "docs/microphone-access.md", line: "recorder permission status --program sox",
      reason: "its exit code is the status, a refusal"),
    Exception(
      page: "docs/guard.md", line: "recorder guard on  ", toEnd: true,
      reason: "it changes the sound server of the user"),
    Exception(
      page: "docs/several-places.md", line: "recorder recover --from HOST",
      reason: "it needs what another machine has left"),
  ]

  /// Returns the lines of a script that are run.
  private static func run(_ script: Script) -> [String] {
    var lines: [String] = []
    for line in script.block.lines {
      let exception = exceptions.first { $0.page == script.page && line.hasPrefix($0.line) }
      if exception?.toEnd == true { break }
      if exception == nil { lines.append(line) }
    }
    return lines
  }

  @Test("is one of ten on the page of recipes, and every page has at least one")
  func ten() {
    #expect(Self.all.count { $0.page == "docs/recipes.md" } == 10)
    for page in Self.pages { #expect(Self.all.contains { $0.page == page }, "\(page)") }
  }

  @Test("has an exception only for a line that still exists", arguments: exceptions.indices)
  func exceptional(number: Int) {
    let exception = Self.exceptions[number]
    let found = Self.all.filter { $0.page == exception.page }.flatMap(\.block.lines).count {
      $0.hasPrefix(exception.line)
    }
    #expect(found == 1, "\(exception)")
  }

  @Test(
    "does what it says, in a home with the permission",
    arguments: all.filter { !$0.block.isTranscript })
  func works(script: Script) throws {
    let lines = Self.run(script)
    guard !lines.isEmpty else { return }
    let studio = try Studio()
    try prepare(studio)
    // A recipe makes its own takes.
    if script.page != "docs/recipes.md" {
      // Only a script that names a minute needs a take of minutes.
      try addTakes(studio, seconds: lines.contains { $0.contains(" 1:") } ? 125 : 5)
    }
    let outcome = try studio.run(
      """
      export RECORDER_CAPTURE_DEVICE=test:tone RECORDER_PLAYBACK_DEVICE=test:null
      PATH=$PWD/tools:$PATH
      cat > script <<'SCRIPT'
      set -e
      \(lines.joined(separator: "\n"))
      SCRIPT
      sh script > told & running=$!
      # The tone never falls silent: a recording that would wait for that is stopped.
      limit=110 await 'has_captured 1 && recorder stop --all > /dev/null 2>&1
        ! kill -0 $running 2> /dev/null'
      wait $running
      """, limit: .seconds(120))
    #expect(outcome.code == 0, "\(script.testDescription): \(outcome)")
  }

  /// Makes the files and the other programs that the scripts use.
  private func prepare(_ studio: Studio) throws {
    let outcome = try studio.run(
      """
      set -e
      mkdir -p tools .git/hooks
      tool() { cat > "tools/$1"; chmod +x "tools/$1"; }
      # A machine without a sound card is a problem for the doctor, and Ctrl-C ends a meter.
      tool recorder <<'END'
      #!/bin/sh
      case $1 in
        doctor) "$recorder" "$@" || [ $? = 12 ] ;;
        meter) timeout --preserve-status --signal=INT 1 "$recorder" "$@" || [ $? = 130 ] ;;
        *) exec "$recorder" "$@" ;;
      esac
      END
      # Says what it would do, so that a target that is not there fails.
      printf '#!/bin/sh\\nPATH=/usr/bin:/bin exec make -n -C "%s" "$@" > /dev/null\\n' \
        "\(DocumentPage.root.path)" | tool make
      printf '#!/bin/sh\\ntest -s "$2"\\n' | tool whisper-cli
      printf '#!/bin/sh\\ncat "$HOME/bark.wav"\\n' | tool espeak-ng
      printf '#!/bin/sh\\nhead -c 9600 /dev/zero\\n' | tool arecord
      printf '#!/bin/sh\\ncat > /dev/null\\n' | tool aplay
      printf '#!/bin/sh\\n' > deliver; chmod +x deliver
      cp tools/aplay tools/display
      printf '#!/bin/sh\\nshift 2; for p; do grep -qw -- "$p" "%s/scripts/setup" || exit 1; done\\n' \
        "\(DocumentPage.root.path)" | tool apt-get
      sox -n -r 48000 -b 16 bark.wav synth 0.2 sine 300 gain -20
      sox bark.wav bark.ogg; cp bark.wav FILE
      """)
    try #require(outcome.code == 0, "\(outcome)")
    let page = try DocumentPage("docs/microphone-access.md")
    let policy = try #require(page.blocks.first { $0.language == "json" })
    try studio.scratch.write(policy.lines.joined(separator: "\n"), to: "10-exam.json")
  }

  /// Makes the takes that the scripts play, cut and draw.
  private func addTakes(_ studio: Studio, seconds: Int) throws {
    let outcome = try studio.run(
      """
      set -e
      "$recorder" start call.wav --track mic=test:tone --track far=test:ramp > told
      captured 0.5; "$recorder" stop > told
      start talk.flac > told; "$recorder" mark "decision" > told; "$recorder" stop > told
      sox -n -r 8000 -b 16 talk.wav synth \(seconds) sine 300 gain -20
      """)
    try #require(outcome.code == 0, "\(outcome)")
  }

  @Test("shows the output of recorder", arguments: all.filter(\.block.isTranscript))
  func transcript(script: Script) throws {
    let studio = try Studio()
    let typed = script.block.lines.filter { $0.hasPrefix("$ recorder ") }
    let shown = try typed.map { line in
      try studio.run("printf '%s\\n' '\(line)'; " + line.replacing("$ recorder", with: "$recorder"))
        .output.replacingOccurrences(of: studio.scratch.path, with: "/home/ada")
    }.joined()
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map {
        $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
    }
    // An ellipsis stands for the remaining output.
    let expected = lines(script.block.lines.joined(separator: "\n")).filter { $0 != "…" }
    let found = lines(shown).prefix(expected.count)
    #expect(Array(found) == expected, "\(script.testDescription)")
  }

  @Test(
    "that is a policy is one that is accepted",
    arguments: try DocumentPage("docs/microphone-access.md").blocks.filter { $0.language == "json" }
      .map(
        \.line))
  func policy(line: Int) throws {
    let page = try DocumentPage("docs/microphone-access.md")
    let block = try #require(page.blocks.first { $0.line == line })
    let studio = try Studio(granting: false)
    try studio.scratch.write(block.lines.joined(separator: "\n"), to: "10-exam.json")
    let outcome = try studio.run("$recorder permission policy check 10-exam.json")
    #expect(outcome.code == 0, "docs/microphone-access.md:\(line): \(outcome)")
  }
}
