package import Audio
package import JSON

/// The state of one sound of the player at one moment.
package struct SoundStatus: Hashable, Sendable {
  /// The name of the sound, or the file as it was typed.
  package var name: String
  /// The playback device, as it was typed.
  package var output: String
  /// The playback state.
  package var state: PlaybackState
  /// The playback position, from the beginning of the sound.
  package var position: Duration
  /// The length of the sound.
  package var duration: Duration
  /// The gain as a factor. 1 does not change the samples.
  package var volume = 1.0
  /// Whether the sound is muted. A muted sound continues to play.
  package var isMuted = false
  /// The number of plays that have not ended, including the current play. Nil for an endless loop.
  package var playsLeft: Int? = 0
  /// The number of voices with this name that are playing.
  package var voices = 0
  /// The number of plays that have not begun. A play waits for the device, for its file or for an
  /// earlier play.
  package var queued = 0
  /// The name of the next sound of the same play request, or nil if there is none.
  package var next: String?
  /// The most recent peak, or negative infinity if nothing plays.
  package var peak = Decibels(-.infinity)
  /// The absolute path of the file.
  package var path: String

  /// Creates a status with a gain of 1 and no voices. The caller sets the other members later.
  package init(
    _ name: String, output: String, state: PlaybackState, position: Duration, duration: Duration,
    path: String
  ) {
    self.name = name
    self.output = output
    self.state = state
    self.position = position
    self.duration = duration
    self.path = path
  }
}

extension SoundStatus: JSONMembers {
  /// A placeholder status. Reading JSON replaces its members.
  package static var blank: SoundStatus {
    SoundStatus("", output: "", state: .stopped, position: .zero, duration: .zero, path: "")
  }

  /// Lists the members of the object in a reply. `playsLeft` is null for an endless loop, and
  /// `peak` is null for silence.
  package mutating func list(in form: inout JSONForm) {
    form.member("name", &name)
    form.member("device", &output)
    form.member("state", &state)
    form.member("position", &position)
    form.member("duration", &duration)
    form.member("volume", &volume)
    form.member("muted", &isMuted)
    form.member("playsLeft", &playsLeft, { $0.integer(in: .counts) }) { $0?.json ?? .null }
    form.member("voices", &voices, in: .counts)
    form.member("queued", &queued, in: .counts)
    form.member("next", &next)
    form.member("peak", &peak)
    form.member("path", &path)
  }
}

extension PlaybackState: JSONConvertible {}
