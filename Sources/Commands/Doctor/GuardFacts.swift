internal import Control
internal import Guard
internal import Linux

/// The facts about the guard, and about the devices that programs can open without PipeWire.
struct GuardFacts: Equatable {
  /// The state of the running guard, or nil if none runs.
  var status: GuardStatus?
  var software: SoundSoftware
  /// The capture devices of the kernel that this user may open.
  var openDevices: [String] = []
  /// Whether the sound server makes programs wait until a guard runs.
  var isHeld = false
  /// Whether there is a session bus, which the desktop's notifications need.
  var hasBus = true

  /// Reads the facts, or returns nil if neither a guard nor PipeWire is running.
  static func current(isServed: Bool) -> GuardFacts? {
    let status = try? RunningGuard.status()
    guard isServed || status != nil else { return nil }
    return GuardFacts(
      status: status, software: .installed(), openDevices: SoundDeviceFiles.openForCapture,
      isHeld: status == nil && SoundSoftware.holdsPrograms(), hasBus: hasSessionBus)
  }

  /// Whether there is a session bus now.
  static var hasSessionBus: Bool {
    if Environment.text(of: "DBUS_SESSION_BUS_ADDRESS") != nil { return true }
    let socket = Environment.text(of: "XDG_RUNTIME_DIR").map { $0.path(of: "bus") }
    return socket.flatMap { try? FileStatus(of: $0) }?.kind == .socket
  }
}
