internal import Audio
internal import RealTime

/// Who sits where, on the side of those who give commands; guarded by the desk's lock.
struct VoiceBook: ~Copyable {
  /// One seat, as it is known here.
  struct Chair {
    let reader: ReportReader
    /// Kept in memory until the renderer is done with it.
    var sound: Sound?
    var generation = 0
    /// Orders given to this seat so far.
    var sequence = 0
    /// The order that brought the sound.
    var first = 0
    /// How the sound stands until that order is obeyed.
    var beginning = VoiceReport.beginning
    /// Whether it is free once it is silent.
    var isLeaving = false

    init(_ reader: ReportReader) { self.reader = reader }
  }

  private var orders: SampleRing.Writer
  private var chairs: [Chair]

  init(orders: consuming SampleRing.Writer, chairs: consuming [Chair]) {
    self.orders = orders
    self.chairs = chairs
  }

  /// Gives a sound a seat, and its voice a first command.
  mutating func seat(
    _ sound: Sound, _ first: VoiceCommand, leaving: Bool
  ) throws(OutputError) -> VoiceID {
    sweep()
    guard let seat = chairs.firstIndex(where: { $0.sound == nil }) else {
      throw .tooManyVoices(chairs.count)
    }
    try give(first, to: seat, sound.frames)
    chairs[seat].sound = sound
    chairs[seat].generation += 1
    chairs[seat].isLeaving = leaving
    return VoiceID(seat: seat, generation: chairs[seat].generation)
  }

  /// Gives a voice a command.
  mutating func tell(_ voice: VoiceID, _ command: VoiceCommand) throws(OutputError) {
    guard isSeated(voice) else { throw .noSuchVoice }
    try give(command, to: voice.seat, nil)
  }

  /// How a voice stood last; nil once it has gone.
  func report(of voice: VoiceID) -> VoiceReport? {
    guard isSeated(voice) else { return nil }
    let chair = chairs[voice.seat]
    var report = chair.reader.look()
    report.isPending = report.sequence < chair.sequence
    // One that its order has not reached speaks of the voice that sat there before.
    guard report.sequence < chair.first else { return report }
    report = chair.beginning
    report.isPending = true
    return report
  }

  /// The frames of a voice's sound; none once it has gone.
  func length(of voice: VoiceID) -> FrameCount {
    isSeated(voice) ? FrameCount(chairs[voice.seat].sound?.frames.count ?? 0) : 0
  }

  /// Stops a voice, which then leaves.
  mutating func release(_ voice: VoiceID) throws(OutputError) {
    guard isSeated(voice) else { return }
    try give(.stop, to: voice.seat, nil)
    chairs[voice.seat].isLeaving = true
  }

  /// Frees the seats of those who leave and are silent.
  ///
  /// Only where every order was obeyed: one under way could still make the renderer read the sound.
  mutating func sweep() {
    for seat in chairs.indices where chairs[seat].isLeaving && chairs[seat].sound != nil {
      let report = chairs[seat].reader.look()
      if report.sequence == chairs[seat].sequence && report.isAtRest { chairs[seat].sound = nil }
    }
  }

  private func isSeated(_ voice: VoiceID) -> Bool {
    let chair = chairs[voice.seat]
    return chair.generation == voice.generation && chair.sound != nil
  }

  private mutating func give(
    _ command: VoiceCommand, to seat: Int, _ sound: SoundFrames?
  ) throws(OutputError) {
    let order = Order(
      seat: seat, sequence: chairs[seat].sequence + 1, sound: sound, command: command)
    guard orders.put(order) else { throw .queueFull }
    chairs[seat].sequence += 1
    if sound == nil { return }
    chairs[seat].first = chairs[seat].sequence
    if case .play = command {
      chairs[seat].beginning = .beginning
    } else {
      chairs[seat].beginning = .prepared
    }
  }
}
