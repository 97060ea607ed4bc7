import Audio
import Testing

@testable import Commands

@Suite("Reading a command line")
struct ParserTests {
  private func parse(_ line: String) throws(UsageError) -> Invocation {
    try Parser.parse(line.split(separator: " ").map(String.init), by: SampleTable.table)
  }

  private func command(_ request: Invocation) -> String? {
    guard case .run(let command) = request.action else { return nil }
    return command.name
  }

  @Test(
    "An option's value may stand in every place that is usual",
    arguments: [
      "start --duration 90s", "start --duration=90s", "start -d 90s", "start -d90s",
      "start take.wav --duration 1m30s", "start --duration 90 take.wav", "start -ld90",
      "--quiet start -d 90s", "start -qd 90", "start --duration 90s --",
    ])
  func optionForms(line: String) throws {
    let request = try parse(line)
    #expect(command(request) == "start")
    #expect(request.arguments[SampleStart.duration] == .seconds(90))
  }

  @Test(
    "A negative level is a value, not an option",
    arguments: ["start --gain -6dB", "start --gain=-6dB", "start --gain -.5dB"])
  func negativeValue(line: String) throws {
    #expect(try parse(line).arguments[SampleStart.gain].map { $0.value < 0 } == true)
  }

  @Test("A negative level can be an operand")
  func negativeOperand() throws {
    let arguments = try parse("sound volume chime -20dB").arguments
    #expect(arguments[SampleVolume.name].map(\.value) == ["chime"])
    #expect(arguments[SampleVolume.volume].map(\.factor) == [0.1])
  }

  @Test(
    "A dash alone is an operand, and so is everything after two",
    arguments: [("start -", "-"), ("start -- --loud", "--loud"), ("start -- --", "--")])
  func dashes(line: String, operand: String) throws {
    let arguments = try parse(line).arguments
    #expect(arguments[SampleStart.file].map(\.text) == [operand])
    #expect(!arguments[SampleStart.loud])
  }

  @Test("A value after an equals sign may begin with any character")
  func markedValue() throws {
    let text = try parse("start --output=\u{301}a.wav").arguments[SampleStart.output]?.text
    #expect(text?.utf8.elementsEqual("\u{301}a.wav".utf8) == true)
  }

  @Test("A single dash is a value")
  func dashValue() throws {
    #expect(try parse("start -o -").arguments[SampleStart.output]?.text == "-")
  }

  @Test("Short flags can be combined")
  func bundledFlags() throws {
    let arguments = try parse("start -lw").arguments
    #expect(arguments[SampleStart.loud] && arguments[SampleStart.wet])
  }

  @Test("A flag given twice is one flag")
  func repeatedFlag() throws {
    #expect(try parse("start --loud -l").arguments[SampleStart.loud])
  }

  @Test("Options and operands that were not given are absent")
  func absent() throws {
    let arguments = try parse("start").arguments
    #expect(arguments[SampleStart.duration] == nil)
    #expect(arguments[SampleStart.file].isEmpty)
    #expect(!arguments[SampleStart.loud])
  }

  @Test(
    "A command has one, two or three words",
    arguments: [
      ("start", "start"), ("sound list", "sound list"), ("sound --quiet list", "sound list"),
      ("permission policy check", "permission policy check"),
    ])
  func words(line: String, name: String) throws {
    #expect(command(try parse(line)) == name)
  }

  @Test("Several operands keep their order")
  func manyOperands() throws {
    let arguments = try parse("play one two - three").arguments
    #expect(arguments[SamplePlay.names].map(\.value) == ["one", "two", "-", "three"])
  }

  @Test(
    "Asking for help needs nothing else",
    arguments: [
      ("--help", []), ("-h", []), ("start -h", ["start"]), ("sound --help", ["sound"]),
      ("sound volume --help", ["sound", "volume"]), ("play --help --version", ["play"]),
      ("start --help --duration 5", ["start"]),
    ])
  func help(line: String, words: [String]) throws {
    guard case .help(words) = try parse(line).action else {
      Issue.record("\(line) does not ask for help about \(words)")
      return
    }
  }

  @Test("The version option needs no command", arguments: ["--version", "start --version"])
  func version(line: String) throws {
    guard case .version = try parse(line).action else {
      Issue.record("\(line) does not ask for the version")
      return
    }
  }

