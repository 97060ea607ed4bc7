public import Foundation
public import RecorderKit

extension AudioFileReader {
  /// Opens a sound file. Throws if the file is not a sound, or its type is not supported.
  public convenience init(_ url: URL) throws(RecorderError) { try self.init(url.filePath) }
}

extension AudioFileWriter {
  /// Creates a file.
  ///
  /// - Parameters:
  ///   - url: the file, with the extension `.wav`, `.flac`, `.opus` or the extension of another
  ///     supported format.
  ///   - format: the format of the file. For an Opus file, the sample format is not stored.
  ///   - replacingExisting: whether to replace an existing file. The existing file is truncated
  ///     immediately. If it is a take, its sidecar is removed.
  public convenience init(
    creating url: URL, format: AudioFormat, replacingExisting: Bool = false
  ) throws(RecorderError) {
    try self.init(creating: url.filePath, format: format, replacingExisting: replacingExisting)
  }
}

extension Recorder {
  /// Starts to record, and returns once the first frame is captured.
  ///
  /// - Parameters:
  ///   - url: the file. Its extension chooses the format if the recorder's settings have none.
  ///   - replacingExisting: whether to replace an existing file. The complete recording replaces it
  ///     at the end.
  public func start(
    to url: URL, replacingExisting: Bool = false
  ) async throws(RecorderError) -> Take {
    try await start(to: url.filePath, replacingExisting: replacingExisting)
  }

  /// Records until the recording ends for any reason, and returns the result. Cancelling the task
  /// saves the recorded frames.
  ///
  /// - Parameters:
  ///   - url: the file. Its extension chooses the format if the recorder's settings have none.
  ///   - replacingExisting: whether to replace an existing file. The complete recording replaces it
  ///     at the end.
  ///   - watching: a closure that is called with the recording once it runs. The closure may end
  ///     the recording. `record` waits until the closure returns.
  @discardableResult
  public func record(
    to url: URL, replacingExisting: Bool = false,
    watching: (@Sendable (Take) async -> Void)? = nil
  ) async throws(RecorderError) -> Take.Result {
    try await record(to: url.filePath, replacingExisting: replacingExisting, watching: watching)
  }
}

extension Take {
  /// The location that the file gets when it is complete, or nil if there is none.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension Take.Result {
  /// The location of the file, or nil if there is none.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension RemoteTake {
  /// The location that the file gets when it is complete, or nil for a recording into a pipe.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension Sound {
  /// Opens the sound in a file. The header of the file is read now.
  public init(file url: URL) throws(RecorderError) { try self.init(file: url.filePath) }

  /// Returns the sound in a file, as `init(file:)` does.
  public static func file(_ url: URL) throws(RecorderError) -> Sound { try Sound(file: url) }

  /// Returns the sound in `data`, the content of a file. The data is copied.
  ///
  /// - Parameter name: a name for messages.
  public static func data(
    _ data: Data, named name: String = "the data"
  ) throws(RecorderError) -> Sound {
    try Sound.data(data.span, named: name)
  }
}

extension SoundLibrary {
  /// Creates the sound library of the current user.
  ///
  /// - Parameter bundled: the directory of the sounds that come with recorder.
  public init(bundled: URL) throws(RecorderError) { self.init(bundled: try bundled.filePath) }
}

extension URL {
  /// The path of a file URL. Throws for any other URL.
  var filePath: String {
    get throws(RecorderError) {
      guard isFileURL else { throw .invalid("“\(self)” is not a file on this machine") }
      return path(percentEncoded: false)
    }
  }
}

extension AudioBuffer {
  /// The samples in the sample format of `format`, ordered by frame, then by channel.
  public var data: Data { Data(bytes) }

  /// Creates a buffer from samples in the sample format of `format`. An incomplete last frame is
  /// dropped.
  public init(_ data: Data, format: AudioFormat, position: Int64 = 0) {
    self.init(bytes: data.bytes, format: format, position: position)
  }
}

extension RecorderError: LocalizedError {
  /// The sentence that `localizedDescription` returns.
  public var errorDescription: String? { description }
}
