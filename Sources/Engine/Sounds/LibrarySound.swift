internal import Audio
internal import CommandLine
internal import Files
internal import JSON
internal import Linux
internal import Playback

/// A sound of the library with what its file holds, to be shown.
struct LibrarySound: Equatable {
  let entry: SoundLibrary.Entry
  /// Its file; nil where somebody does not want to hear it.
  private(set) var path: String?
  /// What the file holds, where it was read.
  private(set) var info: SoundFileInfo?
  /// Why it cannot be played.
  private(set) var problem: String?

  /// Looks a sound of the list up, and reads its file where the list does not say how long it lasts.
  init(_ entry: SoundLibrary.Entry, in library: SoundLibrary) {
    self.entry = entry
    do throws(SoundLibraryError) {
      switch try library.open(exactly: entry.name) {
      case .disabled: break
      case .file(let file): take(file, reading: entry.duration == nil)
      case nil: problem = "nothing can be opened by this name"
      }
    } catch {
      problem = error.reason
    }
  }

  /// A sound that was found, with all that its file says.
  init(_ entry: SoundLibrary.Entry, _ found: borrowing SoundLookup) {
    self.entry = entry
    switch found {
    case .file(let file): take(file, reading: true)
    case .disabled: break
    }
  }

  /// How long it lasts, where its file says it.
  var duration: Duration? { info?.duration ?? entry.duration }

  private mutating func take(_ file: borrowing SoundFile, reading: Bool) {
    path = file.path
    guard reading else { return }
    do throws(SoundFileError) {
      info = try SoundFileReader(Self.copy(file.descriptor), named: file.path).info
    } catch {
      problem = error.reason
    }
  }

  /// A second descriptor, for a reader that closes it.
  static func copy(_ file: borrowing Descriptor) throws(SoundFileError) -> Descriptor {
    do throws(SystemError) {
      return try file.duplicate()
    } catch {
      throw .system(error)
    }
  }
}

extension LibrarySound {
  /// What a program reads of it, in a list and alone.
  var json: JSONObject {
    var members: JSONObject = ["name": entry.name.json]
    members["path"] = path?.json ?? .null
    members["duration"] = duration?.json ?? .null
    members["source"] = entry.source.kind.json
    members["theme"] = entry.source.theme?.json ?? .null
    members["meaning"] = entry.meaning?.json ?? .null
    members["aliases"] = .array(entry.aliases.map(\.json))
    members["disabled"] = entry.isDisabled.json
    members["problem"] = problem?.json ?? .null
    return members
  }
}
