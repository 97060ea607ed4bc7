import Audio
import Testing

@testable import Commands

@Suite("The name of an exported file")
struct ExportNameTests {
  private func format(_ line: String) throws -> FileFormat {
    let words = ["export", "talk.wav"] + line.split(separator: " ").map(String.init)
    let arguments = try Parser.parse(words, by: .standard).arguments
    let name = try #require(arguments[ExportCommand.output].first?.text)
    return try ExportName.format(
      of: name, arguments[ExportCommand.format]?.format, from: "talk.wav",
      part: SoundPart(arguments))
  }

  @Test(
    "says the format, unless an option does",
    arguments: [
      ("a.flac", FileFormat.flac), ("A.MP3", .mp3), ("a.ogg", .ogg), ("-", .wav),
      ("a -f mp3", .mp3),
      ("a.2026 -f mp3", .mp3), ("a.b -f flac", .flac), ("a.aif -f aiff", .aiff),
      ("a.MP3 -f mp3", .mp3), ("a.oga -f ogg", .ogg), ("a.ogg -f opus", .opus),
      ("- -f flac", .flac),
    ])
  func format(line: String, expected: FileFormat) throws {
    #expect(try format(line) == expected)
  }

  @Test(
    "does not begin with @, but with a directory, as the name of every file to write",
    arguments: [
      "export a.wav @b.flac", "show a.wav --page @b", "show a.wav --png @b", "show a.wav --svg @b",
      "start @b.wav", "start --output @b.wav",
    ])
  func reference(line: String) throws {
    func parse(_ line: String) throws {
      _ = try Parser.parse(line.split(separator: " ").map(String.init), by: .standard)
    }
    let error = #expect(throws: UsageError.self) { try parse(line) }
    let advice = error?.message.advice.first ?? ""
    #expect(advice.contains("for a file of that name, write \"./@b"), "\(advice)")
    try parse(line.split(separator: "@").joined(separator: "./@"))
  }

  @Test(
    "does not contradict the option",
    arguments: [
      ("a.flac -f mp3", "use \".mp3\", or remove --format"),
      ("a.opus -f ogg", "use \".ogg\", or remove --format"), ("a.raw -f wav", "use \".wav\""),
      ("a.M4A -f aiff", "use \".aiff\""),
    ])
  func contradiction(line: String, advice: String) {
    let failure = #expect(throws: Failure.self) { try format(line) }
    #expect(failure?.code == .usage)
    #expect(failure?.message.advice == [advice])
  }
}
