internal import Audio
internal import Devices
internal import Synchronization

/// The details of the devices of a take. A default device may change while it records.
final class TrackDetails: Sendable {
  private struct State {
    var current: @Sendable () -> [DeviceDetails]
    var last: [DeviceDetails] = []
  }

  private let state: Mutex<State>

  /// The details of the devices that were opened.
  init(of device: borrowing CaptureDevice) { state = Mutex(State(current: device.details)) }

  /// Continues with devices that were opened again.
  func follow(_ device: borrowing CaptureDevice) {
    let details = device.details
    state.withLock { $0.current = details }
  }

  /// Sets the details of tracks. A device that is missing keeps its last details.
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
