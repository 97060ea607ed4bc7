internal import Analysis
package import Audio
internal import Control
internal import Linux
internal import Store

extension TakeLookup {
  /// Returns the take whose file is at `path`, with its store, or nil if there is no such take.
  private static func found(at path: String) -> (store: MachineStore, take: ListedTake)? {
    guard let store = try? SessionClient().store,
      let take = store.catalogue.take(at: Program.absolutePath(of: path))
    else { return nil }
    return (store, take)
  }

  /// Returns words for a file that has one track of a take, but not the first track: `the track
  /// "far" of the take "a-mic.wav"`. Returns nil for any other file.
  static func trackText(of path: String) -> String? {
    let whole = Program.absolutePath(of: path)
    guard let take = (try? SessionClient())?.store.catalogue.take(withTrackAt: whole),
      let first = take.path, !first.isSameName(as: whole),
      let track = take.tracks.first(where: { $0.file?.isSameName(as: whole) == true })
    else { return nil }
    return "the track \(quoted(track.name ?? "")) of the take \(quoted(first))"
  }

  /// If a reference names one file of a split take, prints a note about this, with the commands for
  /// the other files.
  static func noteSplit(_ take: ListedTake, _ reference: TakeReference, _ console: Console) {
    guard let count = (try? SessionClient())?.store.catalogue.fileCount(of: take), count > 1 else {
      return
    }
    console.note(
      "\(quoted("\(reference)")) is file \(take.segment ?? 1) of \(count) of a split take",
      advice: "\"recorder takes \(shellArgument(take.name))\" lists its files, and "
        + "\"recorder export --join\" joins them")
  }

  /// Stores the measured levels of a file, if the file is an unchanged take.
  ///
  /// - Parameter file: the status of the file before it was measured.
  static func note(_ levels: SoundLevels, of path: String, _ file: FileStatus) {
    guard let loudness = levels.loudness?.integrated, loudness.isFinite,
      let (store, take) = found(at: path)
    else { return }
    func hundredths(_ level: Double) -> Double { (level * 100).rounded() / 100 }
    let peak = Decibels(amplitude: levels.truePeak).value
    let stored = TakeLevels(
      loudness: hundredths(loudness), truePeak: hundredths(peak), of: file)
    // The user sees the measurement even if it cannot be stored.
    try? store.catalogue.note(stored, of: take)
  }

  /// Returns the stored loudness and true peak of a file, or nil if they were not measured, or if
  /// the file is not a take or was changed since.
  static func measured(_ path: String, _ file: FileStatus) -> SoundLevels? {
    guard let (store, take) = found(at: path),
      let known = store.catalogue.levels(of: take, file), let peak = known.truePeak
    else { return nil }
    var levels = SoundLevels()
    levels.loudness = MeasuredLoudness(integrated: known.loudness, range: 0)
    levels.truePeak = Decibels(peak).amplitude
    return levels
  }

  /// Returns the sample format in which a take without a header was saved, or nil for any other
  /// file.
  package static func rawFormat(of path: String) -> StreamFormat? {
    // The suffix is checked first, because the lookup of a file that is not a take reads the whole
    // list.
    guard FileFormat.raw.fits(path.nameParts.ending.trimmingBytes(first: 1)),
      let (store, take) = found(at: path), take.state == .whole
    else { return nil }
    var lines = TakeLines(of: store)
    guard let facts = lines.result(of: take)?.facts, facts.format == .raw else { return nil }
    return facts.file ?? facts.stream
  }

  /// Returns the question whether a take with a similar name is meant, or nil if there is no such
  /// take.
  ///
  /// - Parameter typed: the name of a take, or the path of a file that does not exist.
  static func suggestion(for typed: String) -> String? {
    let file = typed.pathParts.name
    let name = file.hasSoundEnding ? file.nameParts.stem : file
    // All names of one or two letters are similar.
    guard name.count > 2, let store = try? SessionClient().store else { return nil }
    var seen: Set<Path> = []
    let names = store.catalogue.listedTakes.reversed().filter(\.exists).prefix(mostSuggested)
      .flatMap(\.names).filter { seen.insert(Path($0)).inserted }
    let nearest = nearestNames(to: name, among: names).prefix(3).map { quoted("@" + $0) }
    return nearest.isEmpty ? nil : "did you mean the take \(alternatives(nearest))?"
  }

  /// The maximum number of takes that a suggestion considers, the newest first.
  private static let mostSuggested = 500
}

extension Failure {
  /// Returns the failure with a take of a similar name as advice, if there is no file at `path` and
  /// no other advice.
  func suggesting(takeFor path: String) -> Failure {
    guard code == .notFound, message.advice.isEmpty,
      let advice = TakeLookup.suggestion(for: path)
    else { return self }
    return Failure(code, message.fact, advice: advice)
  }
}

extension SessionRecord {
  /// Returns whether a reference names the recording, or the file that it was going to save.
  func isMeant(by reference: TakeReference) -> Bool {
    if isNamed(reference.text) { return true }
    guard reference.number == nil, let file = path?.pathParts.name else { return false }
    return file.isSameName(as: reference.text) || file.nameParts.stem.isSameName(as: reference.text)
  }
}
