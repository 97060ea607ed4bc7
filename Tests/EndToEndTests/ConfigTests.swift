import Foundation
import Support
import Testing

@Suite("Settings and the commands that use them", .timeLimit(.minutes(10)))
struct ConfigTests {
  private static let file = ".config/recorder/config.json"

  /// Makes a home with this settings file.
  private func studio(_ settings: String? = nil) throws -> Studio {
    let studio = try Studio()
    if let settings {
      try studio.run("mkdir -p .config/recorder; printf '%s' '\(settings)' > \(Self.file)")
    }
    return studio
  }

  @Test("Options override variables, and variables override the settings file")
  func precedence() throws {
    let studio = try studio(
      #"{"device": "test:ramp", "sounds.device": "test:null", "rate": 16000, "color": "auto"}"#)
    for (variable, key, expected, source) in [
      ("", "device", "test:ramp", "user"), ("", "sounds.device", "test:null", "user"),
      ("RECORDER_CAPTURE_DEVICE=", "device", "test:ramp", "user"),
      ("RECORDER_CAPTURE_DEVICE=test:tone", "device", "test:tone", "environment"),
      ("RECORDER_PLAYBACK_DEVICE=hw:9", "sounds.device", "hw:9", "environment"),
      ("NO_COLOR=1", "color", "never", "environment"), ("NO_COLOR=", "color", "auto", "user"),
      ("", "reconnect", "1m", "builtIn"),
    ] {
      let found = try parsed(studio.run("\(variable) $recorder config get \(key) --json").output)
      #expect(found["value"] as? String == expected, "\(variable) \(key)")
      #expect(found["source"] as? String == source, "\(variable) \(key)")
    }
    for (line, device, rate) in [
      ("$recorder start -n a a.wav", "test:ramp", 16_000),
      ("RECORDER_CAPTURE_DEVICE=test:tone $recorder start -n b b.wav", "test:tone", 16_000),
      (
        "RECORDER_CAPTURE_DEVICE=test:tone $recorder start -d test:silence -r 8000 -n c c.wav",
        "test:silence", 8_000
      ),
    ] {
      let started = try parsed(studio.run("\(line) --json").output)
      #expect(started["device"] as? String == device && started["rate"] as? Int == rate, "\(line)")
    }
    #expect(try studio.run("$recorder stop --all").code == 0)
  }

  @Test("Takes without a name get their directory, name and format from the settings")
  func names() throws {
    let studio = try studio()
    let made = try studio.run(
      """
      set -e; for setting in 'device test:ramp' 'directory ~/takes' 'pattern talk-%Y' 'format flac' \
        'bits 24' 'channels 1'; do $recorder config set $setting; done
      $recorder start; $recorder stop
      """)
    #expect(made.code == 0 && made.output.contains("format is \"flac\" (your file)"))
    let name = try studio.run("ls takes").output.dropLast()
    #expect(name.hasPrefix("talk-2") && name.hasSuffix(".flac"))
    let facts = try studio.run("$recorder info --json takes/*").output
    #expect(facts.contains("\"channels\":1") && facts.contains("24"), "\(facts)")
  }

  @Test("The volume in the settings applies to sounds without a volume of their own")
  func volume() throws {
    let theatre = try Theatre()
    let status = { (script: String) in
      try theatre.run(script)
      return try theatre.status()["bell"]?["volume"] as? Double
    }
    let play = "play bell --detach --loop > /dev/null"
    #expect(try status(play) == 1)
    #expect(try status("\"$recorder\" config set volume 0.5; \(play)") == 0.5)
    #expect(try status("play bell --detach --loop --volume 0.75") == 0.75)
    #expect(try status("sound volume bell 1; \(play)") == 1)
    theatre.endPlayer()
    #expect(try status(play) == 1)
  }

  @Test("An error in the settings prevents a start, but no control of recordings and no play")
  func broken() throws {
    let studio = try studio()
    #expect(try studio.run("start a.wav").code == 0)
    try studio.run("mkdir -p .config/recorder; echo '{\"frmat\": 1}' > \(Self.file)")
    let told = try studio.run("start -n b b.wav")
    #expect(told.code == 1 && told.errors.contains("did you mean \"format\"?"))
    #expect(told.errors.contains("\"recorder config unset frmat\" removes it"))
    #expect(try studio.run("$recorder play -d test:null click").code == 0)
    for line in [
      "status", "mark here", "pause", "resume", "permission status", "sound status", "takes",
      "sound stop", "stop", "permission revoke",
    ] {
      #expect(try studio.run("$recorder \(line)").code == 0, "\(line)")
    }
    let checks = try studio.run("$recorder doctor")
    #expect(checks.output.contains("problem  Settings      "))
    #expect(checks.output.contains("unknown setting \"frmat\""))
    let listed = try studio.run("$recorder config")
    #expect(listed.code == 1 && listed.output.contains("wrong     "))
    #expect(try studio.run("$recorder config unset frmat; $recorder config").code == 0)
  }

  @Test("config lists its commands, but not with --quiet")
  func commands() throws {
    let (listed, quiet) = (
      try studio().run("$recorder config"), try studio().run("$recorder config -q")
    )
    for verb in ["get", "set", "unset", "edit"] {
      let name = "  recorder config \(verb) "
      #expect(listed.output.contains(name) && !quiet.output.contains(name), "\(listed)")
    }
    #expect(quiet.code == 0 && quiet.output.contains("format"), "\(quiet)")
  }

  @Test("A sound that was not played yet is replayed on the device of the settings")
  func soundDevice() throws {
    let outcome = try Theatre().run(
      """
      unset RECORDER_PLAYBACK_DEVICE; "$recorder" config set sounds.device test:null > log
      sound replay tick > log; echo $?
      """)
    #expect(outcome.output == "0\n", "\(outcome)")
  }

  @Test("Concurrent changes to the settings are all kept")
  func concurrent() throws {
    let studio = try studio()
    let keys = [
      "device x", "directory /x", "pattern %F", "format wav", "bits 16", "rate 8000", "channels 1",
      "reconnect 1s", "volume 1", "sounds.device x", "color auto",
    ]
    let lines = keys.map { "$recorder config set \($0) &" }.joined(separator: "\n")
    try studio.run("\(lines)\nwait")
    let text = try String(decoding: studio.scratch.read(Self.file), as: UTF8.self)
    #expect(try parsed(text).count == keys.count, "\(text)")
    #expect(try studio.run("ls -A .config/recorder").output == "config.json\n")
  }

  @Test("Edited settings with errors do not take effect, and are kept in a draft")
  func edit() throws {
    let studio = try studio(#"{"rate": 48000}"#)
    let good = try studio.run("EDITOR='sed -i s/48000/44100/' $recorder config edit")
    #expect(good.code == 0 && good.output.contains("44100"))
    let before = try studio.scratch.read(Self.file)
    for (editor, told) in [
      ("sed -i s/rate/rat/", "unknown setting \"rat\""), ("sed -i s/44100/fast/", "line 1"),
      ("sed -i s/}//", "line 1"), ("false", "your settings are unchanged"), ("/none", "/none"),
    ] {
      let outcome = try studio.run(
        "VISUAL='\(editor)' EDITOR=true $recorder config edit < /dev/null")
      #expect(outcome.code == 1 && outcome.errors.contains(told), "\(outcome.errors)")
      #expect(try studio.scratch.read(Self.file) == before)
    }
    let drafts = try studio.run("cat .config/recorder/.*.json").output
    for text in ["{\"rat\": 44100}", "{\"rate\": fast}", "{\"rate\": 44100{"] {
      #expect((drafts + "{").contains(text), "\(drafts)")
    }
    let unattended = try studio.run("unset VISUAL EDITOR; $recorder config edit < /dev/null")
    #expect(unattended.code == 64 && unattended.errors.contains("config set"), "\(unattended)")
    #expect(try studio.run("EDITOR=true $recorder config edit").code == 0)
    #expect(try studio.scratch.read(Self.file) == before)
  }

  @Test("An edit during which another command changes the settings keeps that change and the draft")
  func overtaken() throws {
    let studio = try studio(#"{"rate": 48000}"#)
    try studio.run(
      """
      printf '%s\\n' '#!/bin/sh' '"$recorder" config set bits 24 > log' \
        'sed -i s/48000/44100/ "$1"' > editor; chmod +x editor
      """)
    let outcome = try studio.run("EDITOR=./editor $recorder config edit < /dev/null")
    let told = "during the edit, and its change is kept"
    #expect(outcome.code == 1 && outcome.errors.contains(told), "\(outcome)")
    let settings = try parsed(studio.run("cat \(Self.file)").output)
    #expect(settings["rate"] as? Int == 48_000 && settings["bits"] as? Int == 24, "\(settings)")
    #expect(try studio.run("cat .config/recorder/.*.json").output.contains("44100"))
  }

  @Test("An edited file keeps its symbolic link and its mode, even if it had a syntax error")
  func linked() throws {
    let studio = try studio("{")
    let outcome = try studio.run(
      """
      mkdir dotfiles && mv \(Self.file) dotfiles/config.json && chmod 644 dotfiles/config.json
      ln -s ../../dotfiles/config.json \(Self.file)
      EDITOR='sed -i s/{/{}/' $recorder config edit < /dev/null
      stat -c '%F %a' \(Self.file) dotfiles/config.json; cat dotfiles/config.json
      """)
    #expect(outcome.output.hasSuffix("symbolic link 777\nregular file 644\n{}"), "\(outcome)")
  }

  @Test("On a terminal, edited settings with errors can be edited again", .requires(tool: "script"))
  func offered() throws {
    let studio = try studio(#"{"rate": 48000}"#)
    // This editor writes an invalid file the first time, and a valid one the second time.
    try studio.run(
      """
      printf '%s\\n' '#!/bin/sh' 'if [ -e once ]; then echo "{}" > "$1"; else echo "{x" > "$1"; fi' \
        'touch once' > editor; chmod +x editor
      """)
    let run = { (answer: String) in
      try studio.run(
        """
        export EDITOR=./editor; rm -f typed
        (await grep -qs again typed; echo \(answer)) | script -qefc '"$recorder" config edit' typed
        """
      )
    }
    let first = try run("n")
    #expect(first.code == 1 && first.output.contains("Edit it again? [Y/n]"), "\(first.output)")
    try studio.run("rm once")
    #expect(try run("y").code == 0)
    #expect(try String(decoding: studio.scratch.read(Self.file), as: UTF8.self) == "{}\n")
  }
}
