internal import Audio
internal import Control
internal import Linux

/// The options of `start` for takes with several tracks.
enum TrackOptions {
  static let track = Option<TrackText>(
    "track", repeats: true, summary: "Record this device as a track; may be given several times")
  static let meeting = Flag(
    "meeting", summary: "Same as --track mic=default --track far=output")

  static let require = Option<TrackName>(
    "require", repeats: true,
    summary: "Stop if the device of this track disappears; may be given several times")
  static let mix = Flag("mix", summary: "Record a mix of all tracks, with one or two channels")

  static let separate = Flag(
    "separate", summary: "Write a file for each track, such as FILE-mic.wav and FILE-far.wav")

  /// The tracks of `--meeting`.
  private static let ofMeeting = [
    Track(name: "mic", device: "default"), Track(name: "far", device: "output"),
  ]

  /// Replaces the device of a capture with the tracks that the options name, if there are any.
  /// Throws if the options contradict each other.
  static func apply(
    _ arguments: Arguments, to capture: inout CapturePlan, _ format: FileFormat
  ) throws {
    let typed = try arguments.values(of: track).map { text in try text.track() }
    let tracks = (arguments[meeting] ? ofMeeting : []) + typed
    if arguments[mix], tracks.count < 2 {
      throw usage("--mix needs several tracks: give --meeting, or --track several times")
    }
    try checkSeparate(arguments, tracks)
    let required = arguments.values(of: require).map(\.value)
    try check(required, among: tracks)
    guard !tracks.isEmpty else { return }
    let option = typed.isEmpty ? "--meeting" : "--track"
    for excluded in [StartOptions.device.entry, StartOptions.select.entry]
    where arguments.options[excluded.name] != nil {
      throw Self.usage("\(option) cannot be combined with \(excluded.spelling)")
    }
    for (index, track) in tracks.enumerated() where tracks[..<index].contains(named: track.name) {
      throw Self.usage("two tracks have the name \(quoted(track.name ?? ""))")
    }
    (capture.tracks, capture.mixes, capture.required) = (tracks, arguments[mix], required)
    if tracks.count > 1 { try limit(&capture, by: arguments, format) }
  }

  /// Throws if `--separate` cannot write several files.
  private static func checkSeparate(_ arguments: Arguments, _ tracks: [Track]) throws {
    guard arguments[separate] else { return }
    if arguments[mix] {
      throw usage(
        "--mix writes one file, but --separate writes several; remove one of these options")
    }
    if tracks.count < 2 {
      throw usage("--separate needs several tracks: give --meeting, or --track several times")
    }
  }

  /// Gives each track its own file. The name of the file ends with the name of the track. Throws if
  /// the sound goes to stdout.
  static func addFiles(to plan: inout RecordingPlan) throws {
    let tracks = plan.capture.tracks.compactMap(\.name)
    guard let path = plan.output.path, let first = tracks.first else {
      throw usage(
        "--separate writes several files, but stdout can take only one",
        "give a file name, or remove --separate")
    }
    plan.output.path = adding(first, to: path)
    plan.output.pattern = plan.output.pattern.map { adding(first, to: $0) }
    plan.output.tracks = tracks
  }

  private static func adding(_ track: String, to path: String) -> String {
    let (directory, name) = path.pathParts
    return directory.path(of: TrackFileName.adding(track, to: name))
  }

  /// Throws if a required track does not exist, or if it records a program.
  private static func check(_ required: [String], among tracks: [Track]) throws {
    for name in required {
      guard let track = tracks.first(where: { $0.name?.isSameName(as: name) == true }) else {
        let names = alternatives(tracks.compactMap(\.name).map(quoted), "and")
        throw usage(
          "--require: there is no track \(quoted(name))",
          tracks.isEmpty ? "add --track \(name)=DEVICE, or --meeting" : "the tracks are \(names)")
      }
      if track.device.begins(with: "app:") {
        throw usage(
          "the track \(quoted(name)) records a program, so it cannot be required",
          "a silent program would count as a missing device: remove --require \(name)")
      }
    }
  }

  /// Limits the channels of each track. Throws if there are too many tracks, or too many channels
  /// in one track or in all tracks together.
  private static func limit(
    _ capture: inout CapturePlan, by arguments: Arguments, _ format: FileFormat
  ) throws {
    guard capture.tracks.count <= Track.mostTracks else {
      throw usage("a take has at most \(Track.mostTracks) tracks, not \(capture.tracks.count)")
    }
    let most = Track.mostChannels
    if let channels = arguments[StartOptions.channels], channels > most {
      throw usage("a track has one or two channels, not \(channels.value)")
    }
    capture.channels = capture.channels.map { min($0, most) }
    let least = capture.tracks.count * (capture.channels ?? .mono).value
    guard least > format.mostRecordedChannels, !capture.mixes, !arguments[separate] else { return }
    throw usage(
      "\(format) cannot store \(least) channels (\(capture.tracks.count) tracks)",
      "use .wav, --channels 1 for one channel of each track, --separate, or --mix")
  }

  private static func usage(_ fact: String, _ advice: String? = nil) -> Failure {
    Failure(.usage, Message(fact, advice: advice))
  }
}

/// A track as it is typed: `NAME=DEVICE`.
struct TrackText: ArgumentValue, Hashable {
  private let name: String
  private let device: String

