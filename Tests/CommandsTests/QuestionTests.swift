import Permission
import Testing

@testable import Commands

@Suite("The question about the microphone")
struct QuestionTests {
  @Test("The question names the device, the file, the user and the effect of each key")
  func shape() {
    let question = Question(device: "USB Audio (hw:1,0)", output: "./standup.wav", user: "alice")
    #expect(
      question.text == """
        recorder wants to use the microphone.
          Device: USB Audio (hw:1,0)   Output: ./standup.wav   User: alice
        Allow recorder to use the microphone?
        [y] always  [o] only this time  [n] don't allow  (Enter = not now):\u{20}
        """)
  }

  @Test("The question names system audio, or both services in one question")
  func services() {
    var question = Question(services: [.systemAudio], device: "output", user: "alice")
    #expect(
      question.text.hasPrefix("recorder wants to record the sound that this computer plays.\n"))
    question.services = Set(Service.allCases)
    let lines = question.text.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(2).joined(separator: " ")
        == "recorder wants to use the microphone and to record the sound that this computer plays.")
    #expect(lines.contains { $0.hasPrefix("Allow recorder to use the microphone and to record") })
  }

  @Test("The question fits 80 columns, with room for the answer")
  func width() {
    let question = Question(device: "USB Audio (hw:1,0)", output: "./standup.wav", user: "alice")
    #expect(question.text.split(separator: "\n").allSatisfy { $0.count < 80 })
  }

  @Test("In a narrow terminal the question and the reminder break at spaces", arguments: 20...50)
  func narrow(width: Int) {
    var question = Question(device: "USB", output: "./a.wav", user: "alice")
    question.width = width
    for text in [question.text, question.reminder] {
      let lines = text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
      #expect(text.hasSuffix("(Enter = not now): ") && lines.last.map { $0.count < width } == true)
      #expect(text.contains("[n] don't allow"))
    }
  }

  @Test("Unknown facts are left out, and a client is named")
  func sparse() throws {
    var question = Question(user: "alice")
    #expect(question.text.contains("\n  User: alice\n"))
    question.client = try #require(Client("dictation"))
    #expect(question.text.contains("\n  Client: dictation   User: alice\n"))
  }

  @Test("Names that do not fit have a line each, and long names are shortened")
  func long() {
    let name = "begin" + String(repeating: "x", count: 100_000) + "end"
    let lines = Question(device: name, output: "a.wav", user: "alice").text.split(separator: "\n")
    #expect(lines.count == 6 && lines.allSatisfy { $0.count <= 220 })
    #expect(lines[1].hasPrefix("  Device: beginx") && lines[1].hasSuffix("xend"))
    #expect(lines[2] == "  Output: a.wav" && lines[3] == "  User: alice")
  }

  @Test(
    "No name reaches the terminal as it is",
    arguments: [
      "\u{1B}[2J\u{1B}[H", "\u{1B}]0;title\u{7}", "\u{9B}31m", "a\rAllowed\n", "\u{202E}vaw.a",
      "\u{200B}\u{2066}\u{FEFF}", "\u{7F}\u{8}", "\u{2028}", "\0",
    ])
  func hostile(name: String) throws {
    let text = Question(device: name, output: name, user: name).text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 4 || lines.count == 6)
    let harmless = lines.joined().unicodeScalars.allSatisfy {
      ![.control, .format, .lineSeparator, .paragraphSeparator]
        .contains($0.properties.generalCategory)
    }
    #expect(harmless)
  }
}
