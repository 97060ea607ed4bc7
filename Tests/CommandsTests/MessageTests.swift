import Audio
import Control
import Glibc
import Linux
import Store
import Support
import Takes
import Testing

@testable import Commands

@Suite("Messages")
struct MessageTests {
  @Test(
    "A file that cannot be written is refused with advice",
    arguments: [
      (.accessDenied, "that you may write to"), (.noSpace, "make room on that disk"),
      (.readOnlyFilesystem, "on a disk that can be written"),
    ] as [(Errno, String)])
  func unwritable(errno: Errno, words: String) {
    let path = "/ro/a.wav"
    let failures = [
      Failure(TakeError.output(path, .failed(errno))),
      Failure(TakeError.output(path, .failed(SystemError("openat", path, errno: errno)))),
      Failure(writing: SystemError("openat", path, errno: errno)),
    ]
    for failure in failures {
      #expect(failure.code == .outputRefused)
      #expect(failure.message.advice.first?.contains(words) == true, "\(failure)")
    }
    #expect(Failure(writing: SystemError("write", nil, errno: errno)).message.advice.isEmpty)
  }

  @Test("A message says what happened, to what, why and what to do")
  func lines() {
    let message = Message(
      "cannot open", on: "a.wav", why: "No such file or directory", advice: "look again")
    #expect(
      message.lines(.error)
        == "recorder: cannot open \"a.wav\": No such file or directory\nrecorder: look again\n")
  }

  @Test("Every outcome of a take is an exit code with the same name")
  func outcomes() {
    let outcomes = (Int32(0)..<256).compactMap { Outcome(rawValue: $0) }
    #expect(outcomes.contains(.done) && outcomes.count > 5)
    for outcome in outcomes {
      #expect(ExitCode(rawValue: outcome.rawValue)?.word == "\(outcome)")
    }
  }

  @Test(
    "A missing device is a microphone, a speaker or a program",
    arguments: [
      ("default", "microphone"), ("output", "speaker"), ("output:hdmi", "speaker"),
      ("app:firefox", "program"),
    ])
  func missingDevice(device: String, kind: String) {
    #expect(
      ProgramHost().words(for: EndCause.absent(Track(device: device)))
        == "the \(kind) \"\(device)\" disappeared")
  }

  @Test("An interruption says that no file was written only if the command writes one")
  func interruption() throws {
    for writesFile in [false, true] {
      let line = try ProgressLine("Reading", "a.wav", writesFile: writesFile, Console())
      try line.update(0.4)
      raise(SIGINT)
      let failure = #expect(throws: Failure.self) { try line.update(0.5) }
      #expect(
        failure?.message.fact == "interrupted while reading \"a.wav\""
          + (writesFile ? "; no file was written" : ""))
    }
  }

  @Test("A command is not broken into lines, even in a narrow terminal")
  func command() {
    let command = "ffmpeg -ss 1:00 -i 'a talk.wav' talk.m4a"
    let message = Message("cannot write it", advice: ["ffmpeg may do it:"], command: command)
    for width in [nil, 20, 40] {
      let last = message.lines(.error, width: width).split(separator: "\n").last
      #expect(last == "          \(command)")
    }
    #expect(message.remedies == ["ffmpeg may do it:", command])
  }

  @Test("A path in a message has no line end, even in a narrow terminal")
  func path() {
    let path = "/var/tmp/a very long name of a directory/foo-002.wav"
    let message = Message("cannot move a file to \(quoted(path)): a file has that name")
    for width in [20, 40, 80] {
      #expect(message.lines(.error, width: width).contains("\"\(path)\":"))
    }
  }

  @Test(
    "A path in a report is quoted only if it contains a space",
    arguments: [
      ("/tmp/bar.wav", "/tmp/bar.wav"), ("/tmp/my bar.wav", "\"/tmp/my bar.wav\""),
      ("a\u{1B}.wav", "a\\x1B.wav"), ("a \u{1B}.wav", "\"a \\x1B.wav\""),
    ])
  func reported(path: String, text: String) { #expect(pathText(path) == text) }

  @Test("A warning is labelled, a note is not")
  func kinds() {
    #expect(Message("low").lines(.warning) == "recorder: warning: low\n")
    #expect(Message("low").lines(.note) == "recorder: low\n")
  }

  @Test(
    "A shell reads any argument as one word",
    arguments: [
      "a.wav", "", "a b", "$(x)", "it's", "'", "'\u{301}; x '\u{301}", "\u{301}'", "'\u{FE0F}'",
    ])
  func argument(foreign: String) throws {
    let outcome = try Tool.run("sh", ["-c", "printf '%s.' \(shellArgument(foreign))"])
    #expect(outcome.output.elementsEqual((foreign + ".").utf8), "\(outcome)")
  }

  @Test("Control characters in foreign text do not reach the terminal")
  func hostile() {
    let message = Message("cannot open", on: "a\u{1B}]0;b\u{7}\n", why: "\u{202E}")
    let line = message.lines(.error).dropLast()
    #expect(!line.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\n" || $0 == "\u{202E}" })
  }

  @Test("A count of one has a singular noun")
  func singular() {
    func words(_ warning: SessionWarning) -> String { PlainHost().words(for: warning) }
    let changed = words(.changed(["/a.wav", "/b.wav"]))
    #expect(changed.contains(" recorded, as was 1 other file: --keep"))
    let several = words(.changed(["/a.wav", "/b.wav", "/c.wav"]))
    #expect(several.contains(" recorded, as were 2 other files: --keep"))
    #expect(words(.lost(1)) == "1 frame lost")
    #expect(words(.silence) == "only digital silence so far: check the device and its mute switch")
    let late = words(.lost(480, last: .milliseconds(61_500)))
    #expect(late == "480 frames lost, the last at 1:01.500")
    #expect(words(.deleted(1)) == "the disk is full: --keep deleted 1 undelivered file")
    #expect("\(ByteCount(1))" == "1 byte")
  }

  @Test("A refused take is described in words that its user knows")
  func refusedTake() {
    #expect(Failure(TakeError.nameless).message.fact == "the recording has no valid name")
    let client = Failure(TakeError.unknownClient("a b"))
    #expect(client.message.fact == "\"a b\" is not a valid client name")
    let samples = Failure(TakeError.recovery("/a.part", .unknownSamples))
    let advice = "raw samples need no repair: give the file a name that ends in .raw"
    #expect(samples.message.advice == [advice])
  }

  @Test("The advice for a change that failed fits the command that made it")
  func refusedChange() {
    func advice(_ error: TakeChangeError, _ typed: String? = nil) -> [String] {
      Failure(changing: typed, error).message.advice
    }
    #expect(
      advice(.gone("/a.wav", .undo)) == [
        "this change cannot be undone any more; "
          + "type \"recorder undo\" again for the change before it"
      ])
    #expect(
      advice(.gone("/a.wav", .redo)) == [
        "this change cannot be redone any more; "
          + "type \"recorder redo\" again for the change after it"
      ])
    let recorded = TakeChangeError.recorded("/b.wav", name: "talk")
    #expect(advice(recorded, "a.wav") == ["choose another name"])
    #expect(
      advice(recorded) == [
        "stop that recording with \"recorder stop talk\", move its file away, and try again"
      ])
  }
}
