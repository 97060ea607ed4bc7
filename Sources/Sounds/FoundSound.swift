internal import Audio
internal import Control
internal import Decoding
internal import Files
internal import Linux

/// A sound of an order: an open file, or a disabled sound.
final class FoundSound {
  let wanted: WantedSound
  let path: String
  /// True if it came with the program.
  let isBundled: Bool
  private let status: FileStatus
  private var file: Descriptor?

  var name: String { wanted.name }

  /// Finds the sound; nil where a theme disables it.
  init?(_ wanted: WantedSound, in library: SoundLibrary) throws(SoundError) {
    self.wanted = wanted
    if let path = wanted.path {
      self.path = path
      isBundled = false
      let opened = try Self.open(path, named: wanted.name)
      status = try Self.status(of: opened, named: wanted.name)
      file = .some(opened)
      return
    }
    do throws(SoundLibraryError) {
      switch try library.open(wanted.name) {
      case .disabled: return nil
      case .file(let found):
        path = found.path
        status = found.status
        isBundled = found.source == .bundled
        file = .some(try Self.copy(found))
      }
    } catch {
      throw .notFound(name: wanted.name, error)
    }
  }

  /// The key of its decoded frames in the cache.
  func key(for format: StreamFormat) -> DecodeCache.Key {
    DecodeCache.Key(path, status, for: format)
  }

  /// Returns the open file once; a later call opens it anew.
  func takeFile() throws(SoundError) -> Descriptor {
    if let file = file.take() { return file }
    return try Self.open(path, named: name)
  }

  /// Closes the file, because its decoded sound is in memory.
  func close() { file = nil }

  private static func copy(_ found: borrowing SoundFile) throws(SoundLibraryError) -> Descriptor {
    do throws(SystemError) {
      return try found.descriptor.duplicate()
    } catch {
      throw .unusable(path: found.path, error)
    }
  }

  private static func open(_ path: String, named name: String) throws(SoundError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(opening: path, .nonBlocking)
    } catch {
      throw .unreadable(name: name, .file(.system(error)))
    }
  }

  private static func status(
    of file: borrowing Descriptor, named name: String
  ) throws(SoundError) -> FileStatus {
    do throws(SystemError) {
      let status = try file.status()
      if status.kind == .regular { return status }
    } catch {
      throw .unreadable(name: name, .file(.system(error)))
    }
    throw .unreadable(name: name, .file(.notRegular(subject: name)))
  }
}
