import Testing

@testable import Commands

@Suite("The list of sounds")
struct SoundListTests {
  private let sound = SoundLine(
    name: "disconnect", length: "0:00.80", words: "disconnected from a device or network")

  @Test("The meaning of a sound is complete at every width", arguments: [20, 40, 60, 80])
  func meaning(width: Int) {
    let text = sound.text(column: min(20, width / 2), width: width)
    let words = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(words == "disconnect 0:00.80 disconnected from a device or network")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
  }

  @Test("A meaning is on the line of its sound if it fits, and otherwise below the name")
  func lines() {
    #expect(
      sound.text(column: 20, width: 80)
        == "  disconnect        0:00.80  disconnected from a device or network\n")
    #expect(
      sound.text(column: 20, width: 40)
        == "  disconnect        0:00.80\n    disconnected from a device or\n    network\n")
  }

  @Test("A name that is too wide is complete on its own line")
  func wideName() {
    let name = String(repeating: "long", count: 6)
    let line = SoundLine(name: name, length: "0:00.80", words: "a bell")
    #expect(
      line.text(column: 10, width: 40) == "  \(name)\n          0:00.80  a bell\n")
    let broken = SoundLine(name: name, words: "cannot be played: it is a text file, not a sound")
    #expect(
      broken.text(column: 10, width: 40)
        == "  \(name)\n    cannot be played: it is a text file,\n    not a sound\n")
  }
}
