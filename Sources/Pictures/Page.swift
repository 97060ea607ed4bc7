internal import Audio
internal import Digest
internal import JSON
internal import Linux

/// The sound of a page.
package struct PageSound: Sendable {
  /// The location of the sound.
  package enum Location: Sendable {
    /// In the page, as bytes with a media type that browsers play.
    case embedded(type: String, [UInt8])
    /// In a file, with its path relative to the page.
    case linked(path: String)
  }

  package let location: Location
  /// The time in the take at which the sound begins, in seconds.
  let start: Double

  /// A sound that begins at the time `start` of the take, in seconds.
  package init(_ location: Location, from start: Double) {
    self.location = location
    self.start = start
  }
}

/// A web page for a take: a player, a waveform, a spectrogram, the marks and the gaps. The page is
/// a single file, except for a linked sound.
///
/// The content security policy of the page forbids every request except for a linked sound, and
/// every script except the script of the page. So a script in the text of a mark would not run,
/// even if the text were not escaped.
package struct Page: Sendable {
  let title: String
  /// Lines of facts about the take.
  let facts: [String]
  let waveform: SoundDrawing
  let spectrogram: SoundDrawing
  let sound: PageSound

  /// A page with two drawings of the same part of a take.
  package init(
    title: String, facts: [String], waveform: SoundDrawing, spectrogram: SoundDrawing,
    sound: PageSound
  ) {
    self.title = title
    self.facts = facts
    self.waveform = waveform
    self.spectrogram = spectrogram
    self.sound = sound
  }

  private var axis: TimeAxis { waveform.axis }

  /// The tracks that the page can mute. Empty for a take without named tracks.
  private var tracks: [Track] {
    if case .waveform(let overview) = waveform.subject { overview.tracks } else { [] }
  }

  private var style: String {
    PageParts.style + (tracks.isEmpty ? "" : "\n" + PageParts.trackStyle)
  }

  private var script: String {
    PageParts.script + (tracks.isEmpty ? "" : "\n" + PageParts.trackScript)
  }

  /// Returns the bytes of the page.
  package func bytes() throws(PictureError) -> [UInt8] {
    var page = Array(head.utf8)
    page += player
    page += Array(waveformFigures.utf8)
    page += Array(
      "<figure class=\"picture\">\n<img id=\"image\" alt=\"\(spectrogramName)\" src=\"".utf8)
    page += try spectrogram.image
    page += Array("\">\n\(frequencies)\(overlay(axis.gaps))</figure>\n\(times)".utf8)
    page += Array((lists + foot).utf8)
    return page
  }

  private var head: String {
    let name = Markup.text(title)
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(name)</title>
      <style>\(style)</style>
      </head>
      <body>
      <main data-from="\(axis.first)" data-length="\(axis.length)" data-start="\(sound.start)">
      <h1>\(name)</h1>
      <p class="facts">\(facts.map(Markup.text).joined(separator: "<br>"))</p>

      """
  }

  private var policy: String {
    let media =
      switch sound.location {
      case .embedded: "data:"
      case .linked: tracks.isEmpty ? "'self' file:" : "'self' file: blob:"
      }
    return
      "default-src 'none'; img-src data:; media-src \(media); style-src '\(Self.digest(style))'; "
      + "script-src '\(Self.digest(script))'; base-uri 'none'; form-action 'none'"
  }

  /// Returns the digest of a style or script, in the form of a content security policy.
  private static func digest(_ text: String) -> String {
    let digits = Array(SHA256(of: text.utf8).hexadecimal)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
    return "sha256-" + String(decoding: Base64.encode(bytes), as: UTF8.self)
  }

  private var player: [UInt8] {
    let start = "<audio id=\"sound\" controls preload=\"metadata\" aria-label=\"Player\" src=\""
    switch sound.location {
    case .embedded(let type, let bytes):
      return Array(start.utf8) + Markup.data(type, bytes) + Array("\"></audio>\n".utf8)
    case .linked(let path):
      let address = Self.address(path)
      return Array(
        """
        \(start)\(address)"></audio>
        <p class="facts">The sound is not in this page, but in the file \
        <a href="\(address)">\(Markup.text(path))</a>.</p>
        \(chooser(of: path))
        """.utf8)
    }
  }

  /// Returns the input field with which the user chooses the file of a linked sound. Returns an
  /// empty text for a take without named tracks. To mute a track, the page's script needs the
  /// samples. A browser gives a script the samples of a file only if the user has chosen the file.
  private func chooser(of path: String) -> String {
    guard !tracks.isEmpty else { return "" }
    let name = Markup.text(path.pathParts.name)
    return """
      <label class="facts" hidden>To mute tracks, choose the file \(name): \
      <input id="file" type="file" accept="audio/*" data-name="\(name)"></label>

      """
  }

  /// Returns the address of a file. The address begins with `./` or `file://`, so that a browser
  /// does not interpret the beginning of the path as a scheme.
  private static func address(_ path: String) -> String {
    let address = Markup.address(path)
    return path.begins(with: "/") ? "file://" + address : "./" + address
  }

  /// The slider for the position of the player, and the waveform of the take or of each track.
  private var waveformFigures: String {
    guard case .waveform(let overview) = waveform.subject else { return "" }
    let position = """
      <label class="position" hidden>Position \
      <input id="position" type="range" min="0" max="\(axis.length)" step="any" value="0"></label>

      """
    guard !tracks.isEmpty else { return position + figure(overview, axis.gaps) }
    let figures = zip(tracks, overview.rows).map { track, levels in
      let row = Overview([levels], of: overview.range, at: overview.rate)
      return heading(of: track)
        + figure(row, axis.gaps.filter { $0.isShown(in: track.name) }, of: track.name)
    }
    return position + figures.joined()
  }

  private func figure(
    _ overview: Overview, _ gaps: [LabelledFrame], of track: String? = nil
  ) -> String {
    let (width, height) = (waveform.width, waveform.height)
    let name =
      "Waveform from \(span), \(counted(axis.marks.count, "mark")), "
      + counted(gaps.count, "gap")
    return """
      <figure class="picture">
      <svg role="img" aria-label="\(track.map { Markup.text($0) + ": " } ?? "")\(name)" viewBox="0 0 \(width) \(height)" \
      preserveAspectRatio="none">
      \(SoundDrawing.paths(overview, width: width, height: height))</svg>
      \(overlay(gaps))</figure>

      """
  }

  /// Returns the name of a track and its mute button. The attributes of the button are the first
  /// and the last channel of the track, counted from 0.
  private func heading(of track: Track) -> String {
    let name = Markup.text(track.name ?? "")
    let channels = track.channels ?? 0..<1
    return """
      <div class="track"><h2>\(name)</h2>
      <button class="mute" type="button" aria-label="Mute \(name)" aria-pressed="false" \
      data-first="\(channels.lowerBound)" data-last="\(channels.upperBound - 1)" hidden>Mute</button></div>

      """
  }

  private var span: String {
    "\(axis.time(of: axis.range.lowerBound)) to \(axis.time(of: axis.range.upperBound))"
  }

  private var spectrogramName: String { "Spectrogram from \(span)" }

  /// Returns the lines over a picture: the gaps, the marks and the position of the player.
  private func overlay(_ gaps: [LabelledFrame]) -> String {
    let positions = gaps.map { ("gap", $0) } + axis.marks.map { ("mark", $0) }
    let lines = positions.map { name, position in
      let share = Markup.percent(axis.position(of: position.frame))
      return "<line class=\"\(name)\" x1=\"\(share)\" x2=\"\(share)\" y1=\"0\" y2=\"100%\"/>\n"
    }
    return "<svg class=\"over\" aria-hidden=\"true\">\n" + lines.joined()
      + "<line class=\"cursor\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"100%\"/>\n</svg>\n"
  }

  private var frequencies: String {
    "<svg class=\"over\" aria-hidden=\"true\">\n"
      + spectrogram.frequencies.map { row, label in
        let share = Markup.percent(Double(row) / Double(spectrogram.height))
        return "<text x=\"4\" y=\"\(share)\" dy=\"4\">\(label)</text>\n"
      }.joined() + "</svg>\n"
  }

  private var times: String {
    "<svg class=\"times\" aria-hidden=\"true\">\n"
      + axis.ticks(width: 60).map { position, label in
        "<text x=\"\(Markup.percent(position))\" y=\"14\">\(label)</text>\n"
      }.joined() + "</svg>\n"
  }

  private var lists: String {
    list("Marks", axis.marks) + list("Gaps", axis.gaps)
  }

  private func list(_ title: String, _ frames: [LabelledFrame]) -> String {
    guard !frames.isEmpty else { return "" }
    let rows = frames.map { mark in
      let seconds = Double(mark.frame.value) / Double(axis.rate.hertz)
      let address =
        switch sound.location {
        case .embedded: "#t=\(seconds)"
        case .linked(let path): "\(Self.address(path))#t=\(seconds)"
        }
      let time = axis.time(of: mark.frame)
      let label = mark.text.isEmpty ? "" : " \(Markup.text(mark.text))"
      return "<li><a href=\"\(address)\" data-time=\"\(seconds)\">\(time)\(label)</a></li>\n"
    }
    return
      "<section aria-label=\"\(title)\">\n<h2>\(title)</h2>\n<ol>\n\(rows.joined())</ol>\n</section>\n"
  }

  private var foot: String {
    """
    <p class="keys" hidden>Keys: Space plays and pauses, the left and right arrow keys move by \
    5 seconds, N and P move to the next and the previous mark. A click in a picture moves there.</p>
    </main>
    <script>\(script)</script>
    </body>
    </html>

    """
  }
}
