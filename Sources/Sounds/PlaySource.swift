package import Audio
package import Decoding
internal import Files
package import Linux
internal import Playback
internal import Synchronization

/// The sound of a hosted playback.
package enum PlaySource: Sendable {
  /// The bytes of a sound file.
  case file(PlayFile)
  /// Frames that are decoded already.
  case frames(PlayFrames)

  /// The name of the sound in messages.
  package var name: String {
    switch self {
    case .file(let file): file.name
    case .frames: "frames"
    }
  }
}

/// A sound file on the disk or in memory, which each decoder opens anew.
package final class PlayFile: Sendable {
  /// The name of the file in messages.
  package let name: String
  /// The path by which it is opened; nil for a file in memory.
  package let path: String?
  /// True for a sound that comes with recorder: it is read without a confinement.
  package let isTrusted: Bool
  private let place: String
  private let memory: OpenFile?
  /// The identity of the file in the cache: paths of memory are used again.
  let key: String
  private static let count = Atomic(0)

  /// A file on the disk.
  package init(_ path: String, named name: String? = nil, isTrusted: Bool = false) {
    self.name = name ?? path
    self.path = path
    self.isTrusted = isTrusted
    (place, key, memory) = (path, path, nil)
  }

  /// A file of these bytes in memory.
  package init(_ bytes: Span<UInt8>, named name: String) throws(SystemError) {
    let file = OpenFile(try Descriptor(holding: bytes, called: "sound"))
    self.name = name
    path = nil
    isTrusted = false
    place = file.descriptor.ownPath
    // Relaxed: only the number itself matters.
    key = "memory:\(Self.count.add(1, ordering: .relaxed).newValue)"
    memory = file
  }

  /// Opens the file anew; a directory, a pipe or a device is refused and never waited for.
  package func open() throws(DecodingError) -> Descriptor {
    do throws(SystemError) {
      let file = try Descriptor(opening: place, .nonBlocking)
      if try file.status().kind == .regular { return file }
    } catch {
      throw .file(.system(error))
    }
    throw .file(.notRegular(subject: name))
  }
}

/// Interleaved frames that are decoded already, as numbers.
package final class PlayFrames: Sendable {
  /// The rate and the channels; the samples are floats.
  package let format: StreamFormat
  let samples: [Float]

  /// Whole frames; an incomplete last one is left out.
  package init(_ samples: [Float], rate: SampleRate, channels: ChannelCount) {
    format = StreamFormat(rate: rate, channels: channels, sample: .float32)
    let extra = samples.count % channels.value
    self.samples = extra == 0 ? samples : Array(samples.dropLast(extra))
  }

  /// The number of frames.
  package var count: FrameCount { FrameCount(samples.count / format.channels.value) }

  /// The frames at the rate and with the channels of an output.
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
    private var place = 0

    init(frames source: PlayFrames) { self.source = source }

    var rate: SampleRate { source.format.rate }
    var channels: ChannelCount { source.format.channels }
    var speakers: [Speaker]? { .usual(channels) }
    var frames: FrameCount? { source.count }
    var holdsIntegers: Bool { false }
    var fits16Bits: Bool { false }

    mutating func read(into samples: inout MutableSpan<Float>) -> Int {
      let channels = channels.value
      let count = min(samples.count / channels, Int(source.count.value) - place)
      let first = place * channels
      for index in 0..<count * channels { samples[index] = source.samples[first + index] }
      place += count
      return count
    }

    mutating func seek(to frame: FrameCount) {
      place = Int(min(max(0, frame), source.count).value)
    }
  }
}
