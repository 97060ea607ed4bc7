package import Audio
package import JSON

extension Track: JSONMembers {
  /// A placeholder track. Reading JSON replaces its members.
  package static var blank: Track { Track(device: "") }

  /// Lists the members in plans, records and results. The first channel is counted from 1, as in
  /// `--select`.
  package mutating func list(in form: inout JSONForm) {
    var first = channels.map { $0.lowerBound + 1 }
    var count = channels?.count
    form.member("name", &name)
    // The name is checked, because a sidecar may come from another user, and the name can become an
    // argument on a command line.
    form.require(name.map(Self.isName) == true)
    form.member("device", &device)
    form.member("deviceTitle", &deviceTitle)
    form.member("offset", &offset)
    form.derived("service", Self.recordsSystemAudio(device) ? "systemAudio" : "microphone")
    form.member("peak", &peak)
    form.member("gaps", &gaps)
    form.member("ended", &ended)
    form.member("file", &file)
    form.member("bytes", &bytes, in: .sizes)
    form.member("firstChannel", &first, in: Self.numbers)
    form.member("channels", &count, in: Self.numbers)
    guard let first, let count else { return }
    channels = first - 1..<first - 1 + count
  }

  /// The allowed numbers for the first channel and for the number of channels.
  private static let numbers = 1...1_024
}

extension [Track] {
  /// Reads the tracks of a take. A take without named tracks has the member `device`, but no member
  /// `tracks`. The result is nil if `device` is missing.
  package init?(ofTake json: JSONValue) {
    guard let device = json["device"]?.string else { return nil }
    let tracks = json["tracks"].flatMap([Track].init(json:)) ?? []
    var plain = Track(device: device)
    plain.deviceTitle = json["deviceTitle"]?.string
    self = tracks.isEmpty ? [plain] : tracks
  }
}

extension JSONForm {
  /// Reads or writes the tracks of a take. The members are the `device` of the first track with its
  /// title, and `tracks` if the tracks have names.
  package mutating func member(tracks: inout [Track]) {
    var plain = Track(device: tracks.first?.device ?? "")
    plain.deviceTitle = tracks.first?.deviceTitle
    member("device", &plain.device)
    member("deviceTitle", &plain.deviceTitle)
    member("tracks", &tracks, or: [plain], Self.tracks) { $0.named?.json }
  }

  private static func tracks(_ json: JSONValue) -> [Track]? {
    guard let tracks = [Track](json: json), !tracks.isEmpty else { return nil }
    return tracks
  }
}
