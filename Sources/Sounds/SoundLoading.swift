internal import Audio
internal import Control
package import Decoding
internal import Files
package import Linux
package import Playback
internal import Synchronization

/// Decodes sounds, and caches them.
package struct SoundLoader: Sendable {
  /// The event that is signalled at the end of each decoding.
  package let wakeup: Wakeup
  /// The decoder of files that are not bundled, or nil to decode in this process.
  fileprivate let decoder: DecoderStart?
  /// Whether the frames before the fault of a broken file are played.
  fileprivate let keepsBeginning: Bool
  fileprivate let cache = DecodeCache(limit: 64 << 20)

  /// A loader for a player.
  ///
  /// - Parameters:
  ///   - decoder: the decoder of files that are not bundled, or nil to decode in this process.
  ///   - wakeup: the event that wakes the player's thread.
  ///   - keepsBeginning: whether the frames before the fault of a broken file are played.
  package init(
    _ decoder: DecoderStart?, _ wakeup: Wakeup,
    keepingBeginnings keepsBeginning: Bool = false
  ) {
    self.decoder = decoder
    self.wakeup = wakeup
    self.keepsBeginning = keepsBeginning
  }
}

/// The decoding of a sound. It runs on a separate thread, unless the sound is cached or is a small
/// bundled file.
final class SoundLoading: Sendable {
  private let loader: SoundLoader
  private let order: DecodeOrder
  /// The largest size, in bytes, of a bundled file that is decoded on the calling thread. A
  /// separate thread would compete for the processor with the thread that opens the device.
  private static let brief = 65_536
  /// The largest size, in bytes, of the decoded frames of a sound of unknown length.
  private static let largestUnknown = 256 << 20
  private let answer = Mutex<Result<Sound, any Error>?>(nil)

  /// Starts to decode a sound for an output with this format.
  init(_ source: PlaySource, for format: StreamFormat, _ loader: SoundLoader) {
    self.loader = loader
    var order = DecodeOrder(name: source.name, format: format)
    order.samples = .smallest
    // A decoder in this process reads only the formats whose readers are tested most.
    order.kinds = loader.decoder == nil ? .common : .all
    if case .file(let file) = source { (order.raw, order.mix) = (file.raw, file.mix) }
    self.order = order
    do {
      switch source {
      case .file(let file): try load(file)
      case .frames(let frames): try start { try frames.sound(for: format) }
      }
    } catch {
      answer.withLock { $0 = .failure(error) }
    }
  }

  /// The format that the sound is decoded for.
  var format: StreamFormat { order.format }

  /// The sound or the error, or nil while the sound is being decoded.
  var result: Result<Sound, any Error>? { answer.withLock { $0 } }

  private func load(_ source: PlayFile) throws {
    let opened = try source.takeOpened()
    let key = DecodeCache.Key(source.key, opened.status, order)
    let known = loader.cache.sound(for: key)
    let isBrief = source.isTrusted && opened.status.size <= Self.brief
    if let known { return answer.withLock { $0 = .success(known) } }
    let handoff = Handoff(opened)
    let decode = { @Sendable [self] in
      try loader.cache.sound(for: key) {
        let file = Self.file(handoff)
        return try source.isTrusted ? decodeBundled(file) : self.decode(file)
      }
    }
    if !isBrief { return try start(decode) }
    let result = Result(catching: decode)
    answer.withLock { $0 = result }
  }

  private func start(_ decode: @escaping @Sendable () throws -> Sound) throws {
    _ = try Thread("decoding") { [self] in
      let result = Result(catching: decode)
      answer.withLock { $0 = result }
      loader.wakeup.signal()
    }
  }
}

extension SoundLoading {
  private static func file(_ handoff: Handoff<OpenedSound>) -> Descriptor {
    guard let opened = handoff.take() else { preconditionFailure("a file is decoded once") }
    return opened.file
  }

  /// Decodes the whole file, or the beginning of a long file.
  private func decode(_ file: consuming Descriptor) throws -> Sound {
    let start = loader.decoder ?? { try LocalDecoder($0, $1, from: $2) }
    let supply = try start(file, order, 0)
    let head = try supply.head()
    let format = order.decoded(head.sample)
    if let length = head.length, length.duration(at: format.rate) > SoundMemoryLimits.longestWhole {
      return try SoundFeed.begin(supply, start, file, order, format, head, length)
    }
    var memory = SoundMemory(format, room: head.length ?? 0)
    var fault: (any Error)?
    do {
      try supply.run(upTo: Self.largestUnknown) { memory.append($0) }
    } catch {
      fault = error
    }
    let isKept = loader.keepsBeginning && memory.length > 0
    if let fault, !isKept || fault as? DecodingError == .tooLong(bytes: Self.largestUnknown) {
      throw fault
    }
    return Sound(memory, brokenOffBy: fault, flaw: head.flaw)
  }

