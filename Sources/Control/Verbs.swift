/// The actions that a client asks of a session, as they are sent.
package enum SessionVerb: String, Sendable {
  case status
  case watch
  case pause
  case resume
  case toggle
  case mark
  case split
  case trigger
  case stop
  case wait
  case cancel
  /// Checks the microphone access again after a decision.
  case permission
}

/// The actions that a client asks of the player, as they are sent.
package enum PlayerVerb: String, Sendable {
  case status
  case watch
  /// Ends an idle player to make room for another one.
  case leave
  case play
  case stop
  case pause
  case resume
  case rewind
  case replay
  case seek
  case volume
  case mute
  case unmute
  case prepare
}
