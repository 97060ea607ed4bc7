import Audio
import Control
import Foundation
import JSON
import Linux
import Support
import Testing

@testable import Commands

@Suite("Settings from two files")
struct ConfigurationTests {
  /// A settings file of the user and one of the system, in the test's own directory.
  private final class Files {
    let scratch: ScratchDirectory
    let user: ConfigurationFile
    let system: ConfigurationFile

    init(user: String?, system: String? = nil) throws {
      scratch = try ScratchDirectory()
      let owner = Environment.effectiveUser
      self.user = .init(level: .user, path: scratch.path("user.json"), owner: owner)
      self.system = .init(level: .system, path: scratch.path("system.json"), owner: owner)
      if let user { try scratch.write(user, to: "user.json") }
      if let system { try scratch.write(system, to: "system.json") }
    }

    func read() throws -> Configuration { try .reading([user, system]) }
  }

  /// Each setting with two values. Settings that have a variable are tested with the program.
  static let values: [(SettingEntry, String, String)] = [
    (Settings.directory.entry, "/a", "~/b"), (Settings.pattern.entry, "a-%F", "b/%F"),
    (Settings.format.entry, "flac", "opus"), (Settings.bits.entry, "24", "float"),
    (Settings.rate.entry, "44.1k", "48000"), (Settings.channels.entry, "1", "2"),
    (Settings.reconnect.entry, "10s", "0"), (Settings.volume.entry, "0.5", "-6dB"),
  ]

  @Test("The user's value has priority over the system's, and that over the built-in one")
  func precedence() throws {
    for (entry, first, second) in Self.values {
      let (user, system) = ("{\"\(entry.key)\": \"\(first)\"}", "{\"\(entry.key)\": \"\(second)\"}")
      for (mine, theirs, expected) in [
        (user, system, first), (user, nil, first), (user, "{}", first), (nil, system, second),
        ("{}", system, second), (nil, nil, entry.builtIn), ("", "{}", entry.builtIn),
      ] as [(String?, String?, String?)] {
        let files = try Files(user: mine, system: theirs)
        let found = try files.read().effective(entry)
        #expect(found?.text == expected, "\(entry.key)")
        let source: Configuration.Source? =
          switch expected {
          case first: .file(files.user)
          case second: .file(files.system)
          default: entry.builtIn.map { _ in .builtIn }
          }
        #expect(found?.source == source, "\(entry.key)")
      }
    }
  }

  @Test("Every setting has a valid default or says what its absence means, and keys are unique")
  func table() {
    #expect(Set(Settings.all.map(\.key)).count == Settings.all.count)
    for entry in Settings.all {
      #expect(entry.builtIn.map { (try? entry.value.check($0)) != nil } ?? !entry.absence.isEmpty)
    }
  }

