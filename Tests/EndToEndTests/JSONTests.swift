import Commands
import Foundation
import Support
import Testing

@Suite("JSON output", .timeLimit(.minutes(10)))
struct JSONTests {
  /// The command lines that test a command, and the schema definition of their output.
  struct Way {
    var before = ""
    /// The words after `recorder`, without `--json`.
    var lines: [String] = []
    let name: String
  }

  private static let docs = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs")
  private nonisolated(unsafe) static let schema = Result {
    try JSONSchema(docs.path + "/json.schema.json")
  }

  private static let live = "start -q --name a a.wav > /dev/null; "
  private static let saved = live + "$recorder stop -q a > /dev/null; "
  private static let tracks = "start --track mic=test:tone --track far=test:ramp t.wav "
  private static let limited =
    "start -d test:tone --duration 1h --max-size 1G --split 1m --align clock --keep 7d "
    + "--stop-on-silence 1h a.wav"
  private static let names =
    #"{"version":1,"rules":[{"service":"microphone","status":"restricted","#
    + #""match":{"users":["kimm"],"groups":["exam-x"]}}]}"#
  private static let plays = "$recorder play -d test:null click --detach; "

  private static func live(_ line: String, _ name: String = "recordingStatus") -> Way {
    Way(before: live, lines: [line], name: name)
  }

  private static func sound(_ line: String) -> Way {
    Way(before: plays, lines: [line], name: "sounds")
  }

