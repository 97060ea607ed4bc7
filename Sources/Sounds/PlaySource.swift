package import Audio
internal import Decoding
package import Files
package import Linux
internal import Playback
internal import Synchronization

/// The sound of a playback.
package enum PlaySource: Sendable {
  /// A sound file.
  case file(PlayFile)
  /// Decoded frames.
  case frames(PlayFrames)

  /// The name of the sound in messages.
  package var name: String {
    switch self {
    case .file(let file): file.name
    case .frames: "frames"
    }
  }

  /// The path of the file, or nil if the sound is not in a file on the disk.
  var path: String? { if case .file(let file) = self { file.path } else { nil } }
}

/// A sound file on the disk or in memory. Each decoder opens it separately.
package final class PlayFile: Sendable {
  /// The name of the file in messages.
  package let name: String
  /// The path of the file, or nil for a file in memory.
  package let path: String?
  /// Whether the sound is bundled with recorder, so that it is decoded without confinement.
  package let isTrusted: Bool
  /// The format of samples without a header, or nil if the file has a header.
  let raw: StreamFormat?
  /// The number of channels of each track, in order, if the file consists of tracks to mix. Empty
  /// if the channels of the file belong to loudspeakers.
  let mix: [ChannelCount]
  /// The key of the file in the cache: its path. The key of a file that is held open has a number
  /// instead, because its path in /proc can later belong to another file.
  let key: String
  private let openPath: String
  /// The open file of a sound that cannot be opened again by its path, otherwise nil.
  private let held: OpenFile?
  /// The file that was opened to find the sound, or nil after its first use.
  private let found: Mutex<OpenedSound?>
  private static let count = Atomic(0)

  /// A file on the disk.
  package convenience init(_ path: String, named name: String? = nil, isTrusted: Bool = false) {
    self.init(name ?? path, path, isTrusted: isTrusted)
  }

  /// A file on the disk that is already open.
  convenience init(
    _ path: String, _ name: String, raw: StreamFormat?, mix: [ChannelCount] = [], isTrusted: Bool,
    opened: consuming sending OpenedSound
  ) {
    // A path in /proc leads to an open file of another process. The file stays open here, because
    // the other process may end before the file is opened again.
    if path.begins(with: "/proc/") {
      self.init(name, path, raw: raw, mix: mix, isTrusted: isTrusted, held: OpenFile(opened.file))
    } else {
      self.init(name, path, raw: raw, mix: mix, isTrusted: isTrusted, found: opened)
    }
  }

  /// A file in memory with these bytes.
  package convenience init(_ bytes: Span<UInt8>, named name: String) throws(SystemError) {
    self.init(name, nil, held: OpenFile(try Descriptor(holding: bytes, called: "sound")))
  }

  private init(
    _ name: String, _ path: String?, raw: StreamFormat? = nil, mix: [ChannelCount] = [],
    isTrusted: Bool = false, held: OpenFile? = nil, found: consuming sending OpenedSound? = nil
  ) {
    (self.name, self.path, self.raw, self.mix) = (name, path, raw, mix)
    (self.isTrusted, self.held) = (isTrusted, held)
    openPath = held?.descriptor.ownPath ?? path ?? ""
    // Relaxed: no other data depends on the number.
    let number = held == nil ? 0 : Self.count.add(1, ordering: .relaxed).newValue
    key = held == nil ? openPath : "held:\(number)"
    self.found = Mutex(found)
  }

  /// Opens the file without waiting. Throws for a directory, a pipe or a device.
  package func open() throws(SoundFileError) -> Descriptor {
    let opened = try takeOpened()
    return opened.file
  }

  /// On the first call, returns the file that was opened to find the sound. Later calls open the
  /// file again.
  func takeOpened() throws(SoundFileError) -> OpenedSound {
    if let found = found.withLock({ $0.take() }) { return found }
    return try Self.open(openPath, named: name)
  }

  /// Closes the file that was opened to find the sound.
  func close() { _ = found.withLock { $0.take() } }

  static func open(_ path: String, named name: String) throws(SoundFileError) -> OpenedSound {
    let file = try SoundFileError.of(Descriptor(opening: path, .nonBlocking))
    let status = try SoundFileError.of(file.status())
    guard status.kind == .regular else { throw .notRegular(subject: name) }
    return OpenedSound(file: file, status: status)
  }
}

/// Decoded, interleaved frames.
package final class PlayFrames: Sendable {
  /// The format of the frames. The samples are floats.
  package let format: StreamFormat
  let samples: [Float]

  /// Frames of interleaved samples. An incomplete frame at the end is dropped.
  package init(_ samples: [Float], rate: SampleRate, channels: ChannelCount) {
    format = StreamFormat(rate: rate, channels: channels, sample: .float32)
    let extra = samples.count % channels.value
    self.samples = extra == 0 ? samples : Array(samples.dropLast(extra))
  }

  /// The number of frames.
  package var count: FrameCount { FrameCount(samples.count / format.channels.value) }

  /// Returns the frames, converted to the rate and the channels of an output.
  func sound(for output: StreamFormat) throws(SoundFileError) -> Sound {
    let wanted = StreamFormat(rate: output.rate, channels: output.channels, sample: .float32)
    var memory = SoundMemory(wanted, room: count)
    if wanted == format {
      let samples = samples
      memory.append(samples.span)
      return Sound(memory)
    }
    let decoding = SoundDecoding(name: "frames", format: wanted)
    try decoding.run(Reader(frames: self)) { memory.append($0) }
    return Sound(memory)
  }

  private struct Reader: FrameReader, ~Copyable {
    let source: PlayFrames
    private var position = 0

    init(frames source: PlayFrames) { self.source = source }

    var rate: SampleRate { source.format.rate }
    var channels: ChannelCount { source.format.channels }
    var speakers: [Speaker]? { .usual(channels) }
    var frames: FrameCount? { source.count }
    var holdsIntegers: Bool { false }
    var fits16Bits: Bool { false }

    mutating func read(into samples: inout MutableSpan<Float>) -> Int {
      let channels = channels.value
      let count = min(samples.count / channels, Int(source.count.value) - position)
      let first = position * channels
      for index in 0..<count * channels { samples[index] = source.samples[first + index] }
      position += count
      return count
    }

    mutating func seek(to frame: FrameCount) {
      position = Int(min(max(0, frame), source.count).value)
    }
  }
}
