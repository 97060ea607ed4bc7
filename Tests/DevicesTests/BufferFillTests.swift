import Audio
import Testing

@testable import Devices

@Suite("The fill level of a playback buffer")
struct BufferFillTests {
  private func fill(isPipeWire: Bool = true, buffer: FrameCount = 2_048) -> BufferFill {
    var setup = StreamSetup(
      device: "default",
      format: StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32), period: 1_024,
      buffer: buffer, isKernelHardware: !isPipeWire)
    setup.isPipeWire = isPipeWire
    return BufferFill(of: setup)
  }

  @Test("A card is always kept full, PipeWire only until it has taken frames")
  func full() {
    var card = fill(isPipeWire: false)
    #expect(!card.mayBeBrief && card.wakingRoom == nil)
    card.begin(room: 0)
    #expect(card.nextLook == nil && !card.isBrief)
    for buffer in [1_536, 3_072, 9_600] as [FrameCount] {
      var other = fill(buffer: buffer)
      other.begin(room: 0)
      #expect(other.nextLook == nil && other.wakingRoom == nil)
    }
    var server = fill()
    #expect(server.wakingRoom == 1_025 && !server.isBrief)
    server.begin(room: 0)
    server.note(room: 0)
    #expect(server.nextLook != nil && !server.isBrief)
  }

  @Test("One period is enough if PipeWire takes a period at a time, also after the next start")
  func brief() {
    var fill = fill()
    for _ in 1...2 {
      fill.begin(room: 0)
      fill.note(room: 1_024)
      #expect(fill.isBrief && fill.nextLook == nil)
      #expect(fill.wanted(of: 960) == 0 && fill.wanted(of: 1_984) == 1_024)
      #expect(fill.wanted(of: 2_048) == 1_088 && fill.wanted(of: 300) == 0)
      fill.end()
      #expect(!fill.isBrief)
    }
  }

  @Test(
    "The numbers of frames that PipeWire takes at first decide how full it is kept",
    arguments: [
      ([512], true), ([557], true), ([2_048, 1_024], true), ([256], false),
      ([2_048, 2_048, 2_048, 2_048], false), ([1_115, 1_115, 1_115, 1_115], false),
    ] as [([FrameCount], Bool)])
  func decision(rooms: [FrameCount], isBrief: Bool) {
    var fill = fill()
    fill.begin(room: 0)
    for room in rooms {
      #expect(fill.nextLook != nil)
      fill.note(room: room)
    }
    #expect(fill.isBrief == isBrief && fill.nextLook == nil)
  }

  @Test("A start with less than a full buffer decides nothing")
  func early() {
    var fill = fill()
    fill.begin(room: 700)
    #expect(fill.nextLook == nil && !fill.isBrief)
  }

  @Test("After an underrun the buffer is always kept full")
  func dry() {
    var fill = fill()
    fill.begin(room: 0)
    fill.note(room: 1_024)
    let answers = [fill.keepWhole(), fill.keepWhole()]
    #expect(answers == [true, false] && !fill.isBrief && fill.wakingRoom == nil)
    fill.begin(room: 0)
    #expect(fill.nextLook == nil && !fill.isBrief)
  }
}
