package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// The voices of an output. Any thread may send them commands and read their reports.
package final class VoiceTable: Sendable {
  /// The part of the table for the rendering thread.
  package let mixing: Handoff<Mixing>
  /// The required format of decoded sounds.
  package let format: StreamFormat
  private let slots: Mutex<VoiceSlots>

  /// A table and its mixing for an output of this format.
  package init(_ format: StreamFormat, _ settings: OutputSettings = .init()) {
    let fade = max(FrameCount(settings.fade, at: format.rate), 1)
    let period = max(FrameCount(settings.period, at: format.rate), fade)
    // In addition to the commands, the ring has room for the release of each voice.
    var ring = SampleRing(
      capacity: FrameCount(settings.commands + settings.voices), bytesPerFrame: Order.bytes)
    var voices: [MixerVoice] = []
    var slots: [VoiceSlot] = []
    for _ in 0..<settings.voices {
      var reports = LatestValue(VoiceReport.atRest)
      voices.append(MixerVoice(reports.writer(), format: format, fade: fade))
      slots.append(VoiceSlot(ReportReader(reports.reader())))
    }
    self.format = format
    self.slots = Mutex(VoiceSlots(orders: ring.writer(), slots: slots))
    mixing = Handoff(
      Mixing(
        voices, orders: ring.reader(), format: format, period: Int(period.value),
        seed: settings.seed))
  }

  /// Plays a sound with a new voice.
  package func play(
    _ sound: Sound, _ options: PlayOptions = .init()
  ) throws(OutputError) -> VoiceID {
    try add(sound, .play(options))
  }

  /// Creates a voice for a sound. Its state is `stopped`, and its position is the beginning.
  package func prepare(_ sound: Sound) throws(OutputError) -> VoiceID {
    try add(sound, .stop)
  }

  private func add(_ sound: Sound, _ first: VoiceCommand) throws(OutputError) -> VoiceID {
    guard sound.format.suits(format) else { throw .unfit }
    return try slots.withLock { slots throws(OutputError) in try slots.add(sound, first) }
  }

  /// Sends a command to a voice. The command takes effect with the next period.
  package func send(_ command: VoiceCommand, to voice: VoiceID) throws(OutputError) {
    try slots.withLock { slots throws(OutputError) in try slots.send(command, to: voice) }
  }

  /// Returns the last report of a voice, or nil if the voice no longer exists.
  package func report(of voice: VoiceID) -> VoiceReport? {
    slots.withLock { $0.report(of: voice) }
  }

  /// Returns the number of frames in a voice's sound.
  func length(of voice: VoiceID) -> FrameCount { slots.withLock { $0.length(of: voice) } }

  /// Stops and releases a voice, even if the queue is full. Does nothing if the voice was already
  /// released.
  package func release(_ voice: VoiceID) { slots.withLock { $0.release(voice) } }

  /// Frees the slots of released voices that are silent. Without this call, these slots keep their
  /// sounds in memory until the next sound is added.
  func sweep() { slots.withLock { $0.sweep() } }
}

/// The identifier of a voice of one output.
package struct VoiceID: Hashable, Sendable {
  fileprivate let slot: Int
  fileprivate let generation: Int
}

/// The voices of an output, for the threads that send commands. The table's lock guards this value.
private struct VoiceSlots: ~Copyable {
  var orders: SampleRing.Writer
  var slots: [VoiceSlot]

  /// Gives a slot to a sound, and a first command to its voice.
  mutating func add(_ sound: Sound, _ first: VoiceCommand) throws(OutputError) -> VoiceID {
    sweep()
    guard let slot = slots.firstIndex(where: { $0.sound == nil }) else {
      throw .tooManyVoices(slots.count)
    }
    try enqueue(first, to: slot, sound.frames)
    slots[slot].sound = sound
    slots[slot].generation += 1
    slots[slot].isLeaving = false
    return VoiceID(slot: slot, generation: slots[slot].generation)
  }

  /// Sends a command to a voice.
  mutating func send(_ command: VoiceCommand, to voice: VoiceID) throws(OutputError) {
    guard isThere(voice) else { throw .noSuchVoice }
    try enqueue(command, to: voice.slot, nil)
  }

  /// Returns the last report of a voice, or nil if the voice no longer exists.
  func report(of voice: VoiceID) -> VoiceReport? {
    guard isThere(voice) else { return nil }
    let slot = slots[voice.slot]
    var report = slot.reader.read()
    report.isPending = report.sequence < slot.sequence
    // A report that was made before the first order for this sound belongs to the previous voice in
    // the slot.
    guard report.sequence < slot.first else { return report }
    report = slot.beginning
    report.isPending = true
    return report
  }

  /// Returns the number of frames in a voice's sound, or 0 if the voice no longer exists.
  func length(of voice: VoiceID) -> FrameCount {
    isThere(voice) ? FrameCount(slots[voice.slot].sound?.frames.count ?? 0) : 0
  }

  /// Stops a voice, and frees its slot once it is silent.
  mutating func release(_ voice: VoiceID) {
    guard isThere(voice), !slots[voice.slot].isLeaving else { return }
    slots[voice.slot].isLeaving = true
    put(.stop, to: voice.slot, nil)
  }

  /// Frees the slots of released voices that are silent.
  ///
  /// A voice with orders that were not carried out yet keeps its slot, because these orders could
  /// still make the rendering thread read the sound.
  mutating func sweep() {
    for slot in slots.indices where slots[slot].isLeaving && slots[slot].sound != nil {
      let report = slots[slot].reader.read()
      if report.sequence == slots[slot].sequence && report.isAtRest { slots[slot].sound = nil }
    }
  }

  private func isThere(_ voice: VoiceID) -> Bool {
    let slot = slots[voice.slot]
    return slot.generation == voice.generation && slot.sound != nil
  }

  /// Sends an order. Throws `queueFull` if the ring has room only for releases.
  private mutating func enqueue(
    _ command: VoiceCommand, to slot: Int, _ sound: SoundFrames?
  ) throws(OutputError) {
    guard orders.free > slots.count else { throw .queueFull }
    put(command, to: slot, sound)
  }

  private mutating func put(_ command: VoiceCommand, to slot: Int, _ sound: SoundFrames?) {
    slots[slot].sequence += 1
    let isSent = orders.put(
      Order(slot: slot, sequence: slots[slot].sequence, sound: sound, command: command))
    precondition(isSent, "each voice is released once")
    if sound == nil { return }
    slots[slot].first = slots[slot].sequence
    if case .play = command {
      slots[slot].beginning = .beginning
    } else {
      slots[slot].beginning = .prepared
    }
  }
}

/// A slot for one voice.
private struct VoiceSlot {
  let reader: ReportReader
  /// The sound, or nil if the slot is free. It is kept in memory until the rendering thread no
  /// longer uses it.
  var sound: Sound?
  var generation = 0
  /// The number of orders sent to the slot so far.
  var sequence = 0
  /// The number of the first order for the current sound.
  var first = 0
  /// The report of the voice until the order `first` is carried out.
  var beginning = VoiceReport.beginning
  /// True if the voice was released. The slot then becomes free when the voice is silent.
  var isLeaving = false

  init(_ reader: ReportReader) { self.reader = reader }
}

/// A reader of reports in an object, because an array cannot store a noncopyable reader. The
/// table's lock guards it.
private final class ReportReader {
  private var reader: LatestValue<VoiceReport>.Reader

  init(_ reader: consuming LatestValue<VoiceReport>.Reader) { self.reader = reader }

  /// Returns the newest report.
  func read() -> VoiceReport { reader.read() }
}
