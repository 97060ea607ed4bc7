/// The topics that explain a subject across commands, each with a manual page of its own.
extension HelpTopic {
  static let guides = [
    microphoneAccess, voice, longTakes, sounds, exporting, controlProtocol, output,
  ]

  /// Returns the options with their accepted values, followed by the other entries.
  private static func rows(
    _ options: [any TableOption], _ others: [(term: String, meaning: String)] = []
  ) -> [(term: String, meaning: String)] {
    options.map(\.entry).map { (String($0.synopsis.drop { $0 == " " }), $0.meaning) } + others
  }

  private static let microphoneAccess = HelpTopic(
    name: "microphone-access", title: "Microphone access",
    summary: "Allow, refuse and limit recording",
    paragraphs: [
      "recorder records only after a person has allowed it, and checks this before it opens a device or "
        + "creates a file. \"recorder permission grant\" allows it. \"recorder permission revoke\" refuses it and "
        + "ends running recordings; their audio is kept. On a terminal, \"recorder start\" asks if it "
        + "has not been decided.",
      "The time of a limited grant includes sleep. A grant for one recording is "
        + "used by the first session that starts within 10 minutes, and lasts until that session ends. A "
        + "program can name itself with --as, which keeps its decisions separate but proves nothing.",
      "The first of these that applies decides: a policy that cannot be trusted; a policy that restricts "
        + "the user, a group or the device; RECORDER_PERMISSION=deny or --deny; decisions that cannot be "
        + "trusted; your own refusal; your own grant; a policy that authorizes.",
      "The permission is advisory: other programs of the same user can open the microphone without asking "
        + "recorder, and can change its records. To close a microphone to a user, take the user out of the "
        + "group that owns /dev/snd, or unplug the microphone.",
      "Administrators restrict or authorize by JSON files in /etc/recorder/policy.d, which belong to root. "
        + "\"recorder permission policy check\" reads them and reports faults.",
    ],
    list: "Status",
    entries: [
      ("authorized", "Recording is allowed (exit code 0)"),
      ("notDetermined", "It has not been decided (exit code 20)"),
      (
        "denied",
        "You refused it, or this call does (exit code 21); exit code 23 if a file that decides cannot be "
          + "trusted"
      ),
      ("restricted", "An administrator forbids it (exit code 22)"),
    ],
    examples: [
      Example("recorder permission", "Show the status"),
      Example("recorder permission grant", "Allow recording until it is revoked"),
      Example("recorder permission grant --for 2h", "Allow it for two hours"),
      Example("recorder permission grant --once", "Allow one recording"),
      Example("recorder permission revoke", "Refuse it, and end running recordings"),
      Example("recorder permission log --since 7d", "List who asked and who decided"),
    ])

  private static let voice = HelpTopic(
    name: "voice", title: "Voice activation",
    summary: "Start with a sound, stop after silence",
    paragraphs: [
      "A take can start with a sound and stop after silence. All of this is off unless an option asks for "
        + "it, and --no-gate turns it off for one take.",
      "The take starts with a sound of at least 40 ms at the given level, and includes the time of "
        + "--pre-roll before it, so the first word is complete. It stops after the given time without a "
        + "sound above the threshold; a click does not interrupt a silence. Levels are measured over 10 ms "
        + "above 90 Hz in the loudest channel, so hum and the offset of a device do not count.",
      "With --armed, nothing is kept until \"recorder trigger\", and the take then includes the time of "
        + "--pre-roll before that. Until then the audio is in memory only. A recording that waits needs "
        + "microphone access and is in the permission log like any other; \"recorder status\" shows it as armed. If "
        + "no sound comes, there is no file, and the exit code is 15.",
    ],
    list: "Options",
    entries: rows([
      StartOptions.startOnSound, StartOptions.armed, StartOptions.preRoll,
      StartOptions.stopOnSilence, StartOptions.threshold, StartOptions.noGate,
    ]),
    examples: [
      Example("recorder meter --calibrate", "Measure this room and suggest levels"),
      Example(
        "recorder start note.wav --start-on-sound -45dB --stop-on-silence 2s",
        "Record a spoken note that ends by itself"),
      Example(
        "recorder start --armed --pre-roll 30s", "Remember half a minute, and keep nothing yet"),
      Example("recorder trigger", "Start the take half a minute ago"),
    ])

