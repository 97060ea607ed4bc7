import Testing

@testable import CommandLine

@Suite("Messages")
struct MessageTests {
  @Test("A message says what, on what, why and what to do")
  func lines() {
    let message = Message(
      "cannot open", on: "a.wav", why: "No such file or directory", advice: "look again")
    #expect(
      message.lines(.error)
        == "recorder: cannot open \"a.wav\": No such file or directory\nrecorder: look again\n")
  }

  @Test("A command stays in one piece, however narrow the terminal is")
  func command() {
    let command = "ffmpeg -ss 1:00 -i 'a talk.wav' talk.m4a"
    let message = Message("cannot write it", advice: ["ffmpeg may do it:"], command: command)
    for width in [nil, 20, 40] {
      let last = message.lines(.error, width: width).split(separator: "\n").last
      #expect(last == "          \(command)")
    }
    #expect(message.remedies == ["ffmpeg may do it:", command])
  }

  @Test("A warning says that it is one, a note does not")
  func kinds() {
    #expect(Message("low").lines(.warning) == "recorder: warning: low\n")
    #expect(Message("low").lines(.note) == "recorder: low\n")
  }

  @Test("No foreign word can reach the terminal as it is")
  func hostile() {
    let message = Message("cannot open", on: "a\u{1B}]0;b\u{7}\n", why: "\u{202E}")
    let line = message.lines(.error).dropLast()
    #expect(!line.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\n" || $0 == "\u{202E}" })
  }
}
