internal import Audio
internal import Devices
internal import Synchronization

/// The sound server's titles of the devices of a take. A default device may change while it records.
final class DeviceTitles: Sendable {
  private struct State {
    var current: @Sendable () -> [String?]
    var last: [String?] = []
  }

  private let state: Mutex<State>

  /// The titles of the devices that were opened.
  init(of device: borrowing CaptureDevice) { state = Mutex(State(current: device.titles)) }

  /// Continues with devices that were opened again.
  func follow(_ device: borrowing CaptureDevice) {
    let titles = device.titles
    state.withLock { $0.current = titles }
  }

  /// Sets the titles of tracks. A device that is missing keeps its last title.
  func set(in tracks: inout [Track]) {
    let titles = state.withLock { state in
      for (index, title) in state.current().enumerated() {
        if !state.last.indices.contains(index) { state.last.append(nil) }
        state.last[index] = title ?? state.last[index]
      }
      return state.last
    }
    for (index, title) in zip(tracks.indices, titles) { tracks[index].deviceTitle = title }
  }
}
