import Audio
import Devices
import Linux
import Store
import Support
import Testing

@testable import Control
@testable import Permission
@testable import Takes

/// Starts to record the ramp, and returns the controller of the session. The identifier of the take
/// is its name.
///
/// - Parameter directory: the path of the directory of the file, or nil for the scratch directory.
func startSession(
  in scratch: borrowing ScratchDirectory, _ name: String, at directory: String? = nil,
  tracks: [Track]? = nil, access: TestAccess? = nil, host: any TakeHost = QuietHost(),
  losses: @escaping () -> (losses: [AccessLoss], isComplete: Bool) = { ([], false) }
) throws -> SessionController {
  let directory = directory ?? scratch.path
  var plan = RecordingPlan(
    identifier: name, name: name, capture: CapturePlan(device: "test:ramp"),
    output: OutputPlan(path: directory + "/" + name + ".wav", format: .wav))
  plan.capture.tracks = tracks ?? plan.capture.tracks
  let devices = tracks?.map { _ in Track(device: "test:ramp") } ?? plan.capture.tracks
  let take = try LiveTake(
    plan, #require(SessionName(name)),
    from: CaptureDevice(devices, TakeFormats.request(plan)),
    into: Directory(directory),
    MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run"))),
    QuietHost(), reopening: { _ in true })
  try eventually { take.recording.captured > 0 }
  let access = try access ?? TestAccess(in: scratch.path)
  return SessionController(
    take, host, SessionAccess(takeLosses: losses, check: {}, reader: access.access))
}

/// Returns the loss of a service about which nothing was decided.
func lostAccess(to service: Service) -> AccessLoss {
  let wall = WallTime(sinceEpoch: .zero)
  let situation = Situation(
    policies: .none, records: .absent,
    clock: ClockReading(boottime: .zero, wall: wall, boot: nil),
    account: Account.current(Environment.effectiveUser),
    owner: StoreOwner(user: 0, machineID: nil),
    services: [service])
  return AccessLoss(decision: situation.decide(), account: situation.account)
}
