internal import Audio

extension SoundDrawing {
  /// Returns the drawing as a separate SVG file.
  package func svg(title: String) throws(PictureError) -> [UInt8] {
    let name = Markup.text(title)
    let head = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img" aria-label="\(name)">
      <title>\(name)</title>
      <style>\(Self.style)</style>
      <rect class="paper" width="100%" height="100%"/>

      """
    let labels = names.map { Self.label(Markup.text($0.name), $0.top + 12) }.joined()
    let foot = markerLines + labels + (plot < height ? times : "") + "</svg>\n"
    switch subject {
    case .waveform(let overview):
      return Array((head + Self.paths(overview, width: width, height: plot) + foot).utf8)
    case .spectrogram:
      let start = "<image width=\"\(width)\" height=\"\(plot)\" href=\""
      return Array((head + start).utf8) + (try image) + Array(("\"/>\n" + scale + foot).utf8)
    }
  }

  private var scale: String {
    frequencies.map { Self.label($0.label, $0.row + 4) }.joined()
  }

  private static func label(_ text: String, _ bottom: Int) -> String {
    "<text class=\"over\" x=\"4\" y=\"\(bottom)\">\(text)</text>\n"
  }

  /// The picture of a spectrogram without labels, as a `data:` URL.
  var image: [UInt8] {
    get throws(PictureError) {
      var bare = Pixels(width: width, height: plot)
      if case .spectrogram(let spectrogram) = subject { draw(spectrogram, in: &bare) }
      return Markup.data("image/png", try PNGFile.bytes(of: bare))
    }
  }

  private static let style = """
    .paper{fill:#fff}.wave{fill:#7fb0de}.loud{fill:#2f6fb0}.clip{fill:#cf222e}\
    .mark{stroke:#1a7f37}.gap{stroke:#d97706;stroke-width:2;stroke-dasharray:4 2}\
    text{font:11px sans-serif;fill:#404040}.over{fill:#fff;paint-order:stroke;stroke:#000;stroke-width:2px}\
    @media(prefers-color-scheme:dark){.paper{fill:#16181d}.wave{fill:#3c6a99}.loud{fill:#79b8f5}\
    .mark{stroke:#4ac26b}text:not(.over){fill:#c0c4cc}}
    """

  /// Returns the paths of a waveform: the peaks, the RMS levels, and the columns with clipped
  /// samples.
  static func paths(_ overview: Overview, width: Int, height: Int) -> String {
    guard overview.columns > 0 else { return "" }
    return Lane.all(overview, height: height).map { lane in
      path("wave", lane, width) { max(0.5, lane.reach($0.peak)) }
        + path("loud", lane, width) { lane.reach($0.rms) }
        + clips(lane, width)
    }.joined()
  }

  /// Returns the outline of all columns: their tops from left to right, then their bottoms from
  /// right to left.
  private static func path(
    _ name: String, _ lane: Lane, _ width: Int, _ reach: (Level) -> Double
  ) -> String {
    let columns = (0..<width).map { reach(lane.level(column: $0, width: width)) }
    let tops = columns.enumerated().map { column, reach in
      "\(column) \(Markup.number(lane.middle - reach, places: 1))H\(column + 1)"
    }
    let bottoms = columns.enumerated().reversed().map { column, reach in
      "\(column + 1) \(Markup.number(lane.middle + reach, places: 1))H\(column)"
    }
    return "<path class=\"\(name)\" d=\"M\((tops + bottoms).joined(separator: "L"))Z\"/>\n"
  }

  private static func clips(_ lane: Lane, _ width: Int) -> String {
    let parts = (0..<width).compactMap { column -> String? in
      let level = lane.level(column: column, width: width)
      guard level.clipped > 0 else { return nil }
      let reach = max(0.5, lane.reach(level.peak))
      let top = Markup.number(lane.middle - reach, places: 1)
      return "M\(column) \(top)h1v\(Markup.number(2 * reach, places: 1))h-1z"
    }
    return parts.isEmpty ? "" : "<path class=\"clip\" d=\"\(parts.joined())\"/>\n"
  }

  /// The lines for the marks and the gaps, with their texts.
  private var markerLines: String {
    let all = axis.gaps.map { ("gap", $0) } + axis.marks.map { ("mark", $0) }
    return all.map { name, mark in
      let column = Markup.number(Double(column(mark)) + 0.5, places: 1)
      let words = Markup.text("\(axis.time(of: mark.frame)) \(mark.text)")
      let (top, bottom) = (rows(of: mark).lowerBound, rows(of: mark).upperBound)
      return "<line class=\"\(name)\" x1=\"\(column)\" x2=\"\(column)\" "
        + "y1=\"\(top)\" y2=\"\(bottom)\"><title>\(words)</title></line>\n"
    }.joined()
  }

  private var times: String {
    ticks.map { column, label in
      "<text x=\"\(column)\" y=\"\(height - 3)\">\(label)</text>\n"
    }.joined()
  }
}