  @Test(
    "A mistake is named exactly",
    arguments: [
      ("", .noCommand),
      ("--quiet", .noCommand),
      ("sound", .unfinishedCommand(["sound"], next: ["volume", "list"])),
      ("permission policy", .unfinishedCommand(["permission", "policy"], next: ["check"])),
      ("strat", .unknownCommand("strat", nearest: ["start"])),
      ("sound lits", .unknownCommand("sound lits", nearest: ["sound list"])),
      ("list", .unknownCommand("list", nearest: ["sound list"])),
      ("frobnicate", .unknownCommand("frobnicate", nearest: [])),
      ("start --loudd", .unknownOption("--loudd", command: "start", nearest: ["--loud"])),
      ("start --dur 5", .unknownOption("--dur", command: "start", nearest: ["--duration"])),
      ("start -x", .unknownOption("-x", command: "start", nearest: [])),
      (
        "play --name chime",
        .unknownOption("--name", command: "play", nearest: [], meant: "recorder play chime")
      ),
      (
        "start --file=a.wav",
        .unknownOption("--file", command: "start", nearest: [], meant: "recorder start a.wav")
      ),
      ("--loud start", .unknownOption("--loud", command: nil, nearest: [])),
      ("start --duration", .missingValue(option: "--duration", expectation: Duration.expectation)),
      ("start -d -l", .missingValue(option: "--duration", expectation: Duration.expectation)),
      ("start --loud=yes", .unexpectedValue(option: "--loud")),
      ("start -d 5 --duration=5", .repeatedOption("--duration")),
      (
        "start -d 5x", .badValue("5x", of: "--duration", expectation: Duration.expectation)
      ),
      (
        "start --gain 999dB",
        .valueOutOfRange("999dB", of: "--gain", limits: "levels are within 200dB of full scale")
      ),
      (
        "sound volume chime loud",
        .badValue("loud", of: "VOLUME", expectation: Volume.expectation)
      ),
      ("play", .missingOperand("NAME", command: "play")),
      ("sound volume chime", .missingOperand("VOLUME", command: "sound volume")),
      ("start a.wav b.wav", .extraOperand("b.wav", command: "start")),
      ("sound list -5", .extraOperand("-5", command: "sound list")),
    ] as [(String, UsageError)])
  func mistakes(line: String, expected: UsageError) {
    #expect(throws: expected) { try parse(line) }
  }

  @Test(
    "A word of another program is answered with the command or the option of this one",
    arguments: [
      ("loudness @1", "recorder info --levels FILE"), ("marks @1", "recorder info FILE"),
      ("title @1 x", "recorder rename TAKE --title TEXT"),
      ("name @1 x", "did you mean \"rename\"?"),
      ("sound play done", "recorder play NAME"), ("sound loop done", "recorder play NAME --loop"),
      ("config list", "\"recorder config\" lists the settings"),
      ("config get", "\"recorder config\" lists the settings"),
      ("start --sample-rate 44100", "did you mean \"--rate\"?"),
      ("start --volume 50%", "did you mean \"--gain\"?"),
      ("stop -n log", "write \"recorder stop log\""),
      ("stop -nlog", "write \"recorder stop log\""),
      ("status --name=log", "write \"recorder status log\""),
      ("pause -q -n", "write \"recorder pause NAME\""),
      ("takes --today", "did you mean \"--since\"?"),
      ("sound volume jingle", "\"sound volume\" needs a VOLUME"),
      ("sound seek jingle", "\"sound seek\" needs a TIME"),
      ("sound volume jingle loud", "VOLUME: \"loud\" is not valid"),
      ("sound volume 0,5", "write \"0.5\""),
      ("sound volume 0.5 jingle", "NAME comes first: recorder sound volume jingle 0.5"),
      ("sound seek 1:30 talk.mp3", "NAME comes first: recorder sound seek talk.mp3 1:30"),
      ("sound volume jingle loud", "a volume from 0.0 to 1.0, such as 0.5, 50% or -6dB"),
      ("sound volume jingle 50", "for a percentage, write \"50%\""),
      ("play jingle --volume 150", "the loudest volume is 1.0, which is 100% or 0dB"),
    ])
  func foreignWord(line: String, answer: String) {
    do {
      _ = try Parser.parse(line.split(separator: " ").map(String.init), by: .standard)
      Issue.record("accepted: \(line)")
    } catch {
      #expect(error.message.lines(.error).contains(answer), "\(error)")
    }
  }

  @Test("An empty value is refused, not ignored")
  func emptyValue() {
    #expect(throws: UsageError.badValue("", of: "--output", expectation: FilePath.expectation)) {
      try Parser.parse(["start", "--output="], by: SampleTable.table)
    }
  }

  @Test("Every usage error has at most two lines, which fit a terminal")
  func messages() {
    let longest = String(repeating: "x", count: 20)
    let errors: [UsageError] = [
      .noCommand, .unfinishedCommand(["sound"], next: ["list"]),
      .unknownCommand(longest, nearest: ["sound list"]),
      .unknownOption("--loudd", command: "start", nearest: ["--loud"]),
      .missingValue(option: "--duration", expectation: Duration.expectation),
      .unexpectedValue(option: "--loud"), .repeatedOption("--duration"),
      .badValue("5x", of: "--duration", expectation: Duration.expectation),
      .missingOperand("NAME", command: "play"), .extraOperand("b.wav", command: "start"), .notText,
    ]
    for error in errors {
      let lines = error.message.lines(.error).split(separator: "\n")
      #expect((1...2).contains(lines.count))
      #expect(lines.allSatisfy { $0.hasPrefix("recorder: ") && $0.count <= 100 }, "\(lines)")
    }
  }
}
