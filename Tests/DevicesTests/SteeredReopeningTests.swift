import Audio
import Testing

@testable import Devices

@Suite("A capture of devices without a common clock that disappear")
struct SteeredReopeningTests {
  private let second = TrackSet(index: 1)

  @Test("continues without a device, and again with it when it is back")
  func reconnection() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    bench.controls[1].fault.withLock { $0 = .disconnected }
    try bench.run(.seconds(10))
    #expect(bench.blocks.last?.silent == second)
    bench.controls[1].fault.withLock { $0 = nil }
    bench.controls[1].isBack.withLock { $0 = true }
    try bench.run(.seconds(1))
    bench.forget()
    try bench.run(.seconds(2))
    #expect(bench.blocks.count == 3 && bench.blocks.last?.silent.isEmpty == true)
    #expect(bench.missing == second)
    #expect(bench.offset(of: 1) < 1e-3)
    #expect(bench.blocks.map(\.count).reduce(0, +) > 2_000 * 146 / 10)
  }

  @Test("opens a device again that delivers nothing for 3 s")
  func stuck() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 0)])
    try bench.run(.seconds(2))
    bench.controls[1].isStuck.withLock { $0 = true }
    try bench.run(.milliseconds(2_900))
    bench.controls[1].isBack.withLock { $0 = true }
    try bench.run(.milliseconds(500))
    #expect(bench.blocks.last?.silent == second)
    bench.controls[1].isStuck.withLock { $0 = false }
    bench.forget()
    try bench.run(.seconds(2))
    #expect(bench.blocks.count == 3 && bench.blocks.last?.silent.isEmpty == true)
    #expect(bench.missing == second)
    #expect(bench.offset(of: 1) < 1e-3)
  }

  @Test("notices the end of a device whose buffer is empty")
  func dead() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 0)])
    try bench.run(.seconds(2))
    bench.controls[1].isFaultHidden.withLock { $0 = true }
    bench.controls[1].fault.withLock { $0 = .disconnected }
    try bench.run(.seconds(1))
    #expect(bench.controls[1].isClosed.withLock { $0 } && bench.missing == second)
  }

  @Test("opens a device again that cannot be restarted for 3 s")
  func unrecoverable() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 0)])
    try bench.run(.seconds(2))
    bench.controls[1].recovers.withLock { $0 = false }
    bench.controls[1].fault.withLock { $0 = .xrun }
    try bench.run(.milliseconds(2_900))
    #expect(bench.missing.isEmpty)
    try bench.run(.milliseconds(500))
    #expect(bench.missing == second)
    bench.controls[1].fault.withLock { $0 = nil }
    bench.controls[1].isBack.withLock { $0 = true }
    try bench.run(.seconds(1))
    #expect(bench.blocks.last?.silent.isEmpty == true)
  }

  @Test("continues when the first device is back, while another one is missing")
  func firstReconnection() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150), (.ramp, -80)])
    try bench.run(.seconds(2))
    bench.controls[1].fault.withLock { $0 = .disconnected }
    try bench.run(.seconds(1))
    bench.controls[0].fault.withLock { $0 = .disconnected }
    #expect(throws: FaultySource.Fault.self) { try bench.run(.seconds(1)) }
    bench.capture.lose()
    #expect(bench.controls.map { $0.isClosed.withLock { $0 } } == [true, true, false])
    #expect(!bench.reopen())
    bench.clock.step(.seconds(5))
    bench.controls[0].fault.withLock { $0 = nil }
    bench.controls[0].isBack.withLock { $0 = true }
    #expect(bench.reopen())
    bench.forget()
    try bench.run(.seconds(1))
    #expect(bench.count > 1_500)
    bench.forget()
    try bench.run(.seconds(1))
    #expect(bench.offset(of: 2) < 1e-3 && bench.blocks.last?.silent == second)
    bench.controls[1].fault.withLock { $0 = nil }
    bench.controls[1].isBack.withLock { $0 = true }
    try bench.run(.seconds(1))
    bench.forget()
    try bench.run(.seconds(1))
    #expect(bench.offset(of: 1) < 1e-3 && bench.blocks.last?.silent.isEmpty == true)
  }

  @Test("has no gap after a pause that closes the devices, also if one needs longer to open")
  func pause() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    bench.capture.close()
    #expect(bench.controls.allSatisfy { $0.isClosed.withLock { $0 } })
    bench.clock.step(.seconds(60))
    bench.forget()
    bench.controls[0].isBack.withLock { $0 = true }
    #expect(bench.reopen())
    try bench.run(.milliseconds(500))
    #expect(bench.count == 0)
    bench.controls[1].isBack.withLock { $0 = true }
    try bench.run(.seconds(2))
    #expect(bench.offset(of: 1) < 1e-3 && bench.count > 2_500)
    #expect(bench.blocks.map(\.silent) == [TrackSet()])
  }

  @Test("continues after a pause without a device that does not return")
  func incompletePause() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    bench.capture.close()
    bench.controls[0].isBack.withLock { $0 = true }
    #expect(bench.reopen())
    bench.forget()
    try bench.run(.seconds(3))
    #expect(bench.count > 1_500 && bench.blocks.last?.silent == second)
  }

  @Test("closes the device of a silenced track, which is not missing")
  func silenced() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 0)])
    try bench.run(.seconds(1))
    bench.capture.silence(second)
    #expect(bench.controls[1].isClosed.withLock { $0 })
    bench.controls[1].isBack.withLock { $0 = true }
    bench.forget()
    try bench.run(.seconds(1))
    #expect(bench.samples(1).allSatisfy { $0 == 0 } && bench.samples(0).contains { $0 != 0 })
    #expect(bench.blocks.map(\.silent) == [TrackSet()])
  }
}
