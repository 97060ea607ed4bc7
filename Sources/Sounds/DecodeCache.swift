package import Audio
package import Linux
package import Playback
internal import Synchronization

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
    if sound.window != nil { return sound }
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
