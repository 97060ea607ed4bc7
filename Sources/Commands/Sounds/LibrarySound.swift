internal import Decoding
internal import JSON
internal import Linux
internal import Sounds

/// A sound of the library with the facts about its file, for a list.
struct LibrarySound {
  private(set) var entry: SoundLibrary.Entry
  /// The path of its file, or nil if there is no file or the sound is disabled.
  private(set) var path: String?
  /// The facts about the file, or nil until they are read.
  private(set) var file: SoundDescription?
  /// The reason why the sound cannot be played, or nil if it can be played.
  private(set) var problem: String?
  private var unread: OpenFile?
  /// The status of its file, or nil if there is no file.
  private var status: FileStatus?

  /// Creates a sound from the result of a search.
  init(_ entry: SoundLibrary.Entry, _ found: borrowing SoundLookup) {
    self.entry = entry
    switch found {
    case .file(let file): open(file)
    case .disabled: break
    }
  }

  /// Looks up a listed sound, and opens its file if its length is not known.
  private init(
    _ entry: SoundLibrary.Entry, in library: SoundLibrary, _ lengths: borrowing SoundLengths
  ) {
    self.entry = entry
    do throws(SoundLibraryError) {
      switch try library.open(exactly: entry.name) {
      case .disabled: break
      case .file(let file):
        self.entry.duration = entry.duration ?? lengths[file.status]
        open(file)
      case nil: problem = "its file cannot be opened"
      }
    } catch {
      problem = error.reason
    }
    if self.entry.duration != nil { unread = nil }
  }

  /// The number of sounds that are opened at a time. It is far below the limit of open files,
  /// because each file is open three times while a child process starts.
  private static let step = 24

  /// Looks up the listed sounds. The lengths that had to be read are saved for the next list.
  static func all(
    _ entries: [SoundLibrary.Entry], in library: SoundLibrary, _ lengths: SoundLengths
  ) throws -> [LibrarySound] {
    var (sounds, lengths): ([LibrarySound], SoundLengths) = ([], lengths)
    for start in stride(from: 0, to: entries.count, by: step) {
      let found = entries[start...].prefix(step).map { LibrarySound($0, in: library, lengths) }
      for sound in try read(found) {
        if let status = sound.status, sound.file != nil { lengths[status] = sound.duration }
        sounds.append(sound)
      }
    }
    lengths.save()
    return sounds
  }

  /// Returns the sounds with the facts about their files.
  static func read(_ sounds: [LibrarySound]) throws -> [LibrarySound] {
    var answers = try SoundReading.describe(sounds.compactMap(\.unread))[...]
    return sounds.map { sound in
      var sound = sound
      if sound.unread != nil, let answer = answers.popFirst() { sound.take(answer) }
      return sound
    }
  }

  /// The length of the sound, or nil if its file does not state it.
  var duration: Duration? { file?.duration ?? entry.duration }

  private mutating func open(_ file: borrowing SoundFile) {
    path = file.path
    status = file.status
    do throws(SystemError) {
      unread = OpenFile(try file.descriptor.duplicate())
    } catch {
      problem = "\(error.errno)"
    }
  }

  private mutating func take(_ answer: SoundReading.Answer) {
    unread = nil
    switch answer {
    case .described(let description): file = description
    case .problem(let found): problem = found.reason
    }
  }
}

extension LibrarySound {
  /// The sound as JSON, for the list of sounds and for the report about one sound.
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

extension BundledSounds {
  /// The directory of the bundled sounds: installed with the program, or in its sources.
  static var directory: String? { directory(for: try? ExecutablePath.current()) }
}