  @Test(
    "A fault names the file, the setting, the found value and the accepted values",
    arguments: [
      (
        #"{"devcie": "x"}"#, [#"unknown setting "devcie"; did you mean "device"?"#, "unset devcie"]
      ),
      (#"{"frobnicate": 1}"#, [#"unknown setting "frobnicate""#]),
      (#"{"rate": []}"#, ["rate is an array; use a sample rate such as 48000 or 44.1k"]),
      (#"{"rate": null}"#, ["rate is null"]), (#"{"volume": true}"#, ["volume is a boolean"]),
      (#"{"rate": "fast"}"#, [#"rate: "fast" is not valid; use a sample rate"#, "config edit"]),
      (#"{"rate": 0}"#, [#"rate: "0" is out of range: sample rates range"#]),
      (#"{"format": "flak"}"#, [#"format: "flak" is not valid"#, #"write "flac""#]),
      (#"{"bits": 20}"#, [#"bits: "20" is not valid; use 16, 24, 32 or float"#]),
      (#"{"directory": "takes"}"#, ["an absolute path"]), (#"{"pattern": "memo"}"#, ["the time"]),
      (#"{"pattern": "%F.wav"}"#, ["a pattern must not have an extension"]),
      (#"{"pattern": "/tmp/%F"}"#, ["pattern: "]), (#"{"volume": 1.5}"#, ["the loudest"]),
      (#"{"rate": 1, "rate": 2}"#, ["line 1", "duplicate"]), ("{", ["line 1"]), ("[]", ["object"]),
      (#"{"device": ""}"#, [#"device: "" is not valid"#]),
    ])
  func faults(text: String, told: [String]) throws {
    let files = try Files(user: text)
    let failure = #expect(throws: Failure.self) { _ = try files.read() }
    #expect(failure?.code == .failed)
    let message = failure.map { ([$0.message.fact] + $0.message.advice).joined(separator: "\n") }
    #expect(message?.contains(files.user.path) == true)
    for words in told { #expect(message?.contains(words) == true, "\(message ?? "")") }
  }

  @Test("A valid setting next to a faulty one is still read")
  func asFarAsGood() throws {
    let files = try Files(user: #"{"color": "never", "rate": "fast"}"#)
    #expect(CheckedConfiguration(files.user).values == ["color": "never"])
    #expect(CheckedConfiguration(files.user).faults.count == 1)
  }

  @Test(
    "A file that others could have written is refused",
    arguments: [
      ("chmod 620 user.json", "can be written by other users"),
      ("rm user.json; mkfifo user.json", "is not a plain file"),
      ("rm user.json; mkdir user.json", "is not a plain file"),
      ("rm user.json; ln -s user.json user.json", "cannot be read"),
      ("chmod 666 user.json; mv user.json x; ln -s x user.json", "can be written by other users"),
      ("mkdir -m 777 d; mv user.json d; ln -s d/user.json user.json", "every user"),
      ("head -c 70000 /dev/zero > user.json", "larger than 64 KiB"),
    ])
  func refused(script: String, told: String) throws {
    let files = try Files(user: "{}")
    let made = try Tool.run("sh", ["-c", "umask 022; cd '\(files.scratch.path)'; \(script)"])
    #expect(made.code == 0, "\(made.errorText)")
    let failure = #expect(throws: Failure.self) { _ = try files.read() }
    #expect(failure?.message.fact.contains(told) == true, "\(failure?.message.fact ?? "")")
  }

  @Test("Another user's file is refused, but root's file is not", .requires("RECORDER_ROOT_TESTS"))
  func otherOwnerAsRoot() throws {
    let files = try Files(user: "{}")
    let mine = ConfigurationFile(level: .user, path: files.user.path, owner: 65_534)
    #expect(throws: Never.self) { _ = try mine.text() }
    #expect(chown(files.user.path, 65_533, 0) == 0)
    let failure = #expect(throws: Failure.self) { _ = try files.read() }
    #expect(failure?.message.fact.contains("belongs to user 65533") == true)
  }

  @Test("A settings file may be a symbolic link, and a change keeps the link")
  func link() throws {
    let files = try Files(user: #"{"rate": 8000}"#)
    try FileManager.default.moveItem(atPath: files.user.path, toPath: files.scratch.path("kept"))
    try FileManager.default.createSymbolicLink(
      atPath: files.user.path, withDestinationPath: "kept")
    #expect(try files.read()[Settings.rate]?.hertz == 8_000)
    try files.user.rewrite { object in object["bits"] = 24 }
    #expect(
      try String(decoding: files.scratch.read("kept"), as: UTF8.self).contains("\"bits\": 24"))
    let link = try FileStatus(of: files.user.path, following: false)
    #expect(link.kind == .symbolicLink)
  }
}

extension ConfigurationTests {
  @Test(
    "A link to a missing file is kept, and a change creates its target",
    arguments: ["kept", "dots/kept", "other", "/kept"])
  func danglingLink(target: String) throws {
    let files = try Files(user: nil)
    let place = target.hasPrefix("/") ? files.scratch.path("kept") : target
    for (link, target) in [("user.json", place), ("other", "dots/more")] {
      try FileManager.default.createSymbolicLink(
        atPath: files.scratch.path(link), withDestinationPath: target)
    }
    try files.user.rewrite { object in object["bits"] = 24 }
    #expect(try FileStatus(of: files.user.path, following: false).kind == .symbolicLink)
    let name = target == "other" ? "dots/more" : target.hasPrefix("/") ? "kept" : target
    let text = try String(decoding: files.scratch.read(name), as: UTF8.self)
    #expect(text.contains("\"bits\": 24"))
    try files.user.rewrite { object in object["rate"] = 8_000 }
    #expect(try files.read()[Settings.rate]?.hertz == 8_000)
  }

  @Test("A link to a missing file in a directory of other users is refused")
  func exposedLink() throws {
    let files = try Files(user: nil)
    let open = files.scratch.path("open")
    try FileManager.default.createDirectory(
      atPath: open, withIntermediateDirectories: false, attributes: nil)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
    try FileManager.default.createSymbolicLink(
      atPath: files.user.path, withDestinationPath: "open/config.json")
    #expect(throws: Failure.self) { try files.user.rewrite { object in object["bits"] = 24 } }
    #expect(try FileManager.default.contentsOfDirectory(atPath: open).isEmpty)
  }
}

@Suite("The plan that start makes from the settings")
struct ConfiguredPlanTests {
  private func plan(_ line: String, _ settings: [String: String]) throws -> RecordingPlan {
    let file = ConfigurationFile(level: .user, path: "/x/config.json", owner: 0)
    let words = ["start"] + line.split(separator: " ").map(String.init)
    let arguments = try Parser.parse(words, by: .standard).arguments
    return try StartPlan(
      arguments, Configuration(levels: [.init(file: file, values: settings)])
    ).plan()
  }

  @Test("A setting applies only if its option was not typed")
  func filled() throws {
    let settings = [
      "directory": "/takes", "pattern": "%%talk", "format": "flac", "bits": "24", "rate": "44100",
      "channels": "1", "reconnect": "30s",
    ]
    let plan = try plan("", settings)
    #expect(plan.output.path == "/takes/%talk.flac" && plan.output.format == .flac)
    #expect(plan.output.sample == .int24Packed && plan.capture.rate?.hertz == 44_100)
    #expect(plan.capture.channels?.value == 1 && plan.reconnect == .seconds(30))
    let typed = try self.plan(
      "/y/a.wav -b 16 -r 48000 -c 2 --reconnect 1s -d test:tone", settings)
    #expect(typed.output.path == "/y/a.wav" && typed.output.format == .wav)
    #expect(typed.output.sample == .int16 && typed.capture.rate?.hertz == 48_000)
    #expect(typed.capture.channels?.value == 2 && typed.reconnect == .seconds(1))
    #expect(typed.capture.device == "test:tone")
  }

  @Test(
    "A setting is not used if it does not fit the output or an option",
    arguments: [
      ("a.opus", ["rate": "96000"]),
      ("a.flac", ["bits": "float", "channels": "9"]), ("--select 3 a.wav", ["channels": "2"]),
      ("a.wav", ["format": "flac"]),
      ("-", ["rate": "8000", "channels": "1", "bits": "24", "format": "wav"]),
    ])
  func unused(line: String, settings: [String: String]) throws {
    var (with, without) = (try plan(line, settings), try plan(line, [:]))
    with.identifier = ""
    without.identifier = ""
    #expect(with == without)
  }

  @Test("A typed relative name is relative to the working directory")
  func here() throws {
    let plan = try plan("a.wav", ["directory": "/takes"])
    #expect(try plan.output.path == Program.workingDirectory() + "/a.wav")
  }
}