  private static let longTakes = HelpTopic(
    name: "long-takes", title: "Long takes",
    summary: "Record for days, in a series of files",
    paragraphs: [
      "A take can be split into files by time, by size or by \"recorder split\". In order, they are the "
        + "whole take: the first frame of each follows the last of the file before, across gaps and pauses "
        + "as well.",
      "FILE expands as in strftime for each file, and missing directories are made. A name that is in use "
        + "gets a number, as in talk-002.wav. No file is ever replaced, and a recording that is started "
        + "again continues the series.",
      "--keep deletes only unchanged files of the same series. A file that was changed "
        + "stays, and a warning reports it. The age of a file is the time that was recorded after it, so "
        + "a wrong clock deletes nothing.",
      "A program of --on-segment or --on-stop runs without a shell, with the facts in its environment, and "
        + "is stopped after 60 s. The recording does not wait for it.",
      "With --deliver, the program of --on-segment is repeated for each file until it exits with 0, one file "
        + "after the other, also after a crash or a restart (\"recorder deliver\"). It has an hour for a file, "
        + "and must accept a file that it has seen before. --keep deletes no waiting file, unless the "
        + "recording would end for lack of space.",
    ],
    list: "Options and variables",
    entries: rows(
      [
        StartOptions.split, StartOptions.align, StartOptions.keep, StartOptions.maxSize,
        StartOptions.minFree, StartOptions.reconnect, StartOptions.onSegment,
        StartOptions.deliver, StartOptions.onStop,
      ],
      [
        ("RECORDER_TAKE_EVENT", "segment or stop"),
        ("RECORDER_TAKE_PATH", "The file"),
        ("RECORDER_TAKE_SIDECAR", "The file of its marks, pauses and gaps, if there is one"),
        ("RECORDER_TAKE_NAME", "The recording; also _ID of the take and _SEGMENT, its number"),
        ("RECORDER_TAKE_SECONDS", "Its length; also _BEGAN, _FRAMES, _BYTES and _FORMAT"),
        ("RECORDER_TAKE_SHA256", "Of a delivery: the checksum; also _MACHINE and _ATTEMPT"),
        ("RECORDER_TAKE_REASON", "The reason for the end; also _EXIT, _MESSAGE and _LOST"),
      ]),
    examples: [
      Example(
        "recorder start log/%F/%H-%M.flac --name log --split 1h --keep 7d",
        "Record a file an hour, and keep those of a week"),
      Example("recorder split log", "Continue in a new file now"),
      Example("recorder status --prometheus", "Print lost frames and free space as metrics"),
    ])

  private static let sounds = HelpTopic(
    name: "sounds", title: "Sounds", summary: "Play and control sounds by name",
    paragraphs: [
      "\"recorder play\" plays a sound by its name, and any other terminal or script can pause, stop, rewind "
        + "or replay it. A play waits for the end of the sound; with --detach it returns with the first "
        + "frame. Sounds with different names mix.",
      "A name is looked up in your own sounds, then among the bundled ones, then in the sound themes of "
        + "the desktop. An empty file NAME.disabled silences NAME. A word with a slash is the path of a "
        + "file, and - reads a sound file or raw samples from a pipe.",
      "A player in the background plays for all programs of a user. The first play starts it, and it ends "
        + "after a minute without a sound. It needs no display and no session bus, so cron, ssh and "
        + "git hooks can play.",
      "Files that do not come with recorder are decoded by a process without rights. Volumes and muted "
        + "sounds are remembered by name.",
    ],
    list: "Options and files",
    entries: [
      ("--if-playing restart", "Start NAME again; a play that waits for it ends with 17 (default)"),
      ("--if-playing overlap", "Play both"),
      ("--if-playing ignore", "Skip the new play; the exit code is 0"),
      ("--if-playing queue", "Play the new one after the current one"),
      ("~/.local/share/recorder/sounds", "Your own sounds"),
      ("RECORDER_SOUND_THEME", "The theme of the desktop to search first"),
    ],
    examples: [
      Example("recorder play done", "Play a bundled sound to its end"),
      Example("recorder play umbrella --loop --detach", "Play rain until it is stopped"),
      Example("recorder sound volume umbrella 0.5 --fade 2s", "Lower it within two seconds"),
      Example("recorder sound stop umbrella", "Stop it, from any terminal"),
      Example("recorder sound list battery", "List sounds for an event"),
      Example("recorder sound add bark.ogg", "Give a file the name bark"),
    ])

  private static let exporting = HelpTopic(
    name: "exporting", title: "Exporting takes",
    summary: "Cut, convert and normalize takes",
    paragraphs: [
      "\"recorder export\" writes a take, or a part of it, to another file, whose extension chooses the "
        + "format. The take is never changed, an existing file is never replaced, and a file gets its name "
        + "when it is complete. If only the length changes, lossless samples stay the same.",
      "--from and --to are times of the take. --at-marks writes a file for each part between two marks. "
        + "--trim removes silence below -60 dBFS at both ends. Marks, titles and dates are kept if the "
        + "format can store them.",
      "--normalize sets the integrated loudness to -16 LUFS, --loudness to another value, with true "
        + "peaks below -1 dBTP, as EBU R 128 measures both. The file is decoded and measured before it gets "
        + "its name. The loudness of a take is remembered until its file is changed.",
    ],
    list: "Extensions",
    entries: [
      (".wav", "16, 24, 32 bits or float; marks as cues; RF64 past 4 GiB"),
      (".flac", "16 or 24 bits; marks as chapters"),
      (".aiff", "16, 24, 32 bits or float, up to 4 GB; marks as markers"),
      (".caf, .w64", "16, 24, 32 bits or float; no marks"),
      (".ogg, .opus", "Vorbis and Opus; marks as chapters"),
      (".mp3", "One or two channels, up to 48 kHz; no marks"),
    ],
    examples: [
      Example("recorder export @1 talk.mp3", "Convert the newest take"),
      Example("recorder export --from 1:30 --to 2:00 talk.wav quote.wav", "Cut half a minute"),
      Example("recorder export --at-marks talk.flac part.flac", "Write a file for each part"),
      Example("recorder export --normalize talk.wav cast.opus", "Write a podcast of -16 LUFS"),
      Example("recorder info --levels talk.wav", "Measure loudness and peaks"),
    ])

