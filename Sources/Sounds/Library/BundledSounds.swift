package import JSON
package import Linux

/// The sounds that come with the program, as its index describes them.
package struct BundledSounds: Sendable {
  /// One of those sounds.
  package struct Entry: Hashable, Sendable {
    /// The name of the sound, which is also that of its file.
    package let name: String
    /// The event that the sound stands for.
    package let meaning: String
    /// Its aliases in the Sound Naming Specification.
    package let aliases: [String]
    /// Its length.
    package let duration: Duration
  }

  /// The reason why the index cannot be used.
  package enum Failure: Error, Hashable, Sendable {
    case unreadable(SystemError)
    case malformed(JSONError)
    /// An entry has a name that no sound may have.
    case name(String, SoundNameError)
  }

  /// All bundled sounds, in the order of the index.
  package let entries: [Entry]
  private let place: SoundDirectory
  private let owners: [String: String]

  /// Reads `index.json` of a directory that has the sounds in `Sounds`.
  package init(in directory: String) throws(Failure) {
    let root: JSONValue
    do {
      let bytes = try Descriptor(opening: directory + "/index.json").readAll(upTo: 1 << 20)
      root = try Self.decode(bytes)
    } catch let error as SystemError {
      throw .unreadable(error)
    } catch let error as JSONError {
      throw .malformed(error)
    } catch {
      throw .malformed(.missing(key: "sounds"))
    }
    entries = try Self.entries(root)
    place = SoundDirectory(directory, folder: "Sounds", .bundled, endings: ["wav"])
    var owners: [String: String] = [:]
    for entry in entries { for alias in entry.aliases { owners[alias] = entry.name } }
    for entry in entries { owners[entry.name] = entry.name }
    self.owners = owners
  }

  private static func decode(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: 1 << 20))
  }

  private static func entries(_ root: JSONValue) throws(Failure) -> [Entry] {
    var entries: [Entry] = []
    do throws(JSONError) {
      guard let object = root.object else { throw JSONError.missing(key: "sounds") }
      for sound in try object.value("sounds", as: [JSONObject].self) {
        entries.append(
          Entry(
            name: try sound.value("name"), meaning: try sound.value("meaning"),
            aliases: try sound.value("names"), duration: try sound.value("seconds")))
      }
    } catch {
      throw .malformed(error)
    }
    for entry in entries {
      do {
        _ = try SoundName(entry.name)
      } catch {
        throw .name(entry.name, error)
      }
    }
    return entries
  }

  /// The sound with this alias, such as an event of the desktop; nil for none.
  func owner(ofAlias name: String) -> String? { owners[name].flatMap { $0 == name ? nil : $0 } }

  /// The file of a sound by its name or one of its aliases; nil where there is none.
  func look(for name: String) throws(SoundLibraryError) -> SoundLookup? {
    guard let owner = owners[name] else { return nil }
    return try place.look(for: owner)
  }
}
