internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store

/// The running recordings in the text format of Prometheus.
struct PrometheusPage: Report {
  let report: StatusReport

  func text(_ style: Style) -> String {
    families.map { family in
      let name = "recorder_" + family.name
      let samples = family.samples.map { name + $0.labels + " " + $0.value + "\n" }.joined()
      return "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind)\n" + samples
    }.joined()
  }

  var keepsLines: Bool { true }

  var json: JSONObject { report.json }

  private typealias Sample = (labels: String, value: String)
  private typealias Family = (name: String, kind: String, help: String, samples: [Sample])

  private var families: [Family] {
    let all = report.recordings
    return [
      ("recordings", "gauge", "Number of running recordings.", [("", "\(all.count)")]),
      (
        "interrupted", "gauge", "Number of interrupted recordings.",
        [("", "\(report.interrupted.count)")]
      ),
      (
        "state", "gauge", "1 for the current state of a recording.",
        all.map { (labels($0, ("state", $0.state.rawValue)), "1") }
      ),
      ("frames_total", "counter", "Number of frames by outcome.", all.flatMap(frames)),
      gauge("rate_hertz", "Sample rate.") { Double($0.stream.rate.hertz) },
      gauge("bytes", "Size of the current file.") { Double($0.bytes) },
      gauge("segment", "Number of the current file within the take.") { Double($0.segment ?? 1) },
      gauge("gaps", "Number of gaps, at most 200.") { Double($0.gaps.count) },
      gauge("peak_ratio", "Peak of the latest audio; full scale is 1.") { $0.level?.peak },
      gauge("disk_seconds", "Time until the disk is full.") { $0.freeSeconds },
      gauge("warnings", "Number of current warnings.") { Double($0.warnings.count) },
      gauge("access_seconds", "Time until the microphone access ends.") { status in
        status.accessUntil.map { ($0 - KernelClock.realTime.now) / .seconds(1) }
      },
      (
        "clock_synchronized", "gauge", "1 if the clock follows a time server.",
        KernelClock.isSynchronized.map { [("", $0 ? "1" : "0")] } ?? []
      ),
      delivery("deliveries_waiting", "gauge", "Number of files that wait for delivery.") {
        Double($0.waiting.count)
      },
      delivery("deliveries_oldest_seconds", "gauge", "Age of the oldest file that waits.") {
        $0.oldest.map { (KernelClock.realTime.now - $0) / .seconds(1) } ?? 0
      },
      delivery("delivery_failures", "gauge", "Number of failed attempts since the last success.") {
        Double($0.state.failures)
      },
      delivery("deliveries_missing", "gauge", "Number of waiting files that are missing.") {
        Double($0.missing.count)
      },
      delivery("deliveries_deleted_total", "counter", "Number of files deleted before delivery.") {
        Double($0.state.deleted)
      },
    ]
  }

  private func delivery(
    _ name: String, _ kind: String, _ help: String, _ value: (DeliveryQueue) -> Double
  ) -> Family {
    let samples = report.deliveries.map { queue in
      ("{series=\"\(Self.escaped(queue.state.series))\"}", "\(value(queue))")
    }
    return (name, kind, help, samples)
  }

  /// Returns a path as the value of a label. The path is made printable before it is quoted.
  /// Otherwise the final output would be escaped for terminals, with escapes that Prometheus
  /// rejects.
  private static func escaped(_ path: String) -> String {
    var text = ""
    for character in PrintableText.escape(path).unicodeScalars {
      if character == "\\" || character == "\"" { text += "\\" }
      text.unicodeScalars.append(character)
    }
    return text
  }

  private func gauge(
    _ name: String, _ help: String, _ value: (RecordingStatus) -> Double?
  ) -> Family {
    let samples = report.recordings.compactMap { status in
      value(status).map { (labels(status), "\($0)") }
    }
    return (name, "gauge", help, samples)
  }

  private func frames(_ status: RecordingStatus) -> [Sample] {
    let frames = status.frames
    return [
      ("captured", frames.captured), ("lost", frames.lost), ("discarded", frames.discarded),
      ("filled", frames.filled),
    ].map { (labels(status, ("kind", $0.0)), "\($0.1.value)") }
  }

  // A recording's name has no character that needs escaping.
  private func labels(
    _ status: RecordingStatus, _ more: (name: String, value: String)? = nil
  ) -> String {
    "{name=\"\(status.name)\"" + (more.map { ",\($0.name)=\"\($0.value)\"" } ?? "") + "}"
  }
}
