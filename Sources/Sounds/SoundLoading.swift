package import Audio
internal import Control
package import Decoding
internal import Files
package import Linux
package import Playback
internal import Synchronization

/// Decodes sounds, and caches them.
package struct SoundLoader: Sendable {
  /// The decoder of files that are not bundled.
  let decoder: any FrameSupply.Type
  /// The event that is signalled at the end of each decoding.
  package let wakeup: Wakeup
  private let cache = DecodeCache(limit: 64 << 20)

  /// A loader for a player.
  ///
  /// - Parameters:
  ///   - decoder: the decoder of files that are not bundled.
  ///   - wakeup: the event that wakes the player's thread.
  package init(_ decoder: any FrameSupply.Type, _ wakeup: Wakeup) {
    self.decoder = decoder
    self.wakeup = wakeup
  }

  /// Returns the decoded sound, or nil if it is not in memory.
  func known(_ found: FoundSound, for format: StreamFormat) -> Sound? {
    cache.sound(for: found.key(for: format))
  }

  /// Starts to decode a sound for an output with this format.
  func load(_ found: FoundSound, for format: StreamFormat) -> SoundLoading {
    SoundLoading(found, for: format, cache, self)
  }

  /// Returns the decoded sound of a hosted playback, or nil if it is not in memory.
  package func known(_ source: PlaySource, for format: StreamFormat) -> Sound? {
    guard case .file(let file) = source, let opened = try? file.open(),
      let status = try? opened.status()
    else { return nil }
    return cache.sound(for: DecodeCache.Key(file.key, status, for: format))
  }

  /// Starts to decode the sound of a hosted playback. If the file is broken, the part before the
  /// fault is played.
  package func load(_ source: PlaySource, for format: StreamFormat) -> SoundLoading {
    SoundLoading(source, for: format, cache, self)
  }
}

/// A sound that is being decoded. It has its own thread, unless decoding takes hardly longer than
/// starting a thread.
package final class SoundLoading: Sendable {
  private let order: DecodeOrder
  private let isBundled: Bool
  /// Whether the frames before a fault are played as a sound.
  private let keepsBeginning: Bool
  /// The largest bundled file, in bytes, that is decoded on the calling thread. Another thread
  /// would compete for the processor with the thread that opens the device.
  private static let brief = 65_536
  /// The most bytes to decode of a sound of unknown length.
  private static let largestUnknown = 256 << 20
  private let answer = Mutex<Result<Sound, SoundError>?>(nil)

  fileprivate init(
    _ found: FoundSound, for format: StreamFormat, _ cache: DecodeCache, _ loader: SoundLoader
  ) {
    order = Self.order(found.name, found.wanted.raw, format)
    isBundled = found.isBundled
    keepsBeginning = false
    let key = found.key(for: format)
    do throws(SoundError) {
      let file = Handoff(try found.takeFile())
      if isBundled, found.status.size <= Self.brief {
        end(result(file, cache, key, loader.decoder), loader)
      } else {
        try start(loader) { [self] in result(file, cache, key, loader.decoder) }
      }
    } catch {
      end(.failure(error), loader)
    }
  }

  fileprivate init(
    _ source: PlaySource, for format: StreamFormat, _ cache: DecodeCache, _ loader: SoundLoader
  ) {
    var order = Self.order(source.name, nil, format)
    order.kinds = loader.decoder == LocalDecoder.self ? .common : .all
    self.order = order
    if case .file(let file) = source { isBundled = file.isTrusted } else { isBundled = false }
    keepsBeginning = true
    do throws(SoundError) {
      try start(loader) { [self] in result(source, cache, loader.decoder) }
    } catch {
      end(.failure(error), loader)
    }
  }

  private static func order(
    _ name: String, _ raw: StreamFormat?, _ format: StreamFormat
  ) -> DecodeOrder {
    var order = DecodeOrder(name: name, raw: raw, format: format)
    order.samples = .smallest
    return order
  }

  private func start(
    _ loader: SoundLoader, _ work: @escaping @Sendable () -> Result<Sound, SoundError>
  ) throws(SoundError) {
    do throws(SystemError) {
      _ = try Thread("decoding") { [self] in end(work(), loader) }
    } catch {
      throw .system(.decoding, error)
    }
  }

  private func end(_ result: Result<Sound, SoundError>, _ loader: SoundLoader) {
    answer.withLock { $0 = result }
    loader.wakeup.signal()
  }

  /// Returns whether an output with this format can play the sound.
  func suits(_ other: StreamFormat) -> Bool {
    order.format.rate == other.rate && order.format.channels == other.channels
  }

  /// The sound or the error, or nil while the sound is being decoded.
  package var result: Result<Sound, SoundError>? { answer.withLock { $0 } }
}

