internal import CommandLine
internal import Decoding
internal import JSON
internal import Linux
internal import Sounds

/// A sound of the library with what its file holds, to be shown.
struct LibrarySound {
  let entry: SoundLibrary.Entry
  /// Its file; nil where somebody does not want to hear it.
  private(set) var path: String?
  /// What the file holds, where it was read.
  private(set) var file: SoundDescription?
  /// Why it cannot be played.
  private(set) var problem: String?
  private var unread: OpenFile?

  /// A sound that was found.
  init(_ entry: SoundLibrary.Entry, _ found: borrowing SoundLookup) {
    self.entry = entry
    switch found {
    case .file(let file): open(file)
    case .disabled: break
    }
  }

  /// Looks a sound of the list up, and opens its file where the list does not say how long it lasts.
  private init(_ entry: SoundLibrary.Entry, in library: SoundLibrary) {
    self.entry = entry
    do throws(SoundLibraryError) {
      switch try library.open(exactly: entry.name) {
      case .disabled: break
      case .file(let file): open(file)
      case nil: problem = "nothing can be opened by this name"
      }
    } catch {
      problem = error.reason
    }
    if entry.duration != nil { unread = nil }
  }

  /// Far fewer than a process may have open; each is open thrice while a child starts.
  private static let step = 24

  /// Looks sounds of the list up.
  static func all(
    _ entries: [SoundLibrary.Entry], in library: SoundLibrary
  ) throws(Failure) -> [LibrarySound] {
    var sounds: [LibrarySound] = []
    for start in stride(from: 0, to: entries.count, by: step) {
      let part = entries[start...].prefix(step)
      sounds += try read(part.map { LibrarySound($0, in: library) })
    }
    return sounds
  }

  /// The same sounds with what their files hold.
  static func read(_ sounds: [LibrarySound]) throws(Failure) -> [LibrarySound] {
    var answers = try SoundReading.describe(sounds.compactMap(\.unread))[...]
    return sounds.map { sound in
      var sound = sound
      if sound.unread != nil, let answer = answers.popFirst() { sound.take(answer) }
      return sound
    }
  }

  /// How long it lasts, where its file says it.
  var duration: Duration? { file?.duration ?? entry.duration }

  private mutating func open(_ file: borrowing SoundFile) {
    path = file.path
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
