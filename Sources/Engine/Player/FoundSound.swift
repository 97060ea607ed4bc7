internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import Linux
internal import Sounds

/// A sound of an order, whose file is open; or one that is silent on purpose.
final class FoundSound {
  let wanted: WantedSound
  /// What the file is, and what the kernel says of it.
  let path: String
  let status: FileStatus
  /// Whether it came with the program.
  let isBundled: Bool
  private var file: Descriptor?

  var name: String { wanted.name }

  /// Finds it; nil where a theme says that it is not to be heard.
  init?(_ wanted: WantedSound, in library: SoundLibrary) throws(Failure) {
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
      throw Failure(finding: wanted.name, error)
    }
  }

  /// What it is once it is decoded.
  func key(for format: StreamFormat) -> DecodeCache.Key {
    DecodeCache.Key(path, status, for: format)
  }

  /// The open file, once; after that it is opened anew.
  func takeFile() throws(Failure) -> Descriptor {
    if let file = file.take() { return file }
    return try Self.open(path, named: name)
  }

  /// It was in memory, so nobody reads it.
  func close() { file = nil }

  private static func copy(_ found: borrowing SoundFile) throws(SoundLibraryError) -> Descriptor {
    do throws(SystemError) {
      return try found.descriptor.duplicate()
    } catch {
      throw .unusable(path: found.path, error)
    }
  }

  private static func open(_ path: String, named name: String) throws(Failure) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(opening: path, .nonBlocking)
    } catch {
      throw Failure(reading: name, .system(error))
    }
  }

  private static func status(
    of file: borrowing Descriptor, named name: String
  ) throws(Failure) -> FileStatus {
    do throws(SystemError) {
      let status = try file.status()
      if status.kind == .regular { return status }
    } catch {
      throw Failure(reading: name, .system(error))
    }
    throw Failure(reading: name, .notRegular(subject: name))
  }
}
