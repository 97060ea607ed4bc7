import Audio
import Control
import Foundation
import Support
import Testing

@testable import Commands

@Suite("Shell completion")
struct CompletionTests {
  private func offered(_ line: String, names: KnownNames = KnownNames()) -> Completer.Answer {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return Completer(words.dropLast(), by: .standard, names: names).answer(to: words.last ?? "")
  }

  @Test(
    "Completion offers the words of the table that the parser accepts at that place",
    arguments: [
      ("sta", "start status"), ("permission gr", "grant"), ("start --form", "--format"),
      ("start --format ", "wav flac opus caf aiff raw"), ("start -f f", "flac"),
      ("start --format=f", "--format=flac"), ("start -qf f", "flac"),
      ("permission grant --o", "--once"), ("start --duration x", ""), ("config get -- --fo", ""),
      ("permission revoke --p", "--program"), ("permission reset --al", "--all-programs"),
      ("frobnicate ", ""), ("completion ", "bash zsh fish"), ("completion bash ", ""),
      ("--qu", "--quiet"), ("help ex", "export exit-codes exporting"),
      ("help sound st", "stop status"),
      ("help manual l", "long-takes"), ("help voi", "voice"), ("help manual voice ", ""),
      ("config ", "get set unset edit"), ("config set so", "sounds.device"),
      ("config set format ", "wav flac opus caf aiff raw"), ("config set frmat ", ""),
      ("config get format ", ""), ("config unset vol", "volume"), ("start -d test:t", "test:tone"),
      ("ta", "tap takes"), ("tap -f ", "raw wav"), ("tap --tr", "--track"),
      ("start --track mic=test:t", "mic=test:tone"), ("start --track mic", ""),
      ("start --track=far=test:t", "--track=far=test:tone"),
      ("play -d test:", "test:null"), ("config set sounds.device test:", "test:null"),
      ("config set device test:t", "test:tone"), ("play umb", "umbrella"),
      ("sound mute umb", "umbrella"), ("play done umb", "umbrella"), ("sound info umb", "umbrella"),
      ("sound volume umbrella -6dB ", ""), ("sound volume -6dB umb", ""),
      ("sound remove umb", ""), ("sound info @", ""), ("export a.wav --track ", ""),
    ])
  func table(line: String, expected: String) {
    let answer = offered(line)
    #expect(answer.candidates.map(\.text).joined(separator: " ") == expected)
    #expect(!answer.files)
  }

  @Test(
    "The shell is asked for files where files can follow",
    arguments: [
      ("start ", true), ("start --output ", true), ("start --output=x", true), ("play ./", true),
      ("play x", false), ("info x", true), ("info a b ", true), ("info @", false),
      ("trash x", true), ("start --on-stop ", true), ("start -d ", false), ("status ", false),
      ("permission grant --program ./", true), ("permission grant --program x", false),
      ("config set directory ", true), ("start a.wav ", false), ("start -nwaf ", true),
    ])
  func files(line: String, expected: Bool) { #expect(offered(line).files == expected) }

  @Test(
    "A sound of the player is completed by a name that its commands accept",
    arguments: [
      ("sound stop ", "bell two.flac /d1/s.wav /d2/s.wav"), ("sound pause tw", "two.flac"),
      ("sound seek /d", "/d1/two.flac /d1/s.wav /d2/s.wav"), ("sound resume umb", ""),
      ("sound volume umb", "umbrella"), ("sound volume tw", "two.flac"),
      ("sound remove be", ""), ("play tw", ""),
    ])
  func playedSounds(line: String, expected: String) {
    let names = KnownNames(player: {
      ["bell", "/d1/two.flac", "/d1/s.wav", "/d2/s.wav", "/d2/s.wav"].map {
        SoundStatus(
          $0, output: "default", state: .playing, position: .zero, duration: .zero, path: $0)
      }
    })
    let candidates = offered(line, names: names).candidates.map(\.text)
    #expect(candidates.joined(separator: " ") == expected)
  }

  @Test("Without sounds in the player, nothing is offered for its commands")
  func idlePlayer() {
    #expect(offered("sound stop ", names: KnownNames(player: { [] })) == Completer.Answer())
  }

  @Test("Completion lists devices from files of the kernel and ALSA, and opens none")
  func devices() throws {
    let scratch = try ScratchDirectory()
    for name in ["card0", "card2"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path(name), withIntermediateDirectories: false)
    }
    try scratch.write("PCH\n", to: "card0/id")
    try scratch.write("Scarlett\n", to: "card2/id")
    try scratch.write(
      """
      00-00: ALC256 Analog : ALC256 Analog : playback 1 : capture 1
      00-03: HDMI 0 : HDMI 0 : playback 1
      02-00: USB Audio : USB Audio : playback 1 : capture 1
      x
      """, to: "pcm")
    try scratch.write("pcm.desk {\n  type hw\n}\n pcm.!default desk\nctl.x {}\n", to: "conf")
    let names = KnownNames(sound: scratch.path, alsaFiles: [scratch.path("conf")])
    let capture = offered("start -d ", names: names).candidates.map(\.text)
    // The second one is offered only if PipeWire runs.
    let others = ["default", "output"]
    #expect(
      capture.filter { $0.hasPrefix("hw:") || !$0.contains(":") && !others.contains($0) } == [
        "hw:CARD=PCH,DEV=0", "hw:CARD=Scarlett,DEV=0", "desk",
      ])
    let playback = offered("play -d hw:", names: names).candidates
    #expect(playback.map(\.text).contains("hw:CARD=PCH,DEV=3"))
    #expect(playback.first?.meaning == "ALC256 Analog")
  }

  @Test("shellcheck finds no fault in the script", .requires(tool: "shellcheck"))
  func shellcheck() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write(CompletionScript(shell: .bash).text(.plain), to: "recorder.bash")
    let outcome = try Tool.run("shellcheck", ["--shell=bash", path])
    #expect(outcome.code == 0, "\(outcome.outputText)")
  }

  @Test("The manual has every command and option, and no line is mistaken for a macro")
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

  @Test("groff finds no fault in the manual", .requires(tool: "groff"))
  func groff() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write(
      ManualPage(table: .standard).text(.plain), to: "recorder.1")
    let outcome = try Tool.run("groff", ["-man", "-Tutf8", "-ww", "-z", path])
    #expect(outcome.code == 0 && outcome.errorText == "", "\(outcome.errorText)")
  }
}
