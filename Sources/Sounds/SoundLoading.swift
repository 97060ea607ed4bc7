package import Audio
internal import Control
package import Decoding
internal import Files
package import Linux
package import Playback
internal import Synchronization

/// The means of decoding sounds.
package struct SoundLoader: Sendable {
  /// The decoder of files that are not bundled.
  let decoder: any FrameSupply.Type
  /// Signalled at the end of each decoding.
  package let wakeup: Wakeup
  private let cache = DecodeCache(limit: 64 << 20)

  /// The means of a player: this decoder for what is not bundled, and the signal of its thread.
  package init(_ decoder: any FrameSupply.Type, _ wakeup: Wakeup) {
    self.decoder = decoder
    self.wakeup = wakeup
  }

  /// The decoded sound; nil where it is not in memory.
  func known(_ found: FoundSound, for format: StreamFormat) -> Sound? {
    cache.sound(for: found.key(for: format))
  }

  /// Starts to decode a sound for an output of `format`.
  func load(_ found: FoundSound, for format: StreamFormat) -> SoundLoading {
    SoundLoading(found, for: format, cache, self)
  }

  /// The decoded sound of a hosted playback; nil where it is not in memory.
  package func known(_ source: PlaySource, for format: StreamFormat) -> Sound? {
    guard case .file(let file) = source, let opened = try? file.open(),
      let status = try? opened.status()
    else { return nil }
    return cache.sound(for: DecodeCache.Key(file.key, status, for: format))
  }

  /// Starts to decode the sound of a hosted playback, of which the part before a fault is played.
  package func load(_ source: PlaySource, for format: StreamFormat) -> SoundLoading {
    SoundLoading(source, for: format, cache, self)
  }
}

/// A sound that is being decoded, on a thread of its own unless that takes hardly longer than to
/// start one.
package final class SoundLoading: Sendable {
  private let order: DecodeOrder
  private let isBundled: Bool
  /// True where the frames before a fault are a sound, too.
  private let keepsBeginning: Bool
  /// The most bytes of a bundled file that is read on the thread that asks. Another thread would
  /// share its processor with the one that opens the device.
  private static let brief = 65_536
  /// The most bytes of a sound of unknown length.
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

  /// True if an output of that format can play it.
  func suits(_ other: StreamFormat) -> Bool {
    order.format.rate == other.rate && order.format.channels == other.channels
  }

  /// The sound, or the error; nil while it is decoded.
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

  /// Decodes all of the file, or the beginning of a long one.
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

  /// Reads a bundled file in this process, without a library, because it is trusted.
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

/// Decoded sounds in memory, so that the next play of one begins at once.
///
/// Past its limit, the sound that was used the longest ago is dropped first; sounds in play stay.
package final class DecodeCache: Sendable {
  /// The facts that make two decoded sounds the same.
  package struct Key: Hashable, Sendable {
    private let path: String
    private let modified: Duration
    private let size: Int64
    private let rate: SampleRate
    private let channels: ChannelCount

    /// Identifies the sound of a file as an output of `format` plays it.
    package init(_ path: String, _ status: FileStatus, for format: StreamFormat) {
      self.path = path
      modified = status.modified
      size = status.size
      rate = format.rate
      channels = format.channels
    }
  }

  private let contents: Mutex<Contents>

  /// A cache of at most `limit` bytes, not counting sounds in play.
  package init(limit: Int) { contents = Mutex(Contents(limit: limit)) }

  /// The decoded sound; nil where it is not in memory.
  package func sound(for key: Key) -> Sound? { contents.withLock { $0.take(key) } }

  /// The decoded sound, from memory or by `decode`, which runs outside of the lock.
  package func sound<Failure: Error>(
    for key: Key, decode: () throws(Failure) -> Sound
  ) throws(Failure) -> Sound {
    if let sound = contents.withLock({ $0.take(key) }) { return sound }
    let sound = try decode()
    // A window belongs to the voice that plays it.
    if sound.window != nil || sound.fault != nil { return sound }
    return contents.withLock { $0.put(sound, key) }
  }

  /// The bytes in memory, of sounds in play too.
  package var bytes: Int { contents.withLock { $0.bytes } }
}

/// The sounds that the cache guards.
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

  /// Adds a sound, or returns the one that another thread has decoded meanwhile.
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
      // A voice that plays a sound holds a reference to it.
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
  /// The key of its decoded frames in the cache.
  fileprivate func key(for format: StreamFormat) -> DecodeCache.Key {
    DecodeCache.Key(path, status, for: format)
  }
}