  static let ways: [String: Way] = [
    "start": Way(
      lines: ["start -d test:ramp b.wav", "start -n arm --armed -d test:ramp c.wav"],
      name: "recordingStatus"),
    "pause": live("pause a"), "resume": live("resume a"), "toggle": live("toggle a"),
    "mark": live("mark --name a here", "markResult"), "split": live("split a"),
    "trigger": Way(
      before: "start -q --armed -n a a.wav > /dev/null; ", lines: ["trigger a"],
      name: "recordingStatus"),
    "stop": Way(
      before: "start -q -n a a.wav > /dev/null; $recorder split a > /dev/null; ", lines: ["stop a"],
      name: "recordingResult"),
    "wait": Way(
      before: "start -q --duration 200ms -n a a.wav > /dev/null; ", lines: ["wait a"],
      name: "recordingResult"),
    "cancel": live("cancel a", "recordingResult"),
    "tap": Way(
      before: live + "mkfifo f; head -c 1000 f > /dev/null & ", lines: ["tap a 2>&1 > f"],
      name: "tapResult"),
    "status": Way(
      before: """
        for n in a b; do start -q -n $n $n.wav > /dev/null; done; pid=$($recorder status --json | number pid)
        kill -KILL $pid; ended $pid; rm .b.wav.part; start -q --start-on-sound=-6dB -n c c.wav;
        """, lines: ["status"], name: "status"),
    "takes": Way(
      before: saved + "$recorder mark x 2> /dev/null; $recorder info -q --levels @1 > /dev/null; ",
      lines: ["takes", "takes --since 1d"],
      name: "takes"),
    "rename": Way(before: saved, lines: ["rename @1 b", "rename @1 --title x"], name: "change"),
    "trash": Way(before: saved, lines: ["trash @1"], name: "change"),
    "undo": Way(before: saved + "$recorder trash @1; ", lines: ["undo"], name: "change"),
    "redo": Way(
      before: saved + "$recorder trash @1; $recorder undo; ", lines: ["redo"], name: "change"),
    "play": Way(
      lines: ["play -d test:null click", "play -d test:null click bell --detach"], name: "plays"),
    "sound stop": sound("sound stop click"), "sound pause": sound("sound pause click"),
    "sound resume": sound("sound resume click"), "sound rewind": sound("sound rewind click"),
    "sound replay": sound("sound replay click"), "sound seek": sound("sound seek click 10ms"),
    "sound volume": sound("sound volume click 0.5"), "sound mute": sound("sound mute click"),
    "sound unmute": sound("sound unmute click"),
    "sound prepare": sound("sound prepare done -d test:null"),
    "sound status": sound("sound status"),
    "sound list": Way(lines: ["sound list", "sound list bell"], name: "library"),
    "sound info": Way(lines: ["sound info done"], name: "soundDescription"),
    "sound add": Way(before: saved, lines: ["sound add a.wav"], name: "addedSound"),
    "sound remove": Way(
      before: saved + "$recorder sound add a.wav; ", lines: ["sound remove a"], name: "removedSound"
    ),
    "permission": Way(before: live, lines: ["permission"], name: "permission"),
    "permission status": Way(
      before: "$recorder permission grant --as x --for 1h; ",
      lines: ["permission status", "permission status --as x"], name: "permission"),
    "permission request": Way(lines: ["permission request"], name: "permission"),
    "permission grant": Way(
      lines: ["permission grant", "permission grant --once", "permission grant --program sh"],
      name: "permission"),
    "permission revoke": Way(
      before: live, lines: ["permission revoke", "permission revoke --all-programs"],
      name: "permission"),
    "permission reset": Way(lines: ["permission reset"], name: "permission"),
    "permission list": Way(
      before: "$recorder permission grant --program sh; "
        + "$recorder permission revoke system-audio --program flatpak:org.example.App; ",
      lines: ["permission list"], name: "programs"),
    "permission log": Way(before: saved, lines: ["permission log"], name: "permissionLog"),
    "permission policy check": Way(
      before: "echo {} > p.json; echo '\(names)' > names.json; ",
      lines: [
        "permission policy check", "permission policy check p.json",
        "permission policy check names.json",
      ],
      name: "policies"),
    "guard on": Way(lines: ["guard on --dry-run"], name: "guardSwitch"),
    "guard status": Way(lines: ["guard status"], name: "guard"),
    "guard run": Way(
      before: "await $recorder guard off > /dev/null 2>&1 & ", lines: ["guard run"], name: "guard"),
    "guard ask": Way(lines: ["guard ask"], name: "error"),
    "guard off": Way(lines: ["guard off"], name: "error"),
    "meter": Way(lines: ["meter -d test:tone --duration 300ms"], name: "meter"),
    "recover": Way(
      before: """
        pid=$(start --json --name a a.wav | number pid); kill -KILL $pid; ended $pid; \
        : > .x.wav.part;
        """,
      lines: ["recover --list", "recover ."], name: "recovery"),
    "deliver": Way(
      before: """
        for n in a b; do
          start --duration 0.1 --foreground --on-segment /bin/false --deliver $n.wav > /dev/null
        done
        $recorder trash b.wav > /dev/null; $recorder deliver > /dev/null;
        """,
      lines: ["deliver --list", "deliver", "deliver --forget a.wav"], name: "deliveries"),
    "info": Way(
      before: saved, lines: ["info a.wav", "info --levels @1 none.wav", "info $recorder"],
      name: "files"),
    "show": Way(before: saved, lines: ["show --width 20 a.wav"], name: "picture"),
    "export": Way(
      before: saved + "$recorder \(tracks) --duration 1s --foreground -q > /dev/null; ",
      lines: [
        "export a.wav b.flac", "export a.wav c.mp3",
        "export t.wav mic.wav --track mic --remove far",
      ],
      name: "export"),
    "devices": Way(lines: ["devices", "devices --all capture"], name: "devices"),
    "listeners": Way(lines: ["listeners"], name: "listeners"),
    "doctor": Way(lines: ["doctor"], name: "diagnosis"),
    "config": Way(
      before: "$recorder config set rate 8000; export NO_COLOR=1; ", lines: ["config"],
      name: "settings"),
    "config get": Way(lines: ["config get rate", "config get device"], name: "settingResult"),
    "config set": Way(lines: ["config set rate 8000"], name: "settingResult"),
    "config unset": Way(
      before: "$recorder config set rate 8000; ", lines: ["config unset rate"],
      name: "settingResult"),
    "config edit": Way(before: "export EDITOR=true; ", lines: ["config edit"], name: "settings"),
    "help": Way(lines: ["help", "help sound"], name: "commands"),
    "completion": Way(lines: ["completion bash"], name: "script"),
  ]