  /// Decodes a bundled file, which is trusted, in this process and without a library.
  private func decodeBundled(_ file: consuming Descriptor) throws(SoundFileError) -> Sound {
    let reader = try PlainWave(file, named: order.name)
    let flaw = reader.flaw
    let decoding = SoundDecoding(name: order.name, format: order.format)
    let format = order.decoded(decoding.smallestSample(for: reader))
    var memory = SoundMemory(format, room: reader.frames ?? 0)
    try decoding.run(reader) { memory.append($0) }
    return Sound(memory, flaw: flaw)
  }
}

/// A cache of decoded sounds, so that the next play of a sound starts without delay.
///
/// If the cache exceeds its limit, the least recently used sounds are removed first. Sounds that
/// are playing are not removed.
package final class DecodeCache: Sendable {
  /// The key of a decoded sound. Sounds with equal keys are the same.
  package struct Key: Hashable, Sendable {
    private let path: String
    private let modified: Duration
    private let size: Int64
    private let rate: SampleRate
    private let channels: ChannelCount
    private let mix: [ChannelCount]
    private let raw: StreamFormat?

    /// The key of the sound in a file, decoded as this order requests.
    package init(_ path: String, _ status: FileStatus, _ order: DecodeOrder) {
      self.path = path
      modified = status.modified
      size = status.size
      rate = order.format.rate
      channels = order.format.channels
      mix = order.mix
      raw = order.raw
    }
  }

  private let contents: Mutex<Contents>

  /// A cache of at most `limit` bytes, or more while its sounds are playing.
  package init(limit: Int) { contents = Mutex(Contents(limit: limit)) }

  /// Returns the decoded sound, or nil if it is not in the cache.
  package func sound(for key: Key) -> Sound? { contents.withLock { $0.take(key) } }

  /// Returns the decoded sound from the cache. If the sound is not in the cache, decodes it with
  /// `decode`, without the lock, and adds it to the cache.
  package func sound(for key: Key, decode: () throws -> Sound) rethrows -> Sound {
    if let sound = contents.withLock({ $0.take(key) }) { return sound }
    let sound = try decode()
    // A sound with a window is not cached, because it belongs to the voice that plays it. A sound
    // with a fault is not cached either.
    if sound.window != nil || sound.fault != nil { return sound }
    return contents.withLock { $0.put(sound, key) }
  }
}

/// The contents of the cache, guarded by its lock.
private struct Contents {
  struct Entry {
    var sound: Sound
    var used: Int
  }

  let limit: Int
  private(set) var bytes = 0
  private var entries: [DecodeCache.Key: Entry] = [:]
  private var clock = 0

  init(limit: Int) { self.limit = limit }

  mutating func take(_ key: DecodeCache.Key) -> Sound? {
    clock += 1
    entries[key]?.used = clock
    return entries[key]?.sound
  }

  /// Adds a sound, and returns it. If another thread has added the same sound meanwhile, returns
  /// the sound of that thread.
  mutating func put(_ sound: Sound, _ key: DecodeCache.Key) -> Sound {
    if let other = take(key) { return other }
    entries[key] = Entry(sound: sound, used: clock)
    bytes += sound.bytes
    makeRoom()
    return sound
  }

  private mutating func makeRoom() {
    guard bytes > limit else { return }
    let oldestFirst = entries.sorted { $0.value.used < $1.value.used }.map(\.key)
    for key in oldestFirst where bytes > limit {
      // A voice holds a reference to the sound that it plays.
      guard let size = entries[key]?.sound.bytes, isFree(key) else { continue }
      entries[key] = nil
      bytes -= size
    }
  }

  private mutating func isFree(_ key: DecodeCache.Key) -> Bool {
    guard var entry = entries.removeValue(forKey: key) else { return false }
    defer { entries[key] = entry }
    return isKnownUniquelyReferenced(&entry.sound)
  }
}
