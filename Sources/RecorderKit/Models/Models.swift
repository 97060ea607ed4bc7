public import Observation

/// A recording for a user interface. Its properties are observable.
///
/// <!-- given @MainActor -->
/// ```swift
/// import Observation
/// import RecorderKit
///
/// let model = TakeModel(try await Recorder().start(to: "memo.wav"))
/// for await levels in Observations({ model.levels }) { print(levels.all.peakDecibels) }
/// ```
@MainActor @Observable
public final class TakeModel {
  /// The recording.
  public let take: Take
  /// The state of the recording.
  public private(set) var state: Take.State
  /// The levels of the last few milliseconds.
  public private(set) var levels: Levels
  /// The length recorded so far.
  public private(set) var duration: Duration
  /// The marks and their positions.
  public private(set) var marks: [(text: String, position: Duration)] = []
  /// The result, or nil until the recording has ended.
  public private(set) var result: Take.Result?
  @ObservationIgnored private var following: [Task<Void, Never>] = []

  /// Creates a model that follows a recording. The release of the model does not end the recording.
  public init(_ take: Take) {
    self.take = take
    // Subscribe here, because the tasks start later and would miss earlier changes.
    let (levelUpdates, events) = (take.levels.subscribe(), take.events.subscribe())
    (state, levels, duration) = (take.state, take.currentLevels, take.duration)
    following = [
      Task { [weak self] in
        while let levels = await levelUpdates.next() { self?.show(levels) }
      },
      Task { [weak self] in
        while let event = await events.next() { self?.note(event) }
        let result = await take.result
        self?.conclude(result)
      },
    ]
  }

  isolated deinit { for task in following { task.cancel() } }

  private func show(_ levels: Levels) {
    self.levels = levels
    refresh()
  }

  private func note(_ event: Take.Event) {
    if case .marked(let text, let position) = event { marks.append((text, position)) }
    refresh()
  }

  private func conclude(_ result: Take.Result) {
    self.result = result
    refresh()
  }

  private func refresh() {
    (state, duration) = (take.state, take.duration)
    if state != .recording { levels = take.currentLevels }
  }
}

/// A playback for a user interface. Its properties are observable.
///
/// <!-- given @MainActor -->
/// ```swift
/// import Observation
/// import RecorderKit
///
/// let model = PlaybackModel(try await Player.shared.start(.named("rain"), repeating: .forever))
/// withObservationTracking { print(model.state) } onChange: { print("it changes") }
/// ```
@MainActor @Observable
public final class PlaybackModel {
  /// The playback.
  public let playback: Playback
  /// The state of the playback.
  public private(set) var state: Playback.State
  /// The audible position in the sound.
  public private(set) var position: Duration
  /// The loudness of the last moments, or silence while nothing plays.
  public private(set) var levels = Levels(all: .silence, channels: [])
  /// The gain as a factor. A change takes effect immediately.
  public var volume: Double {
    didSet { playback.volume = volume }
  }
  /// The pan, from −1 (left) to 1 (right). A change takes effect immediately.
  public var pan: Double {
    didSet { playback.pan = pan }
  }
  @ObservationIgnored private var following: [Task<Void, Never>] = []

  /// Creates a model that follows a playback. The release of the model does not stop the playback.
  public init(_ playback: Playback) {
    self.playback = playback
    // Subscribe here, because the tasks start later and would miss earlier changes.
    let (levelUpdates, states) = (playback.levels.subscribe(), playback.states.subscribe())
    (state, position) = (playback.state, playback.position)
    (volume, pan) = (playback.volume, playback.pan)
    following = [
      Task { [weak self] in
        while let levels = await levelUpdates.next() { self?.show(levels) }
      },
      Task { [weak self] in
        while await states.next() != nil { self?.show(nil) }
      },
    ]
  }

  isolated deinit { for task in following { task.cancel() } }

  private func show(_ levels: Levels?) {
    (state, position) = (playback.state, playback.position)
    if let levels, state == .playing { self.levels = levels }
    if state != .playing { self.levels = Levels(all: .silence, channels: []) }
  }
}
