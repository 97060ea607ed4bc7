import Foundation

/// The log of all uses of the microphone.
public enum Audit {
  private struct Event: Decodable {
    let event: String
    let boottime: Int64
    let client: String?
  }

  /// Returns the time of the last event of each kind for a client, in seconds since the machine
  /// started.
  public static func moments(of client: String, in state: URL) throws -> [String: Double] {
    let text = try String(
      contentsOf: state.appending(path: "recorder/audit.jsonl"), encoding: .utf8)
    let events = try text.split(separator: "\n").map {
      try JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
    return Dictionary(
      events.filter { $0.client == client }.map { ($0.event, Double($0.boottime) / 1e9) }
    ) { $1 }
  }
}