extension SoundLoading {
  private func result(
    _ file: Handoff<Descriptor>, _ cache: DecodeCache, _ key: DecodeCache.Key,
    _ decoder: any FrameSupply.Type
  ) -> Result<Sound, SoundError> {
    do throws(DecodingError) {
      return .success(
        try cache.sound(for: key) { () throws(DecodingError) -> Sound in
          guard let file = file.take() else { preconditionFailure("a file is decoded once") }
          return isBundled ? try decodeBundled(file) : try decode(file, decoder)
        })
    } catch {
      return .failure(.unreadable(name: order.name, error))
    }
  }

  private func result(
    _ source: PlaySource, _ cache: DecodeCache, _ decoder: any FrameSupply.Type
  ) -> Result<Sound, SoundError> {
    switch source {
    case .file(let source):
      do throws(DecodingError) {
        let file = try source.open()
        let status: FileStatus
        do throws(SystemError) { status = try file.status() } catch { throw .system(error) }
        let key = DecodeCache.Key(source.key, status, for: order.format)
        return result(Handoff(file), cache, key, decoder)
      } catch {
        return .failure(.unreadable(name: order.name, error))
      }
    case .frames(let frames):
      do throws(SoundFileError) {
        return .success(try frames.sound(for: order.format))
      } catch {
        return .failure(.unreadable(name: order.name, .file(error)))
      }
    }
  }

  /// Decodes the whole file, or the beginning of a long one.
  private func decode(
    _ file: consuming Descriptor, _ decoder: any FrameSupply.Type
  ) throws(DecodingError) -> Sound {
    let supply = try decoder.init(file, order, from: 0)
    let head = try supply.head()
    let format = order.decoded(head.sample)
    if let length = head.length, length.duration(at: format.rate) > SoundMemoryLimits.longestWhole {
      return try SoundFeed.begin(supply, file, order, format, head, length)
    }
    var memory = SoundMemory(format, room: head.length ?? 0)
    do throws(DecodingError) {
      try supply.run(upTo: Self.largestUnknown) { memory.append($0) }
    } catch {
      if case .tooLong = error { throw error }
      guard keepsBeginning, memory.length > 0 else { throw error }
      return Sound(memory, brokenOffBy: error, flaw: head.flaw)
    }
    return Sound(memory, flaw: head.flaw)
  }

  /// Decodes a bundled file in this process and without a library, because it is trusted.
  private func decodeBundled(_ file: consuming Descriptor) throws(DecodingError) -> Sound {
    do throws(SoundFileError) {
      let reader = try PlainWave(file, named: order.name)
      let flaw = reader.flaw
      let decoding = SoundDecoding(name: order.name, format: order.format)
      let format = order.decoded(decoding.smallestSample(for: reader))
      var memory = SoundMemory(format, room: reader.frames ?? 0)
      try decoding.run(reader) { memory.append($0) }
      return Sound(memory, flaw: flaw)
    } catch {
      throw .file(error)
    }
  }
}

/// A cache of decoded sounds, so that the next play of a sound starts without delay.
///
/// Above its limit the least recently used sounds are dropped first. Sounds that are playing stay.
package final class DecodeCache: Sendable {
  /// The key of a decoded sound. Sounds with equal keys are the same.
  package struct Key: Hashable, Sendable {
    private let path: String
    private let modified: Duration
    private let size: Int64
    private let rate: SampleRate
    private let channels: ChannelCount

    /// The key of the sound in a file, decoded for an output of `format`.
    package init(_ path: String, _ status: FileStatus, for format: StreamFormat) {
      self.path = path
      modified = status.modified
      size = status.size
      rate = format.rate
      channels = format.channels
    }
  }

  private let contents: Mutex<Contents>

  /// A cache of at most `limit` bytes. Sounds that are playing may exceed it.
  package init(limit: Int) { contents = Mutex(Contents(limit: limit)) }

  /// Returns the decoded sound, or nil if it is not in memory.
  package func sound(for key: Key) -> Sound? { contents.withLock { $0.take(key) } }

  /// Returns the decoded sound from memory, or decodes it with `decode`, outside the lock.
  package func sound<Failure: Error>(
    for key: Key, decode: () throws(Failure) -> Sound
  ) throws(Failure) -> Sound {
    if let sound = contents.withLock({ $0.take(key) }) { return sound }
    let sound = try decode()
    // A sound with a window belongs to the voice that plays it, so it is not cached. Neither is a
    // sound with a fault.
    if sound.window != nil || sound.fault != nil { return sound }
    return contents.withLock { $0.put(sound, key) }
  }

  /// The size of the cached sounds in bytes, including sounds that are playing.
  package var bytes: Int { contents.withLock { $0.bytes } }
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

  /// Adds a sound, or returns the same sound if another thread has decoded it meanwhile.
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

extension FoundSound {
  /// The cache key of the decoded sound.
  fileprivate func key(for format: StreamFormat) -> DecodeCache.Key {
    DecodeCache.Key(path, status, for: format)
  }
}