  private static let controlProtocol = HelpTopic(
    name: "control-protocol", title: "The control protocol",
    summary: "Talk to a recording from another program",
    paragraphs: [
      "Each recording listens on a Unix socket, NAME.sock, in $XDG_RUNTIME_DIR/recorder. NAME is that "
        + "of --name, or default. Its record has the path of the socket as socket: "
        + "~/.local/state/recorder/machines/ID/sessions/NAME.json. Other users are refused before a byte is read.",
      "Both sides write one JSON object per line, at most 65,536 bytes. The session begins with its "
        + "version: {\"recorder\":\"1.0.0-beta\",\"protocol\":1,\"role\":\"session\",\"pid\":4711}. A request "
        + "has a number and a verb, {\"id\":1,\"do\":\"mark\",\"text\":\"hello\"}, and its reply repeats the number, with "
        + "\"ok\":true and the result, or with \"ok\":false, exit, message and advice. Requests may follow each "
        + "other before the replies.",
      "The status and the result are the objects of \"recorder status --json\" and \"recorder stop --json\". "
        + "The verbs status and stop are the same in every version. A recording that has ended leaves its "
        + "result in results/NAME.json of the state directory.",
    ],
    list: "Verbs",
    entries: [
      ("status", "Replies with the status"),
      ("watch", "The same, and then an event with the status ten times a second"),
      ("pause, resume, toggle", "Pause or resume; repeating pause or resume changes nothing"),
      ("mark", "Sets a mark with text, at most 1,000 bytes, and replies with its frame and time"),
      ("split", "Continues in a new file, and replies with its path"),
      ("trigger", "Starts the take of an armed recording, and replies with the status"),
      ("permission", "Checks microphone access again; the recording ends if it is refused"),
      ("stop", "Saves the file, and replies with the result"),
      (
        "cancel",
        "Moves the file to the trash, or deletes it with \"delete\":true; replies with the result"
      ),
      ("wait", "Replies with the result when the recording has ended"),
    ],
    examples: [
      Example(
        "socat - UNIX-CONNECT:$XDG_RUNTIME_DIR/recorder/default.sock", "Type requests by hand"),
      Example("recorder status --json", "Print the same status once"),
      Example("recorder status --watch --json", "Print it with each change"),
    ])

  private static let output = HelpTopic(
    name: "json", title: "JSON", summary: "Names and units in the output of --json",
    paragraphs: [
      "Every command takes --json and then prints one line: an object that begins with \"schema\": 2. "
        + "Commands with --watch and \"recorder meter\" print a line for each change. A failure is an object "
        + "with error on stdout, and has the same exit code as without --json.",
      "A name means the same everywhere. New members may be added under schema 2; none is removed or "
        + "gets another meaning. A missing member and a null member mean the same: there is no "
        + "such value, or it is unknown. A level that is null is digital silence.",
      "Times are RFC 3339 in UTC, lengths of time seconds, levels dBFS, and volumes factors from 0 to 1. "
        + "Control characters are escaped, so a line can be shown anywhere.",
    ],
    list: "Members",
    entries: [
      ("exit, reason", "The exit code, and the word for it or for the end of a recording"),
      ("message, advice", "The text of a failure, and lines of advice"),
      ("path, sidecar", "The file, and the file of its marks, pauses and gaps"),
      ("name, id", "The name of a recording or a sound; the identifier of a take"),
      ("device, rate, channels, sample", "The device, and the format of its frames"),
      (
        "format, container, encoding, bits",
        "The format as given to an option, and the terms of a file"
      ),
      ("frames", "A number of frames; for a recording, an object with all counts"),
      ("duration, elapsed, bytes", "The length, the time so far, the size"),
      ("marks", "Marks with frame, time and label; in lists and results their number"),
      ("began, since, time", "Moments"),
      ("loudness, truePeak, peak", "LUFS, dBTP and dBFS"),
    ],
    examples: [
      Example("recorder takes --json", "List finished recordings"),
      Example("recorder stop --json", "Stop, and print the result"),
      Example("recorder info --levels --json talk.wav", "Print the facts of a file"),
      Example("recorder help exit-codes --json", "List the exit codes"),
    ])
}
