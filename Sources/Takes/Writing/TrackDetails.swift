internal import Audio
internal import Devices
internal import Linux
internal import Synchronization

/// The details of the devices of a take. A default device may change during the take.
final class TrackDetails: Sendable {
  private struct State {
    var current: @Sendable () -> [DeviceDetails]
    var last: [DeviceDetails] = []
    /// The last known titles of the devices.
    var titles: [String?]
  }

  private let state: Mutex<State>

  /// The details of the devices that were opened.
  init(of device: borrowing CaptureDevice) {
    let details = device.details
    state = Mutex(State(current: details, titles: details().map(\.title)))
  }

  /// Uses the details of devices that were opened again.
  func follow(_ device: borrowing CaptureDevice) {
    let details = device.details
    state.withLock { $0.current = details }
  }

  /// Returns the tracks whose device has changed since the last call, with the titles of the former
  /// and the current device.
  func takeChanges() -> [(track: Int, from: String, to: String)] {
    state.withLock { state in
      let present = state.current().map(\.title)
      var changes: [(track: Int, from: String, to: String)] = []
      for (index, title) in zip(state.titles.indices, present) {
        // A missing device has no title.
        guard let title else { continue }
        if let former = state.titles[index], !former.isSameName(as: title) {
          changes.append((index, former, title))
        }
        state.titles[index] = title
      }
      return changes
    }
  }

  /// Returns the tracks whose current details meet a condition.
  func tracks(where condition: (DeviceDetails) -> Bool) -> TrackSet {
    let details = state.withLock { $0.current() }
    return TrackSet(details.indices.filter { condition(details[$0]) })
  }

  /// Sets the details of tracks. The track of a missing device keeps the last details of the
  /// device.
  func set(in tracks: inout [Track]) {
    let details = state.withLock { state in
      for (index, details) in state.current().enumerated() {
        if !state.last.indices.contains(index) { state.last.append(DeviceDetails()) }
        let last = state.last[index]
        state.last[index] = DeviceDetails(
          title: details.title ?? last.title, offset: details.offset ?? last.offset)
      }
      return state.last
    }
    for (index, details) in zip(tracks.indices, details) {
      tracks[index].deviceTitle = details.title
      tracks[index].offset = details.offset
    }
  }
}
