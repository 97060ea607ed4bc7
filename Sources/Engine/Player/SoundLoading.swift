internal import Audio
internal import CommandLine
internal import Control
internal import Linux
internal import Playback
internal import Sounds
internal import Synchronization

/// A sound that is being decoded, on a thread of its own.
final class SoundLoading: Sendable {
  private let format: StreamFormat
  private let answer = Mutex<Result<Sound, Failure>?>(nil)

  /// Begins to decode it for an output of `format`; `news` tells the end.
  init(_ found: FoundSound, for format: StreamFormat, _ cache: DecodeCache, _ news: News) {
    self.format = format
    let key = found.key(for: format)
    let order = DecodeOrder(
      name: found.name, raw: found.wanted.raw, isBundled: found.isBundled, format: format)
    do {
      let file = Handoff(try found.takeFile())
      _ = try Thread("decoding") { [self] in
        let result = Self.decode(file, order, cache, key)
        answer.withLock { $0 = result }
        news.signal()
      }
    } catch {
      let failure = (error as? Failure) ?? Failure(.failed, Message("cannot decode: \(error)"))
      answer.withLock { $0 = .failure(failure) }
      news.signal()
    }
  }

  /// Whether an output of that format can play it.
  func suits(_ other: StreamFormat) -> Bool {
    format.rate == other.rate && format.channels == other.channels
  }

  /// What came of it; nil while it goes on.
  var result: Result<Sound, Failure>? { answer.withLock { $0 } }

  private static func decode(
    _ file: Handoff<Descriptor>, _ order: DecodeOrder, _ cache: DecodeCache,
    _ key: DecodeCache.Key
  ) -> Result<Sound, Failure> {
    do throws(Failure) {
      return .success(
        try cache.sound(for: key) { () throws(Failure) -> Sound in
          guard let file = file.take() else { preconditionFailure("a file is decoded once") }
          return try order.decode(file)
        })
    } catch {
      return .failure(error)
    }
  }
}
