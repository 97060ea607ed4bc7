import Glibc
import JSON
import Linux
import Store

@testable import Commands
@testable import Control
@testable import Sounds

extension FuzzTarget {
  /// The lines of a client, as a session and the player read them.
  static let request = FuzzTarget("request") { bytes in
    guard let pair = try? UnixSocket.pair() else { return }
    let client = pair.first
    let connection = Connection(pair.second, identifier: 1)
    try? client.sendAll(bytes.span, waitingUpTo: .zero)
    shutdown(client.descriptor.number, CInt(SHUT_WR))
    var scratch = [UInt8](repeating: 0, count: 4_096)
    // The last round reads the end of the input, which closes the connection.
    for _ in 0...bytes.count where connection.isOpen {
      connection.receive(using: &scratch) { line in
        guard let request = Request(json: line) else { return connection.close() }
        for reply in replies(to: request) {
          connection.send(Wire.line(reply.json(answering: request.number)))
        }
      }
    }
    demand(!connection.isOpen, "a client that has gone keeps its place")
    while let count = try? client.receive(into: &scratch), count > 0 {
      demandHarmless(String(decoding: scratch[..<count], as: UTF8.self))
    }
  }

  /// Returns the replies that a request gets before a device is used.
  private static func replies(to request: Control.Request) -> [Reply] {
    var replies: [Reply] = [.done(request.arguments)]
    do {
      _ = try MarkText.checked(request.arguments["text"]?.string ?? "")
    } catch {
      replies.append(.refused(Refusal(Failure(explaining: error))))
    }
    let sound = SoundRequest(request)
    if let sound {
      demand(sound.position >= .zero, "a position is before the beginning")
      demand((0...1).contains(sound.volume) && sound.fade >= .zero, "a volume or fade is invalid")
    }
    let words = "cannot \(quoted(request.verb)), known: \(sound != nil)"
    replies.append(.refused(Refusal(Failure(.usage, Message(words)))))
    let arguments = JSONValue.object(request.arguments)
    if let order = PlayOrder(json: arguments) {
      replies.append(.done(order.json.object ?? [:]))
    }
    if let plan = RecordingPlan(json: arguments) {
      replies.append(.done(plan.json.object ?? [:]))
    }
    return replies
  }

  /// The lines of a server, as commands read and show them.
  static let reply = FuzzTarget("reply") { bytes in
    guard let pair = try? UnixSocket.pair() else { return }
    let server = pair.first
    let socket = pair.second
    try? server.sendAll(bytes.span, waitingUpTo: .zero)
    shutdown(server.descriptor.number, CInt(SHUT_WR))
    do throws(ControlError) {
      var client = try ControlClient(over: socket, waitingUpTo: .seconds(1))
      demandHarmless(client.hello.json.encoded())
      do throws(ControlError) {
        show(try client.ask("status"))
      } catch {
        show(error)
      }
      while true { show(try client.nextEvent()) }
    } catch {
      demand(error != .timedOut, "a server that has gone is waited for")
      show(error)
    }
  }

  private static func show(_ error: ControlError) {
    if case .refused(let refusal) = error {
      demandHarmless(Failure(refusal).message.lines(.error))
    } else {
      demandHarmless(Message("it does not answer: \(error)").lines(.error))
    }
  }

  /// Checks everything that is shown to a user or a program for an answer.
  private static func show(_ answer: JSONObject) {
    let json = JSONValue.object(answer)
    demandHarmless(json.encoded())
    if let status = RecordingStatus(json: json) {
      let report = StatusReport(recordings: [status], isSingle: true)
      demandHarmless(report.shown(.plain) + report.encoded)
      for width in [20, 80, 200] {
        let lines = LiveView(status, PeakHold()).lines(width: width, rows: 24, .plain)
        demandHarmless(lines.joined(separator: "\n"))
      }
      demandHarmless(PrometheusPage(report: report).shown(.plain))
    }
    if let result = RecordingResult(json: json) {
      let report = RecordingReport(result)
      demandHarmless(report.shown(.plain) + report.encoded)
    }
    if let result = PlayResult(json: json) {
      let remarks = PlayReport(result: result).remarks(on: PlayOrder([], on: "default"))
      demandHarmless(remarks.map { Message($0).lines(.warning) }.joined())
    }
    if let report = try? SoundStatusReport(answer) {
      demandHarmless(report.shown(.plain) + report.encoded)
    }
  }

  /// The packets of a session, as a reader of its take receives them.
  static let packets = FuzzTarget("packets") { bytes in
    var received = bytes
    var read = 0
    do throws(ControlError) {
      while let packet = try TapPacket.take(from: &received) {
        switch packet {
        case .frames(let frames, let position):
          demand(frames.count <= TapPacket.largest, "a packet is too long")
          demand(position >= 0, "a position is before the beginning")
          demand(bytes[read...].starts(with: packet.bytes), "a packet has other bytes")
        case .end(.done(let answer), _): show(answer)
        case .end(.refused(let refusal), _): show(.refused(refusal))
        }
        read = bytes.count - received.count
      }
    } catch {
      show(error)
    }
  }

  /// A take that a dead session announced, with its future sidecar.
  static let announcement = FuzzTarget("announcement") { bytes in
    let limits = JSONLimits(bytes: 1 << 20)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let json = try? JSONValue(decoding: text, limits: limits),
      let announcement = TakeAnnouncement(json: json)
    else { return }
    let report = RecordingReport(announcement.result)
    demandHarmless(report.shown(.plain) + announcement.json.encoded(indented: true))
  }
}
