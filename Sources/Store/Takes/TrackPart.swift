package import Audio
internal import Control
package import JSON
package import Linux

/// The file of a track other than the first, while the file has its hidden name. Only a take with a
/// file for each track has such files.
///
/// The hidden name does not end with `.part`, so a search for parts does not find this file. The
/// file always belongs to the part of the first track. The catalogue has one line for the files of
/// all tracks.
package struct TrackPart: Hashable, Sendable {
  /// The name of the track.
  package private(set) var track: String
  /// The hidden name.
  package private(set) var part: String
  /// The device and the inode of the file, which identify it.
  private var file: RecordedPart.Number?

  /// Creates the value for the file that `status` describes.
  package init(_ track: String, at part: String, _ status: FileStatus) {
    self.track = track
    self.part = part
    file = RecordedPart.Number(status)
  }

  /// Returns the hidden name of a track's file.
  ///
  /// - Parameter part: the hidden name of the part, which is the file of the first track.
  package static func name(of track: String, beside part: String) -> String {
    "\(part)-\(track)"
  }

  /// Returns whether this file has the given name in a directory.
  package func isFile(_ name: String, in directory: borrowing Directory) -> Bool {
    guard let file, let status = try? directory.status(of: name) else { return false }
    return RecordedPart.Number(status) == file
  }

  /// Gives the file its final name, which is in `tracks`. The file of the first track must already
  /// have its final name. If another file has the name, the next free number is added to the name.
  /// Does nothing if this file already has its final name.
  ///
  /// If the file cannot be renamed, the hidden path is stored in `tracks`.
  ///
  /// - Parameters:
  ///   - isReplacing: whether to replace another file that has the final name.
  ///   - copy: copies the file to the given name. It is called if the hidden name was removed, and
  ///     throws `exists` if the given name is in use.
  package func publish(
    in directory: borrowing Directory, replacing isReplacing: Bool = false, _ tracks: inout [Track],
    copy: (_ name: String) throws(SystemError) -> Void = { name throws(SystemError) in
      throw SystemError("renameat2", name, errno: .noSuchFile)
    }
  ) {
    guard let index = tracks.firstIndex(where: { $0.name?.isSameName(as: track) == true }),
      let meant = tracks[index].file?.pathParts.name
    else { return }
    var (name, attempt) = (meant, 1)
    while !isFile(name, in: directory) {
      do throws(SystemError) {
        guard isFile(part, in: directory) else {
          try copy(name)
          break
        }
        if isReplacing {
          try directory.rename(part, to: name)
        } else {
          try directory.renameWithoutReplacing(part, to: name)
        }
      } catch {
        attempt += 1
        guard error.errno == .exists, attempt < Self.mostAttempts else {
          return tracks[index].file = directory.presentPath(of: part)
        }
        name = Self.numbered(meant, attempt)
      }
    }
    tracks[index].file = directory.presentPath(of: name)
  }

  private static let mostAttempts = 1_000

  private static func numbered(_ name: String, _ number: Int) -> String {
    let (stem, ending) = name.nameParts
    return "\(stem)-\(zeroPadded(number, to: 3))\(ending)"
  }
}

extension TrackPart: JSONMembers {
  /// A file whose members are about to be read.
  package static var blank: TrackPart { TrackPart() }

  private init() { (track, part) = ("", "") }

  /// Lists the members of the object in an announcement.
  package mutating func list(in form: inout JSONForm) {
    form.member("track", &track)
    form.member("part", &part)
    form.member("file", &file)
  }
}
