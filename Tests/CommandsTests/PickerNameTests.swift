import Testing

@testable import Commands

@Suite("The names in the picker")
struct PickerNameTests {
  @Test("A thumbnail is left out before a name is shortened", arguments: 60...120)
  func thumbnail(width: Int) throws {
    let names = ["recording-20261127-190210.wav", "interview with Kim and three friends.wav"]
    var list = try PickedTakes(names).list()
    let wave = String(repeating: "⠶", count: PickerList.thumbnailWidth(width))
    let lines = list.lines(width: width, rows: 5, thumbnails: [1: wave, 2: wave], .plain)
    #expect(lines.allSatisfy { columns(of: $0) <= width }, "\(lines)")
    // The name with the default pattern has room next to its thumbnail.
    #expect(lines[2].contains(names[0]) || width < 61, "\(lines)")
    #expect(lines[2].contains("⠶") == (width >= 74), "\(lines)")
    #expect(lines[1].contains(names[1]) || width < 72, "\(lines)")
    #expect(lines[1].contains("⠶") == (width >= 98), "\(lines)")
  }

  @Test("The state is shortened before a short name")
  func state() throws {
    var list = try PickedTakes(["gone-restored.wav"]).list()
    let lines = list.lines(width: 36, rows: 5, .plain)
    #expect(lines[1].contains("gone-restored.wav  (g…"), "\(lines)")
  }
}
