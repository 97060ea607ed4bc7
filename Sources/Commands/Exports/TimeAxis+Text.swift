internal import Audio
internal import JSON
internal import Linux
internal import Pictures

extension TimeAxis {
  /// Returns the line of markers below a picture in the terminal: `^` for a mark, `x` for a gap,
  /// and `!` for a column with clipped samples.
  func markers(width: Int, clipped: [Int] = []) -> String {
    var line = [Character](repeating: " ", count: width)
    for column in clipped { line[min(width - 1, column)] = "!" }
    for gap in gaps { line[column(gap, width)] = "x" }
    for mark in marks { line[column(mark, width)] = "^" }
    return trimmed(line)
  }

  private func column(_ mark: LabelledFrame, _ width: Int) -> Int { column(mark.frame, width) }

  private func column(_ frame: FrameCount, _ width: Int) -> Int {
    min(width - 1, max(0, Int(position(of: frame) * Double(width))))
  }

  /// Returns the columns of a gap.
  func columns(of gap: LabelledFrame, width: Int) -> ClosedRange<Int> {
    let last = max(gap.frame, gap.frame + gap.length - 1)
    return column(gap.frame, width)...column(last, width)
  }

  /// Returns the line of times below the markers.
  func line(width: Int) -> String {
    var line = [Character](repeating: " ", count: width)
    for (position, label) in ticks(width: width) {
      let start = Int(position * Double(width))
      for (offset, character) in label.enumerated() { line[start + offset] = character }
    }
    return trimmed(line)
  }

  /// A line for each mark and gap.
  var legend: [String] {
    (marks.map { ("^", $0) } + gaps.map { ("x", $0) })
      .sorted { $0.1.frame < $1.1.frame }
      .map { sign, mark in "\(sign) \(time(of: mark.frame)) \(printable(mark.text))" }
  }

  /// Adds the range, the marks and the gaps to the JSON object.
  func add(to json: inout JSONObject) {
    json["rate"] = rate.hertz.json
    json["from"] = range.lowerBound.duration(at: rate).json
    json["to"] = range.upperBound.duration(at: rate).json
    json["marks"] = .array(marks.map(object))
    json["gaps"] = .array(gaps.map(object))
  }

  private func object(_ mark: LabelledFrame) -> JSONValue {
    var json: JSONObject = [
      "frame": mark.frame.value.json, "time": mark.frame.duration(at: rate).json,
      "label": mark.label.json,
    ]
    json.set("track", mark.track)
    if mark.track != nil { json["length"] = mark.length.value.json }
    return .object(json)
  }
}
