internal import Audio
internal import Exports
internal import Linux

/// A take that an export reads: its only file, the file of one track, or the files of all tracks.
struct ExportedTake {
  /// The path of the take, which is the path of its first file.
  private let path: String
  /// The tracks whose files are read side by side, or empty if only one file is read.
  private let tracks: [Track]
  /// Whether only the file of one track is read.
  let isTrack: Bool
  /// The paths of the files.
  let files: [String]
  /// The sounds of the files.
  let sounds: [OpenSound]

  /// Opens the files of the take at `path`. Throws if a file is missing or being recorded.
  ///
  /// - Parameter track: the only track to read if each track has its own file, or nil for all
  ///   tracks.
  init(_ path: String, track: String?, _ console: Console) throws {
    let own = TakeLookup.fileTracks(at: path, console)
    let chosen = own.isEmpty ? nil : track
    let tracks = chosen == nil ? own : []
    var files = own.isEmpty ? [path] : own.compactMap(\.file)
    if let chosen {
      files = [try exporting(path) { try ExportSource.file(of: chosen, among: own) }]
    }
    self.path = path
    self.tracks = tracks
    self.files = files
    isTrack = chosen != nil
    sounds = try files.map { file -> OpenSound in
      try RecordedFile(file).refuseWhileRecording()
      return try OpenSound(file, of: tracks.isEmpty ? path : file, console)
    }
    OpenSound.warnOfLengths(sounds, at: files, console)
  }

  /// The sound with the channels of all files.
  private var source: ExportSource {
    tracks.isEmpty ? sounds[0].source : ExportSource(sounds.map(\.source), of: tracks)
  }

  private var trackFiles: [Export.TrackFile] { sounds.map { ($0.source, $0.file) } }

  /// Returns an export of the take.
  func export(progress: @escaping Export.Progress) -> Export {
    tracks.isEmpty
      ? Export(of: source, in: sounds[0].file, by: openDecoder, progress: progress)
      : Export(of: trackFiles, with: tracks, by: openDecoder, progress: progress)
  }

  /// Appends the take to an export.
  func append(to export: inout Export) {
    if tracks.isEmpty {
      export.append(source, in: sounds[0].file)
    } else {
      export.append(trackFiles, with: tracks)
    }
  }

  /// Throws if the take cannot follow another take in an export.
  ///
  /// If `choosesTracks` is false, a take with several files must have as many channels as the first
  /// take, because the channels of several files are not converted. If `choosesTracks` is true, one
  /// track is exported or all tracks are mixed. Then the take must have the same tracks as the
  /// first take, or no tracks. A take without tracks must be mono if `first.isTrack` is false.
  func requireFit(behind first: ExportedTake, choosesTracks: Bool) throws {
    let (source, other) = (source, first.source)
    let isFitting =
      if !choosesTracks {
        tracks.isEmpty || source.channels == other.channels
      } else if first.isTrack {
        isTrack || source.tracks.isEmpty
      } else {
        source.tracks.isEmpty ? source.channels == .mono : source.hasTracks(of: other)
      }
    guard !isFitting else { return }
    let why =
      choosesTracks
      ? "it does not have the tracks of the first take"
      : "it has \(source.channels.value) channels, and the first take has \(other.channels.value)"
    throw Failure(
      .usage, "cannot join", on: path, why: why,
      advice: "export each take with --track or --mix, then join the files")
  }
}