  /// Objects that a command prints only with an option or in a certain state.
  static let others: [String: Way] = [
    "stop --all": live("stop --all", "recordingResult"),
    "status after an end": Way(before: saved, lines: ["status"], name: "status"),
    "takes after a crash": Way(
      before: """
        pid=$(start --json a.wav | number pid); kill -KILL $pid; ended $pid; rm .a.wav.part;
        """, lines: ["takes"], name: "takes"),
    "status --watch": live("status --watch", "status"),
    "sound status --watch": sound("sound status --watch"),
    "meter --calibrate": Way(
      lines: ["meter -d test:tone --calibrate --duration 300ms"], name: "calibration"),
    "start --foreground": Way(
      lines: ["start -d test:ramp --foreground --duration 200ms d.wav"], name: "recordingResult"),
    "start with a fault": Way(lines: ["start -d test:none", "stop", "frobnicate"], name: "error"),
    "config with a fault": Way(
      before: "mkdir -p .config/recorder; echo '{\"rat\": 1}' > .config/recorder/config.json; ",
      lines: ["config"], name: "settings"),
    "config set with a fault": Way(
      before: """
        mkdir -p .config/recorder; echo '{"foo": 1, "bar": 2}' > .config/recorder/config.json;
        """,
      lines: ["config set rate 48000", "config unset foo", "config unset rate"],
      name: "settingResult"),
    "start with tracks": Way(lines: [tracks], name: "recordingStatus"),
    "start with limits": Way(lines: [limited], name: "recordingStatus"),
    "start with a split": Way(
      lines: ["start -d test:ramp --split 1m a.wav"], name: "recordingStatus"),
    "status with a split": Way(
      before: "start --split 1m a.wav; ", lines: ["status"], name: "status"),
    "status with limits": Way(before: "$recorder \(limited); ", lines: ["status"], name: "status"),
    "mark with limits": Way(
      before: "$recorder \(limited); ", lines: ["mark x"], name: "markResult"),
    "start with files": Way(lines: [tracks + "--separate"], name: "recordingStatus"),
    "stop with files": Way(
      before: "$recorder \(tracks) --separate; ", lines: ["stop"], name: "recordingResult"),
    "takes with files": Way(
      before: "$recorder \(tracks) --separate; $recorder stop; $recorder rename @1 b; ",
      lines: ["takes"], name: "takes"),
    "stop with tracks": Way(
      before: "$recorder \(tracks); ", lines: ["stop"], name: "recordingResult"),
    "status with tracks": Way(before: "$recorder \(tracks); ", lines: ["status"], name: "status"),
    "takes with tracks": Way(
      before: "$recorder \(tracks); $recorder stop; ", lines: ["takes"], name: "takes"),
    "info of tracks": Way(
      before: "$recorder \(tracks); $recorder stop; ", lines: ["info t.wav"], name: "files"),
    "recover with tracks": Way(
      before: "pid=$($recorder \(tracks) --json | number pid); kill -KILL $pid; ended $pid; ",
      lines: ["recover --list", "recover ."], name: "recovery"),
    "show --spectrogram": Way(
      before: saved, lines: ["show --spectrogram --width 20 a.wav"], name: "spectrogram"),
    "show --svg": Way(before: saved, lines: ["show --svg b.svg a.wav"], name: "pictures"),
    "guard status of a guard": Way(
      before: "$recorder guard run 2> /dev/null & await $recorder guard status -q; ",
      lines: ["guard status"], name: "guard"),
    "guard off of a guard": Way(
      before: "$recorder guard run 2> /dev/null & await $recorder guard status -q; ",
      lines: ["guard off"], name: "guardSwitch"),
    "help start": Way(lines: ["help start"], name: "commandHelp"),
    "help exit-codes": Way(lines: ["help exit-codes"], name: "exitCodes"),
    "help references": Way(
      lines: [
        "help references", "help configuration", "help environment", "help files", "help topics",
        "help TAKE",
      ]
        + ManualTests.topics.map { "help " + $0 },
      name: "helpTopic"),
    "help manual": Way(lines: ["help manual", "help manual voice"], name: "manual"),
    "--version": Way(lines: ["--version"], name: "version"),
  ]

