internal import JSON
internal import Linux
internal import Sounds

/// A help topic that does not belong to a single command. `recorder help` shows it as a page. It is
/// also a section of the main manual page, a separate manual page, or both.
struct HelpTopic: Report {
  /// The word after `help`.
  let name: String
  let title: String
  /// The subject in a few words, for lists.
  let summary: String
  let blocks: [PageBlock]
  var examples: [Example] = []

  /// The topics that are sections of the manual, in their order.
  static let sections = [references, configuration, environment, files]

  /// The topics whose text is a page of the documentation with the same name.
  static let guides = [
    "microphone-access", "guard", "voice", "long-takes", "tracks", "tapping", "sounds", "exporting",
    "control-protocol", "json",
  ]

  /// For each family of commands: the name of its guide, if that is not the name of the family.
  static let guidesOfFamilies = ["sound": "sounds", "permission": "microphone-access"]

  /// The topics with a manual page.
  static let pages = [references.name, configuration.name] + guides

  func text(_ style: Style) -> String {
    let heading = PageBlock.heading(title, level: 1)
    let text = PageBlock.text(of: [heading] + blocks, style)
    guard !examples.isEmpty else { return text }
    let lines = definitions(examples.map { ($0.line, $0.meaning) }, widest: 36)
    return text + "\n" + style.heading("Examples") + "\n" + lines
  }

  /// True, because the text is already wrapped, except for code.
  var keepsLines: Bool { true }

  var json: JSONObject {
    [
      "topic": name.json, "title": title.json, "text": blocks.compactMap(\.prose).json,
      "entries": .array(
        blocks.flatMap(\.entries).map {
          ["name": .string($0.term), "summary": .string($0.meaning)]
        }),
      "examples": .array(
        examples.map { ["name": .string($0.line), "summary": .string($0.meaning)] }),
    ]
  }
}

extension HelpTopic {
  /// Creates a topic of paragraphs and a table of entries. The table has the heading `list`.
  private init(
    name: String, title: String, summary: String, paragraphs: [String] = [], list: String? = nil,
    entries: [Row], examples: [Example] = []
  ) {
    // The columns have no names.
    let rows = [["", ""]] + entries.map { [$0.term, $0.meaning] }
    let listing = [list.map { PageBlock.heading($0, level: 2) }, .table(rows)].compactMap { $0 }
    self.init(
      name: name, title: title, summary: summary,
      blocks: paragraphs.map(PageBlock.paragraph) + listing, examples: examples)
  }

  /// Returns the topic called `name`, or nil if there is none or its page is not installed.
  static func named(_ name: String) -> HelpTopic? {
    sections.first { $0.name.isSameName(as: name) } ?? (guides.contains(name) ? guide(name) : nil)
  }

  /// Returns the summary of a topic, or nil if there is none or its page is not installed.
  static func summary(of name: String) -> String? {
    if let section = sections.first(where: { $0.name.isSameName(as: name) }) {
      return section.summary
    }
    // Only the first line of the page is parsed, because it is the title.
    return guides.contains(name)
      ? page(name).flatMap { title(of: PageBlock.all(in: String($0.prefix { $0 != "\n" }))) } : nil
  }

  /// Reads a topic from a page of the documentation. The title is also the summary.
  private static func guide(_ name: String) -> HelpTopic? {
    guard let blocks = page(name).map(PageBlock.all), let title = title(of: blocks) else {
      return nil
    }
    return HelpTopic(name: name, title: title, summary: title, blocks: Array(blocks.dropFirst()))
  }

  private static func title(of blocks: [PageBlock]) -> String? {
    guard case .heading(let title, _) = blocks.first else { return nil }
    return title
  }

