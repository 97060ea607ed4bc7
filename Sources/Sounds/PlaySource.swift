package import Audio
package import Decoding
internal import Files
package import Linux
internal import Playback
internal import Synchronization

/// The sound of a hosted playback.
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
}

/// A sound file on the disk or in memory. Each decoder opens it separately.
package final class PlayFile: Sendable {
  /// The name of the file in messages.
  package let name: String
  /// The path of the file, or nil for a file in memory.
  package let path: String?
  /// Whether the sound is bundled with recorder, so that it is decoded without confinement.
  package let isTrusted: Bool
  private let openPath: String
  private let memory: OpenFile?
  /// The key of the file in the cache. It is not the path for a file in memory, because such paths
  /// are reused.
  let key: String
  private static let count = Atomic(0)

  /// A file on the disk.
  package init(_ path: String, named name: String? = nil, isTrusted: Bool = false) {
    self.name = name ?? path
    self.path = path
    self.isTrusted = isTrusted
    (openPath, key, memory) = (path, path, nil)
  }

  /// A file in memory with these bytes.
  package init(_ bytes: Span<UInt8>, named name: String) throws(SystemError) {
    let file = OpenFile(try Descriptor(holding: bytes, called: "sound"))
    self.name = name
    path = nil
    isTrusted = false
    openPath = file.descriptor.ownPath
    // Relaxed ordering suffices, because only the number itself matters.
    key = "memory:\(Self.count.add(1, ordering: .relaxed).newValue)"
    memory = file
  }

  /// Opens the file without waiting. Throws for a directory, a pipe or a device.
  package func open() throws(DecodingError) -> Descriptor {
    do throws(SystemError) {
      let file = try Descriptor(opening: openPath, .nonBlocking)
      if try file.status().kind == .regular { return file }
    } catch {
      throw .file(.system(error))
    }
    throw .file(.notRegular(subject: name))
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
