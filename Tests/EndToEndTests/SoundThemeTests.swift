import Foundation
import Support
import Testing

private let debian = "/usr/share/sounds/freedesktop/stereo"

extension Trait where Self == ConditionTrait {
  fileprivate static var requiresDebianTheme: Self {
    .enabled(
      if: FileManager.default.fileExists(atPath: debian),
      "sound-theme-freedesktop is not installed")
  }
}

@Suite("The desktop's sound themes", .timeLimit(.minutes(10)))
struct SoundThemeTests {
  /// Returns the file that a name leads to, `disabled`, or an empty text if there is no such sound.
  private func path(_ name: String, _ theatre: Theatre, _ variables: String = "") throws -> String {
    let outcome = try theatre.run("\(variables) \"$recorder\" sound info --json \(name)")
    guard let sound = try parsed(outcome.output)["sound"] as? [String: Any] else { return "" }
    if sound["disabled"] as? Bool == true { return "disabled" }
    let home = theatre.scratch.path + "/.local/share/sounds/"
    return (sound["path"] as? String ?? "").replacingOccurrences(of: home, with: "")
  }

  @Test(
    "Every event of Debian's freedesktop theme resolves and plays to its end",
    .requiresDebianTheme)
  func debianEvents() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      for file in \(debian)/*; do
        name=${file##*/}; name=${name%.*}
        (play "$name" --json > "$name.name"; play "$file" --json > "$name.file") &
      done; wait
      for file in \(debian)/*; do
        name=${file##*/}; name=${name%.*}
        sound info "$name" > /dev/null && grep -q '"reason":"ended"' "$name.name" &&
          grep -q '"reason":"ended"' "$name.file" && echo "$name"
      done
      """, limit: .seconds(120))
    let files = try FileManager.default.contentsOfDirectory(atPath: debian)
    let names = files.map { String($0.prefix { $0 != "." }) }.sorted()
    #expect(names.count > 30)
    #expect(outcome.output.split(separator: "\n").map(String.init).sorted() == names, "\(outcome)")
  }

  @Test(
    "An unknown name becomes a more general one, and plays",
    .requiresDebianTheme)
  func generalName() throws {
    let theatre = try Theatre()
    #expect(try path("message-new-email", theatre).hasSuffix("/Sounds/message.wav"))
    #expect(try theatre.run("play message-new-email --json").output.contains("\"ended\""))
    #expect(
      try path("audio-channel-side-left-loud", theatre) == "\(debian)/audio-channel-side-left.oga")
    let themed = ".local/share/sounds/freedesktop/stereo"
    try theatre.ramp("a.wav", frames: 480)
    try theatre.run("mkdir -p \(themed); cp a.wav \(themed)/message-new-email.wav")
    #expect(try path("message-new-email", theatre) == "freedesktop/stereo/message-new-email.wav")
    #expect(try theatre.run("play message-new-email --json").output.contains("\"ended\""))
  }

  @Test("Playing a disabled sound exits with 0 immediately, and the list shows it as disabled")
  func disabled() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 48_000)
    try theatre.run(
      """
      own=.local/share/recorder/sounds; mkdir -p $own; touch $own/bell.disabled; cp a.wav $own/bell.wav
      theme=.local/share/sounds/__custom; mkdir -p $theme
      printf '[Sound Theme]\\nDirectories=.\\n' > $theme/index.theme; touch $theme/hush.disabled
      """)
    for name in ["bell", "hush", "hush-hush"] {
      let outcome = try theatre.run("play \(name) --json")
      #expect(outcome.code == 0 && outcome.output.contains("\"disabled\""), "\(outcome)")
      #expect(outcome.errors.contains("\"\(name)\" is disabled"))
      #expect(try path(name, theatre) == "disabled")
    }
    #expect(try theatre.status().isEmpty)
    #expect(try theatre.run("sound list hush").output.contains("  hush  disabled\n"))
  }

  @Test("The chosen theme plays, with its profile, its locale and the themes that it inherits")
  func chosen() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    try theatre.run(
      """
      mkdir -p .local/share; cd .local/share
      put() { mkdir -p "sounds/${1%/*}"; cp ~/a.wav "sounds/$1"; }
      index() { mkdir -p "sounds/$1"; cat > "sounds/$1/index.theme"; }
      index birch <<'END'
      [Sound Theme]
      Inherits=wood
      Directories=stereo 5.1
      [stereo]
      OutputProfile=stereo
      [5.1]
      OutputProfile=5.1
      END
      index wood <<'END'
      [Sound Theme]
      Inherits=birch,../..
      Directories=.
      [.]
      END
      put birch/stereo/creak.wav; put birch/5.1/creak.wav; put birch/stereo/de/creak.wav
      put wood/creak.wav; put wood/knock.wav; put ./rustle.wav; put ../../outside.wav
      """)
    let birch = "RECORDER_SOUND_THEME=birch"
    for (name, variables, expected) in [
      ("creak", birch, "birch/stereo/creak.wav"),
      ("creak", "\(birch) LC_ALL=de_AT.UTF-8", "birch/stereo/de/creak.wav"),
      ("creak", "\(birch) LC_ALL= LC_MESSAGES=de", "birch/stereo/de/creak.wav"),
      ("creak", "\(birch) LC_ALL=../stereo", "birch/stereo/creak.wav"),
      ("creak", "\(birch) RECORDER_SOUND_PROFILE=5.1", "birch/5.1/creak.wav"),
      ("creak", "\(birch) RECORDER_SOUND_PROFILE=mono", "birch/stereo/creak.wav"),
      ("creak", "RECORDER_SOUND_THEME=wood", "wood/creak.wav"),
      ("knock-loud", birch, "wood/knock.wav"), ("rustle", birch, "rustle.wav"),
      ("creak", "RECORDER_SOUND_THEME=../birch", ""), ("knock", "", ""), ("outside", birch, ""),
    ] {
      #expect(try path(name, theatre, variables) == expected, "\(name) \(variables)")
      let played = try theatre.run("export \(variables); play \(name)")
      #expect(played.code == (expected.isEmpty ? 10 : 0), "\(name) \(variables): \(played)")
    }
  }

  @Test(
    "Every command refuses an unknown name with 10 and suggests the nearest",
    arguments: ["play", "sound info", "sound prepare", "sound resume", "sound replay"])
  func nearest(command: String) throws {
    let theatre = try Theatre()
    for (typed, nearest) in [
      ("dnoe", "\"done\""), ("umbrela", "\"umbrella\""), ("dialog-eror", "\"dialog-error\""),
    ] {
      let outcome = try theatre.run("\(command) \(typed)")
      #expect(outcome.code == 10, "\(outcome)")
      #expect(
        outcome.errors == """
          recorder: no sound "\(typed)"
          recorder: did you mean \(nearest)?

          """)
    }
  }
}

@Suite("An event that has a bundled sound", .timeLimit(.minutes(5)))
struct SoundWishTests {
  /// Makes a theme in the user's directory with sounds of these names.
  private func theme(_ name: String, _ sounds: [String], in theatre: Theatre) throws {
    try theatre.ramp("a.wav", frames: 480)
    try theatre.run(
      """
      theme=.local/share/sounds/\(name); mkdir -p $theme
      printf '[Sound Theme]\\nDirectories=.\\n' > $theme/index.theme
      for sound in \(sounds.joined(separator: " ")); do cp a.wav $theme/$sound.wav; done
      """)
  }

  private func source(_ name: String, _ theatre: Theatre, _ variables: String = "") throws -> String
  {
    let outcome = try theatre.run("\(variables) \"$recorder\" sound info --json \(name)")
    let sound = try parsed(outcome.output)["sound"] as? [String: Any]
    if sound?["disabled"] as? Bool == true { return "disabled" }
    return sound?["theme"] as? String ?? sound?["source"] as? String ?? "\(outcome)"
  }

  @Test(
    "is that of the theme that was chosen, and the bundled one without a choice",
    arguments: ["dialog-error", "complete", "message-new-instant", "message-new-email"])
  func chosen(event: String) throws {
    let theatre = try Theatre()
    try theme(
      "mine", ["dialog-error", "complete", "message-new-instant", "message", "done"], in: theatre)
    #expect(try source(event, theatre) == "bundled")
    let wish = "RECORDER_SOUND_THEME=mine"
    #expect(try source(event, theatre, wish) == "mine")
    // A bundled sound's own name is not an event.
    #expect(try source("done", theatre, wish) == "bundled")
    #expect(try source("phone-failure", theatre, wish) == "bundled")
    let list = try theatre.run("\(wish) \"$recorder\" sound list --json \(event)").output
    #expect(list.contains("\"theme\":\"mine\"") || event == "message-new-email", "\(list)")
    let played = try theatre.run("\(wish) play \(event) --json")
    #expect(played.output.contains("\"ended\""), "\(played)")
  }

  @Test(
    "is silent where the user has disabled it, in any of the places for that",
    arguments: [
      ".local/share/recorder/sounds/dialog-error", ".local/share/recorder/sounds/error",
      ".local/share/sounds/__custom/dialog-error", ".local/share/sounds/dialog-error",
    ])
  func disabled(place: String) throws {
    let theatre = try Theatre()
    try theme("__custom", [], in: theatre)
    #expect(try source("dialog-error", theatre) == "bundled")
    try theatre.run("mkdir -p $(dirname \(place)); touch \(place).disabled")
    #expect(try source("dialog-error", theatre) == "disabled")
    let played = try theatre.run("play dialog-error --json")
    #expect(played.code == 0 && played.output.contains("\"disabled\""), "\(played)")
    #expect(try source("dialog-warning", theatre) == "bundled")
  }
}
