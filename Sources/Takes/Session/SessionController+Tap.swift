package import Audio
package import Control
internal import JSON
internal import Linux
internal import Permission
internal import RealTime
internal import Recording

/// The programs that read the frames of the take.
extension SessionController {
  /// Turns the connection of a client into a reader of the take. Throws if the client may not read
  /// the requested tracks.
  func tap(_ request: Control.Request, for ticket: Ticket) throws -> Answer {
    guard ending == nil else { throw TakeError.ending(take.name) }
    take.taps.removeDeparted()
    guard !take.taps.isFull else {
      let count = take.taps.readerCount
      throw TakeError.tap(take.name, count < TakeTaps.most ? .descriptors : .readers(count))
    }
    let track = try request.arguments["track"]?.string.map(take.readable)
    if let track = track?.track {
      for (tracks, loss) in silenced where take.tracks[tracks].contains(track) {
        throw TakeError.tap(take.name, .silenced(track, loss))
      }
    }
    let client = try request.arguments["client"]?.string.map { name in
      guard let client = Client(name) else { throw TakeError.unknownClient(name) }
      return client
    }
    let remaining = take.plan.capture.tracks.filter { !isSilenced($0) }
    let access = try access.reader(
      client ?? .everyone, reader(of: request), ticket.process,
      track.map { [$0.track] } ?? remaining)
    try access.begin()
    let (taps, channels) = (take.taps, track?.channels)
    var stream = take.output
    stream.channels = channels?.targets ?? stream.channels
    let first = take.recording.length.converted(from: take.input.rate, to: take.output.rate)
    var answer = current
    answer["tap"] = stream.json
    answer["position"] = first.json
    return .handOver(.done(answer)) { socket, unsent in
      taps.add(TapReader(socket, unsent, access, from: Int(first.value), channels))
    }
  }

  /// Returns the identifier that the client has chosen for itself, or else a new identifier. The
  /// identifier of the take is not accepted, because it would give the client the session grant of
  /// the take.
  private func reader(of request: Control.Request) throws -> SessionID {
    let chosen = request.arguments["reader"]?.string.flatMap { SessionID($0) }
    if let chosen, chosen.text != take.plan.identifier { return chosen }
    return try SessionID()
  }

  /// Ends the readers that have lost their access, and removes the readers that have left.
  func followReaders() {
    take.taps.followAccess(without: Set(silenced.map(\.loss.decision.service))) { loss in
      Refusal(exit: loss.outcome.rawValue, host.words(for: .access(loss)) ?? "\(loss.reason)")
    }
    take.taps.removeDeparted()
  }
}

extension LiveTake {
  /// Returns the track named `name`, with the selection of its channels. Throws if the track cannot
  /// be read alone.
  fileprivate func readable(_ name: String) throws -> (track: Track, channels: ChannelMap) {
    let track = try tracks.readable(name, in: self.name)
    let channels = track.channels.flatMap { ChannelMap(selecting: Array($0), of: output.channels) }
    guard let channels else { throw TakeError.tap(self.name, .mixed) }
    return (track, channels)
  }
}

extension [Track] {
  /// Returns the track named `name` of a take. Throws if the track cannot be read alone.
  package func readable(_ name: String, in take: SessionName) throws -> Track {
    guard let track = first(where: { $0.name?.isSameName(as: name) == true }) else {
      throw TakeError.tap(take, .noTrack(name, has: compactMap(\.name)))
    }
    guard track.channels != nil else { throw TakeError.tap(take, .mixed) }
    return track
  }
}