  /// Reads a page of the documentation. The pages are installed together with the sounds.
  private static func page(_ name: String) -> String? {
    guard let directory = BundledSounds.directory else { return nil }
    // The second directory exists in a source tree.
    let files = ["docs", "../docs"].lazy.compactMap {
      try? Descriptor(opening: "\(directory)/\($0)/\(name).md").readAll(upTo: 1 << 20)
    }
    return files.first.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension HelpTopic {
  /// The word after `help` for the list of topics.
  static let listName = "topics"

  /// Returns the page that lists topics.
  static func list(of topics: [Candidate]) -> HelpTopic {
    HelpTopic(
      name: listName, title: "Topics", summary: "List the topics",
      paragraphs: [
        "\"recorder help TOPIC\" explains a topic; \"recorder help\" lists the commands."
      ],
      entries: topics.map { ($0.text, $0.meaning) })
  }

  /// Creates the page about a word in capitals that stands for an argument in the help. Returns nil
  /// if no command of the table has that word.
  init?(placeholder name: String, in table: CommandTable) {
    func values(_ command: Command) -> [ValueEntry] {
      command.operands.filter { $0.name.isSameName(as: name) }.map(\.value)
        + command.allOptions.compactMap(\.value).filter { $0.placeholder == name }
    }
    let takers = table.commands.filter { $0.section != nil && !values($0).isEmpty }
    let taken = takers.flatMap(values)
    guard !taken.isEmpty else { return nil }
    var seen: Set<String> = []
    let meanings = taken.map(\.expectation).filter { seen.insert($0).inserted }
    let isTake = taken.contains { $0.completion == .names(.filesAndTakes) }
    self.init(
      name: name, title: name, summary: "",
      paragraphs: meanings.map { "\(name) is \($0)." }
        + (isTake ? ["\"recorder help references\" explains references to takes."] : []),
      list: "Commands", entries: takers.map { ("recorder \($0.name)", $0.summary) })
  }

  private static let references = HelpTopic(
    name: "references", title: "References to takes",
    summary: "Name a take without its path",
    paragraphs: [
      "Commands with FILE also accept a reference to a take that \"recorder takes\" lists. A file whose name "
        + "begins with @ is typed with its directory, as ./@file, also if a command writes it.",
      "The newest take is the one that was saved last, even if another one began later. The numbers skip "
        + "takes without a file: takes in the trash, cancelled takes, and takes that went to stdout.",
      "Each file of a split take is listed with its own number. So @1 and @NAME mean only its last file, and "
        + "a note says so.",
    ],
    entries: [
      ("@1, @2 ...", "The newest take with a file, the one before it, and so on"),
      ("@last", "The same as @1"),
      (
        "@NAME",
        "The newest take whose recording has that name, or else whose file has that name. For a take "
          + "of --separate, NAME can also be the name of the files without the track"
      ),
      ("@ID", "The take with the identifier that \"recorder takes --json\" prints"),
    ],
    examples: [
      Example("recorder play @1", "Play the newest take"),
      Example("recorder show @talk", "Show the newest take of the recording named talk"),
      Example("recorder trash @2 @5", "Move two takes to the trash"),
    ])

  private static let configuration = HelpTopic(
    name: "configuration", title: "Configuration", summary: "Settings, and their order",
    paragraphs: [
      "The first source with a value wins: the option, the environment variable, your file, the file of the "
        + "administrator. \"recorder config\" shows each setting with its value and source, and \"recorder config "
        + "set KEY VALUE\" changes your file. No setting concerns microphone access."
    ],
    entries: Settings.all.map { setting in
      let otherwise = setting.builtIn ?? setting.absence
      let variable = setting.variable.map { "; variable \($0)" } ?? ""
      return (setting.key, "\(setting.summary) (default: \(otherwise)\(variable))")
    },
    examples: [
      Example("recorder config", "List the settings with their values and sources"),
      Example("recorder config set format flac", "Record FLAC files from now on"),
      Example("recorder config unset format", "Use the default again"),
    ])

  private static let environment = HelpTopic(
    name: "environment", title: "Environment", summary: "Environment variables",
    entries: [
      ("RECORDER_PERMISSION=deny", "Denies microphone access for this call"),
      ("RECORDER_NO_PROMPT", "Never asks for microphone access"),
      ("RECORDER_CAPTURE_DEVICE", "The capture device if --device is not given"),
      ("RECORDER_PLAYBACK_DEVICE", "The playback device if --device is not given"),
      ("VISUAL, EDITOR", "The editor of \"recorder config edit\""),
      (
        "RECORDER_SOUND_THEME, RECORDER_SOUND_PROFILE",
        "The sound theme to search first, and the speaker layout, such as 5.1"
      ),
      ("NO_COLOR", "Disables colors"),
      (
        "XDG_STATE_HOME, XDG_RUNTIME_DIR",
        "The directories for the state of recorder and for its sockets. A user without a home "
          + "directory needs the first"
      ),
      (
        "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME",
        "The directories for your settings, for your sounds and the trash, and for files that can be made "
          + "again, instead of ~/.config, ~/.local/share and ~/.cache"
      ),
      ("XDG_DATA_DIRS", "The directories with sound themes of the system"),
      ("LC_ALL, LC_MESSAGES, LANG", "The language of the sounds of a theme"),
      ("TMPDIR", "The directory for temporary files of exports and pages, instead of /var/tmp"),
    ])

  private static let files = HelpTopic(
    name: "files", title: "Files", summary: "Files that recorder reads and writes",
    paragraphs: [
      "ID stands for the machine, because several machines can share a home directory. Variables can choose "
        + "other directories: see \"recorder help environment\"."
    ],
    entries: [
      (
        "~/.config/recorder/config.json, /etc/recorder/config.json",
        "Your settings, and those of the administrator; see \"recorder config\""
      ),
      (
        "/etc/recorder/policy.d, /usr/lib/recorder/policy.d",
        "The policies for permissions; see \"recorder help microphone-access\""
      ),
      (
        "~/.local/state/recorder/permissions.json, programs.json, grants, program-grants",
        "Your decisions about recorder and about other programs; see \"recorder permission\""
      ),
      ("~/.local/state/recorder/audit.jsonl", "The log that \"recorder permission log\" shows"),
      (
        "~/.local/state/recorder/machines/ID/takes.jsonl",
        "The results of all recordings of a machine, one per line"
      ),
      (
        "~/.local/state/recorder/machines/ID/changes.jsonl",
        "The takes that were renamed or moved to the trash, for \"recorder undo\""
      ),
      (
        "~/.local/state/recorder/machines/ID/loudness.jsonl",
        "The loudness of takes that \"recorder info --levels\" or an export has measured"
      ),
      (
        "~/.local/state/recorder/machines/ID/sessions, deliveries, player.log",
        "The running recordings and the files that wait for a delivery, with the messages of the processes in "
          + "the background"
      ),
      (
        "~/.local/state/recorder/machines/ID/sounds.json, played.json",
        "The volumes of sounds, muted sounds, and the times when sounds were played"
      ),
      ("$XDG_RUNTIME_DIR/recorder", "The sockets of recordings, meters, the player and the guard"),
      ("~/.cache/recorder/sound-lengths.json", "The lengths that \"recorder sound list\" shows"),
      (
        "~/.local/share/Trash",
        "The trash of the desktop, for takes and sounds; on other disks .Trash-UID"
      ),
      (
        "~/.local/share/recorder/sounds",
        "Your own sounds; see \"recorder sound add\" and \"recorder sound remove\""
      ),
      ("FILE.json", "The marks, pauses and gaps of FILE; moved together with it"),
      (
        ".FILE.part", "FILE until its recording ends; \"recorder recover\" repairs it after a crash"
      ),
    ])
}