  @Test("Every command is tested, and every definition is used")
  func complete() throws {
    #expect(Set(Self.ways.keys) == Set(CommandTable.standard.commands.map(\.name)))
    let schema = try Self.schema.get()
    let text = try String(
      contentsOf: Self.docs.appending(path: "json.schema.json"), encoding: .utf8)
    let used = Set(Array(Self.ways.values).map(\.name) + Self.others.values.map(\.name))
    for name in schema.names where !used.contains(name) {
      #expect(text.contains("#/$defs/\(name)\""), "\(name)")
    }
    // The schema as a whole accepts the output of every command, for programs that choose no
    // definition.
    let anything = text.prefix(upTo: try #require(text.range(of: "\"$defs\"")).lowerBound)
    for name in used { #expect(anything.contains("#/$defs/\(name)\""), "\(name)") }
  }

  @Test(
    "Each line that a command prints is as the schema says",
    arguments: (ways.merging(others) { $1 }).sorted { $0.key < $1.key }.map(\.key))
  func valid(name: String) throws {
    let way = try #require(Self.ways[name] ?? Self.others[name])
    let studio = try Studio()
    defer { for process in studio.processes() { kill(pid_t(process), SIGTERM) } }
    for (number, line) in way.lines.enumerated() {
      let limit = line.contains("--watch") ? "timeout 2 " : ""
      let outcome = try studio.run(
        """
        { : ; \(number == 0 ? way.before : "") } > before 2>&1
        cd "$HOME"; \(limit)$recorder \(line) --json
        """)
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(!lines.isEmpty, "\(line): \(outcome)")
      for printed in lines.prefix(20) {
        let flaws = try Self.schema.get().flaws(of: printed, as: way.name)
        #expect(flaws == [], "\(line): \(printed.prefix(2_000))")
      }
    }
  }

  @Test("The page of the JSON output names every member and every object")
  func documented() throws {
    let page = try String(contentsOf: Self.docs.appending(path: "json.md"), encoding: .utf8)
    let schema = try Self.schema.get()
    for member in schema.members.sorted() { #expect(page.contains("`\(member)`"), "\(member)") }
    for name in schema.names { #expect(page.contains("**\(name)**"), "\(name)") }
  }

  @Test(
    "The check of the schema finds the fault",
    arguments: [
      (#"{"schema":2}"#, "version", "version.version is missing"),
      (#"{"schema":1,"version":"x"}"#, "version", "version.schema is none of [2]"),
      (#"{"schema":2,"version":1}"#, "version", #"version.version is no ["string"]"#),
      (#"{"schema":2,"version":"x","more":1}"#, "version", "version.more is unknown"),
      (#"{"frame":-1,"time":0,"label":""}"#, "mark", "mark.frame is too small"),
      (#"{"frame":true,"time":0,"label":""}"#, "mark", #"mark.frame is no ["integer"]"#),
      (#"{"schema":2,"events":[1],"damaged":0}"#, "permissionLog", "permissionLog.events[0] is no"),
      ("x", "version", "it is not JSON"), ("{}", "none", "there is no definition"),
    ])
  func wrong(line: String, name: String, told: String) throws {
    let flaws = try Self.schema.get().flaws(of: line, as: name)
    #expect(flaws.contains { $0.hasPrefix(told) }, "\(flaws)")
  }
}
