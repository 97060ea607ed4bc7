import Audio
import Devices
import Support

/// A cable of the kernel's `snd-aloop`: frames played into one end are captured at the other.
struct Loopback: ~Copyable {
  var source: CaptureDevice
  var sink: PlaybackDevice
  private var played = KnownBytes()
  private var expected = KnownBytes()
  private var hasBegun = false

  /// The result of one read at the capture end.
  struct Progress {
    var matching = 0
    var lost: FrameCount = 0
    var differs = false
  }

  init(
    cable: Int, _ request: DeviceRequest, through plugin: String = "hw"
  ) throws(DeviceError) {
    let source = try CaptureDevice("\(plugin):CARD=Loopback,DEV=1,SUBDEV=\(cable)", request)
    let sink = try PlaybackDevice("\(plugin):CARD=Loopback,DEV=0,SUBDEV=\(cable)", request)
    self.source = source
    self.sink = sink
  }

  /// Starts both ends. The cable carries silence until the known bytes arrive.
  mutating func start() throws {
    try source.start()
    try play()
    try sink.start()
  }

  /// Fills the playback end with the next known bytes.
  mutating func play() throws {
    let size = sink.format.bytesPerFrame
    var block = [UInt8](repeating: 0, count: 4_801 * size)
    while true {
      let room = min(4_801, Int(try sink.timing().available.value))
      if room <= 0 { return }
      block.withUnsafeMutableBytes { played.fill(.init(rebasing: $0[..<(room * size)])) }
      let written = try sink.write(block.span.extracting(first: room * size).bytes)
      if written != room { return }
    }
  }

  /// Waits for the capture end, reads all available frames and compares them with the played ones.
  mutating func listen() throws -> Progress {
    let size = source.format.bytesPerFrame
    var block = [UInt8](repeating: 0, count: 4_801 * size)
    var progress = Progress()
    guard try source.wait(upTo: .seconds(5), wake: -1) == .ready else { return progress }
    while true {
      var span = block.mutableSpan
      var bytes = span.mutableBytes
      let read = try source.read(into: &bytes)
      if read.count == 0 && read.lost == 0 { return progress }
      progress.lost += read.lost
      if hasBegun { expected.skip(Int(read.lost.value) * size) }
      progress.matching += compare(block[..<(read.count * size)], &progress.differs)
    }
  }

  private mutating func compare(_ bytes: ArraySlice<UInt8>, _ differs: inout Bool) -> Int {
    let size = source.format.bytesPerFrame
    var begin = 0
    if !hasBegun {
      guard let first = bytes.firstIndex(where: { $0 != 0 }) else { return 0 }
      begin = first / size * size
      hasBegun = true
    }
    let isSame = bytes[begin...].withUnsafeBytes { expected.matches($0) }
    if !isSame { differs = true }
    return (bytes.count - begin) / size
  }
}