  static let placeholder = "NAME=DEVICE"
  static let expectation = "a name and a device such as mic=default"
  static let completion = Completion.namesAfterEquals(.devices)

  /// Reads a text with an equals sign. `track` checks the name and the device.
  init(argument: String) throws(ValueError) {
    guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { throw .malformed }
    name = String(argument[..<sign])
    device = String(argument[argument.utf8.index(after: sign)...])
  }

  /// Returns the track. Throws if its name is not valid or its device is missing.
  func track() throws -> Track {
    guard Track.isName(name) else {
      throw Failure(
        .usage,
        Message(
          "\(quoted(name)) is not a valid track name",
          advice: "a name has 1 to 32 characters: a to z, 0 to 9 and dash"))
    }
    guard !device.isEmpty else {
      throw Failure(
        .usage,
        Message(
          "the track \(quoted(name)) has no device",
          advice: "\"recorder devices\" lists the devices"))
    }
    return Track(name: name, device: device)
  }
}

extension Collection<Track> {
  /// Returns whether a track has this name.
  fileprivate func contains(named name: String?) -> Bool {
    contains { $0.name?.isSameName(as: name ?? "") == true }
  }
}

extension TakeFacts {
  /// A row for each track, or nil for a take without tracks.
  var trackRows: [(term: String, meaning: String)]? { tracks.named?.rows(at: stream.rate) }
}

extension [Track] {
  /// Returns a row for each track with its channels, its device, its peak and its gaps.
  ///
  /// - Parameter rate: the rate of the device.
  func rows(at rate: SampleRate) -> [(term: String, meaning: String)] {
    map { track in
      let facts = [
        track.span + track.deviceText, track.peakText, track.silence(at: rate),
      ].compactMap(\.self)
      return ("Track \(track.name ?? "")", facts.joined(separator: ", "))
    }
  }

  /// The channels of a take with a file for each track, such as `4 channels in 2 files`, or nil for
  /// any other take.
  var extent: String? {
    let channels = compactMap { $0.channels?.count }.reduce(0, +)
    guard files.count > 1, channels > 0 else { return nil }
    return "\(counted(channels, "channel")) in \(counted(files.count, "file"))"
  }

  /// The text of `extent`, with the size of all files if it is known.
  var extentAndSize: String? {
    guard let extent else { return nil }
    let sizes = compactMap(\.bytes)
    return sizes.count == files.count ? "\(extent), \(ByteCount(sizes.reduce(0, +)))" : extent
  }

  /// The tracks in one line: `mic: channels 1 and 2, default; far: …`.
  var line: String {
    map { "\($0.name ?? ""): \($0.span)\($0.deviceText)" }.joined(separator: "; ")
  }
}

extension Gap {
  /// Returns the length and the cause: `for 0:03.251 (no permission)`.
  func lengthText(at rate: SampleRate) -> String {
    "for \(clock(length.duration(at: rate))) (\(cause.words))"
  }
}

extension Gap.Cause {
  /// The cause in the words of a report.
  var words: String {
    switch self {
    case .permission: "no permission"
    case .expired: "permission expired"
    case .disconnected: "no device"
    case .overrun, .suspended, .stalled, .disk: rawValue
    }
  }
}

extension Track {
  /// The title of the device, followed by the typed name, such as `Blue Yeti (pipewire:yeti)`. For
  /// `default` the parentheses say `PipeWire's default`. Only the typed name if the title is
  /// unknown.
  var deviceText: String {
    guard let deviceTitle else { return printable(device) }
    let isDefault = device.isSameName(as: "default")
    return "\(printable(deviceTitle)) (\(isDefault ? "PipeWire's default" : printable(device)))"
  }

  /// The highest peak, such as `peak -5.9 dBFS`, or nil if the peak is unknown.
  fileprivate var peakText: String? {
    peak.map { $0 == .silence ? "only digital silence" : "peak \(levelText($0))" }
  }

  /// Returns the silent ranges, such as `silent from 0:05.239 for 0:03.251 (no permission)`, or nil
  /// if there are none.
  fileprivate func silence(at rate: SampleRate) -> String? {
    guard var gaps, !gaps.isEmpty else { return nil }
    func time(_ frames: FrameCount) -> String { clock(frames.duration(at: rate)) }
    let last = ended == nil ? nil : gaps.popLast()
    let total = gaps.map(\.length).reduce(0, +)
    let earlier = gaps.first.map { first in
      gaps.count == 1
        ? "silent from \(time(first.position)) \(first.lengthText(at: rate))"
        : "silent in \(gaps.count) gaps, \(time(total)) in all, the first at \(time(first.position))"
    }
    let final = last.map { "silent since \(time($0.position)): \($0.cause.words)" }
    return [earlier, final].compactMap(\.self).joined(separator: ", ")
  }

  /// The name of the track's own file, or the channels of the track, counted from 1, such as
  /// `channels 1 and 2, `. Empty until the channels are known.
  fileprivate var span: String {
    if let file { return printable(file.pathParts.name) + ", " }
    guard let channels else { return "" }
    let numbers = channels.map { "\($0 + 1)" }
    return "channel\(numbers.count == 1 ? "" : "s") \(alternatives(numbers, "and")), "
  }
}
