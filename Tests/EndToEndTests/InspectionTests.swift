import Foundation
import Support
import Testing

@Suite("Inspecting devices, files and the machine")
struct InspectionTests {
  /// Returns the variable that makes ALSA's `null` the only device on every machine.
  private func onlyNull(_ scratch: borrowing ScratchDirectory) throws -> [String: String?] {
    let configuration = """
      pcm.!default { type null hint { show on description "Nothing at all" } }
      ctl.!default { type hw card 0 }
      """
    return ["ALSA_CONFIG_PATH": try scratch.write(configuration, to: "asound.conf")]
  }

  private func parsed(_ output: String) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
  }

  @Test("A machine without a card lists the test devices, and the exit code is 0")
  func devices() throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh("$recorder devices", environment: onlyNull(scratch))
    #expect(outcome.code == 0 && outcome.errors == "")
    #expect(outcome.output.contains("  default  (used without --device)\n"))
    #expect(outcome.output.contains("Nothing at all"))
    #expect(outcome.output.contains("test:tone[:HZ], test:silence, test:ramp"))
    #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("Devices in the environment are named, and the default is not shown as the one used")
  func chosenDevices() throws {
    let scratch = try ScratchDirectory()
    let variables = [
      "RECORDER_CAPTURE_DEVICE": "test:tone", "RECORDER_PLAYBACK_DEVICE": "test:null",
    ]
    let environment = try onlyNull(scratch).merging(scratch.asHome) { $1 }.merging(variables) { $1 }
    for command in ["devices", "doctor"] {
      let outcome = try sh("$recorder \(command)", environment: environment)
      for (variable, device) in variables {
        let line = "\(variable) names \"\(device)\""
        #expect(outcome.output.contains(line), "\(outcome.output)")
      }
      #expect(!outcome.output.contains("(used without --device)"))
    }
    let capture = try sh("$recorder devices capture", environment: environment).output
    #expect(
      capture.contains("\"test:tone\", used without --device") && !capture.contains("test:null"))
  }

  @Test("The list can be limited to one direction", arguments: ["capture", "playback"])
  func direction(direction: String) throws {
    let outcome = try sh("$recorder devices --json \(direction)")
    let devices = try #require(try parsed(outcome.output)["devices"] as? [[String: Any]])
    #expect(!devices.isEmpty && devices.allSatisfy { $0["direction"] as? String == direction })
  }

  @Test("doctor reports no problem if the default device can be opened")
  func doctor() throws {
    let scratch = try ScratchDirectory()
    let environment = try onlyNull(scratch).merging(scratch.asHome) { $1 }
    #expect(try sh("$recorder permission grant", environment: environment).code == 0)
    let outcome = try sh("$recorder doctor", environment: environment)
    #expect(outcome.code == 0 && outcome.errors == "")
    #expect(outcome.output.contains("ok       Recording     the default device supports: any rate"))
    #expect(
      try parsed(sh("$recorder doctor --json", environment: environment).output)["works"] as? Bool
        == true)
  }

  @Test("doctor checks the devices and the directory of the settings")
  func configured() throws {
    let scratch = try ScratchDirectory()
    let environment = try onlyNull(scratch).merging(scratch.asHome) { $1 }
    let outcome = try sh(
      """
      echo 'pcm.silent { type null }' >> "$ALSA_CONFIG_PATH"; export RECORDER_PLAYBACK_DEVICE=
      "$recorder" permission grant && "$recorder" config set device none &&
      "$recorder" config set directory ~/takes && "$recorder" config set sounds.device silent
      RECORDER_CAPTURE_DEVICE= "$recorder" doctor --json; echo $?
      RECORDER_CAPTURE_DEVICE=test:tone "$recorder" doctor --json; echo $?
      """, environment: environment)
    let lines = outcome.output.split(separator: "\n").suffix(4).map(String.init)
    try #require(lines.count == 4 && lines[1] == "12" && lines[3] == "0", "\(outcome)")
    func finding(_ subject: String, _ line: String) throws -> String {
      let checks = try parsed(line)["checks"] as? [[String: Any]]
      let check = checks?.first { $0["subject"] as? String == subject }
      return try #require(check?["finding"] as? String, "\(line)")
    }
    #expect(try finding("Recording", lines[0]).contains("names \"none\": no device \"none\""))
    #expect(try finding("Playing", lines[0]).contains("names \"silent\", which supports: any rate"))
    #expect(try finding("Disk", lines[0]).hasPrefix(scratch.path("takes/") + ": "))
    let tone = "RECORDER_CAPTURE_DEVICE names \"test:tone\""
    #expect(try finding("Recording", lines[2]).hasPrefix(tone))
  }

  @Test("Without permission no capture device is opened, and the list says so")
  func unopened() throws {
    let scratch = try ScratchDirectory()
    // An attempt to open this microphone shows as an error, because its input file does not exist.
    let configuration = """
      pcm.!default {
        type file  slave.pcm { type null }  file "/dev/null"  infile "\(scratch.path("sound"))"
        format raw  hint { show on description "A microphone" }
      }
      ctl.!default { type hw card 0 }
      """
    let environment = scratch.asHome.merging(
      ["ALSA_CONFIG_PATH": try scratch.write(configuration, to: "asound.conf")]) { $1 }
    func microphone() throws -> [String: Any] {
      let list = try parsed(sh("$recorder devices capture --json", environment: environment).output)
      let devices = list["devices"] as? [[String: Any]]
      return try #require(devices?.first { $0["name"] as? String == "default" })
    }
    let closed = try microphone()
    #expect(closed["opened"] as? Bool == false && closed["error"] is NSNull, "\(closed)")
    let list = try sh("$recorder devices", environment: environment).output
    #expect(list.contains("\nWithout microphone access, capture devices are not opened. "))
    let doctor = try sh("$recorder doctor", environment: environment).output
    #expect(
      doctor.contains("warning  Recording     the default device was not opened"), "\(doctor)")
    #expect(try sh("$recorder permission grant", environment: environment).code == 0)
    let opened = try microphone()
    #expect(opened["opened"] as? Bool == true && opened["error"] is String, "\(opened)")
    let denied = environment.merging(["RECORDER_PERMISSION": "deny"]) { $1 }
    #expect(
      try parsed(sh("$recorder devices capture --json", environment: denied).output)["microphone"]
        as? String == "denied")
  }

  @Test("Without any device, doctor says what to do and exits with 12")
  func doctorWithoutDevice() throws {
    let scratch = try ScratchDirectory()
    let empty = try scratch.write("", to: "asound.conf")
    let environment = scratch.asHome.merging(["ALSA_CONFIG_PATH": empty]) { $1 }
    #expect(try sh("$recorder permission grant", environment: environment).code == 0)
    let outcome = try sh("$recorder doctor", environment: environment)
    #expect(outcome.code == 12 && outcome.errors == "")
    #expect(outcome.output.contains("problem  Recording"))
    #expect(outcome.output.contains("-> "))
  }

  @Test(
    "The marks of a take are printed, even if they are stored next to the file",
    arguments: ["wav", "flac", "opus", "caf", "aiff"])
  func marks(format: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start -q -d test:tone a.\(format) > /dev/null && "$recorder" mark here > /dev/null &&
      "$recorder" stop -q > /dev/null && "$recorder" info a.\(format) && "$recorder" info --json @1
      """)
    #expect(outcome.code == 0 && outcome.output.contains(" here\n"), "\(outcome)")
    let json = try parsed(String(try #require(outcome.output.split(separator: "\n").last)))
    let file = try #require((json["files"] as? [[String: Any]])?.first)
    let marks = try #require(file["marks"] as? [[String: Any]])
    #expect(marks.count == 1 && marks.first?["label"] as? String == "here")
  }

  @Test("info describes the sound files, reports the others, and exits with the first failure")
  func info() throws {
    let scratch = try ScratchDirectory()
    try Data(silence).write(to: URL(filePath: scratch.path("a.wav")))
    try scratch.write("no sound", to: "b.wav")
    let outcome = try sh(
      "cd \(scratch.path) && $recorder info -l b.wav a.wav missing.wav . \"$(printf 'x\\ry')\"")
    #expect(outcome.code == 16)
    #expect(outcome.output.hasPrefix("a.wav\n  Container  WAV"))
    #expect(outcome.output.contains("  Length     0:01.000 (8000 frames)\n"))
    #expect(outcome.output.contains("  Peak       silence\n"))
    #expect(
      outcome.errors == """
        recorder: cannot read "b.wav": it is a text file, not a sound
        recorder: cannot read "missing.wav": No such file or directory
        recorder: cannot read ".": it is a directory
        recorder: cannot read "x\\ry": No such file or directory

        """)
  }

  @Test("info shows the date of a take in local time, as the list does")
  func localDate() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --foreground --quiet --duration 100ms a.wav > said; export TZ=HERE-5
      "$recorder" info a.wav | grep '  Date  '; "$recorder" takes; "$recorder" info a.wav --json
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 3, "\(outcome)")
    let date = lines[0].trimmingCharacters(in: .whitespaces).dropFirst(4).drop { $0 == " " }
    #expect(date.count == 19 && lines[1].contains(date), "\(outcome)")
    #expect(!lines[2].contains(date), "\(outcome)")
  }

  @Test("A missing file exits with 10, also with --json")
  func missing() throws {
    let outcome = try sh("$recorder info --json missing.wav")
    #expect(outcome.code == 10)
    let files = try #require(try parsed(outcome.output)["files"] as? [[String: Any]])
    #expect(files.first?["exit"] as? Int == 10)
  }

  /// One second of silence as a WAV file, mono at 8 kHz.
  private var silence: [UInt8] {
    func little(_ number: UInt32, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }
    let format = little(1, 2) + little(1, 2) + little(8_000) + little(16_000) + little(2, 2)
    return Array("RIFF".utf8) + little(16_036) + Array("WAVEfmt ".utf8) + little(16) + format
      + little(16, 2) + Array("data".utf8) + little(16_000) + [UInt8](repeating: 0, count: 16_000)
  }
}
