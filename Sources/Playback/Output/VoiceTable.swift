package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// Where the voices of an output are told what to do and looked at, by any thread.
package final class VoiceDesk: Sendable {
  /// The other side, for the one thread that renders.
  package let mixing: Handoff<Mixing>
  /// What sounds must be decoded for.
  package let format: StreamFormat
  private let book: Mutex<VoiceBook>

  /// A desk and its mixing for an output of this format.
  package init(_ format: StreamFormat, _ settings: OutputSettings = .init()) {
    let fade = max(FrameCount(settings.fade, at: format.rate), 1)
    let period = max(FrameCount(settings.period, at: format.rate), fade)
    var ring = SampleRing(
      capacity: FrameCount(settings.commands), bytesPerFrame: Order.bytes)
    var seats: [Seat] = []
    var chairs: [VoiceBook.Chair] = []
    for _ in 0..<settings.voices {
      var reports = LatestValue(VoiceReport.atRest)
      seats.append(Seat(reports.writer(), format: format, fade: fade))
      chairs.append(VoiceBook.Chair(ReportReader(reports.reader())))
    }
    self.format = format
    book = Mutex(VoiceBook(orders: ring.writer(), chairs: chairs))
    mixing = Handoff(
      Mixing(
        seats, orders: ring.reader(), format: format, period: Int(period.value),
        seed: settings.seed))
  }

  /// Begins to play a sound with a voice of its own.
  ///
  /// - Parameter leaving: whether the voice goes by itself once it is silent.
  package func play(
    _ sound: Sound, _ options: PlayOptions = .init(), leaving: Bool = false
  ) throws(OutputError) -> VoiceID {
    try seat(sound, .play(options), leaving: leaving)
  }

  /// Gives a sound a voice that is silent at its beginning.
  package func prepare(_ sound: Sound) throws(OutputError) -> VoiceID {
    try seat(sound, .stop, leaving: false)
  }

  private func seat(
    _ sound: Sound, _ first: VoiceCommand, leaving: Bool
  ) throws(OutputError) -> VoiceID {
    guard sound.format.rate == format.rate, sound.format.channels == format.channels else {
      throw .unfit
    }
    return try withBook { book throws(OutputError) in
      try book.seat(sound, first, leaving: leaving)
    }
  }

  /// Tells a voice what to do; it does so with the next period.
  package func tell(_ voice: VoiceID, _ command: VoiceCommand) throws(OutputError) {
    try withBook { book throws(OutputError) in try book.tell(voice, command) }
  }

  /// How a voice stood last; nil once it has gone.
  package func report(of voice: VoiceID) -> VoiceReport? {
    book.withLock { $0.report(of: voice) }
  }

  /// The frames of a voice's sound.
  func length(of voice: VoiceID) -> FrameCount { book.withLock { $0.length(of: voice) } }

  /// Stops a voice and lets it go; one that has gone already is not an error.
  package func release(_ voice: VoiceID) throws(OutputError) {
    try withBook { book throws(OutputError) in try book.release(voice) }
  }

  /// Forgets voices that were let go and are silent, and with them their sounds.
  package func sweep() { book.withLock { $0.sweep() } }

  private func withBook<Value>(
    _ body: (inout VoiceBook) throws(OutputError) -> Value
  ) throws(OutputError) -> Value where Value: Sendable {
    let result = book.withLock { book -> Result<Value, OutputError> in
      do throws(OutputError) {
        return .success(try body(&book))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
