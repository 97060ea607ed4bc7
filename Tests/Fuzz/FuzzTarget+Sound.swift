import Audio
import Decoding
import JSON
import Linux

@testable import Commands
@testable import Devices
@testable import Files
@testable import Sounds

extension FuzzTarget {
  /// The survey of a foreign sound file, which runs before libsndfile.
  static let sound = FuzzTarget("sound") { bytes in
    SoundInMemory.fill(bytes)
    guard let file = SoundInMemory.file() else { return }
    do throws(SoundFileError) {
      let surveyed = try SurveyedFile(file, raw: nil, among: .all)
      for stream in surveyed.survey.streams { try demandReadable(stream.view, of: file) }
      _ = try? surveyed.flaw()
      if let copy = try? surveyed.waveCopy() { demandPlain(copy, of: file) }
      _ = try WaveRepair.cues(of: file)
    } catch {
      demandHarmless(Failure(reading: "a", SoundProblem(error)).message.lines(.error))
    }
    let name = (try? FileSurvey.containerName(of: file)) ?? ""
    demandHarmless(name)
  }

  /// Demands that a repaired copy is no longer than its file, and changes only bytes that it has.
  private static func demandPlain(_ copy: WaveCopy, of file: CheckedFile) {
    demand((0...file.end).contains(copy.length), "a copy is longer than its file")
    demand(copy.head.count == 12, "a small file becomes RF64")
    for patch in copy.patches {
      let isInside = patch.offset >= 0 && patch.offset <= copy.length - Int64(patch.bytes.count)
      demand(isInside, "a copy changes what it does not have")
    }
    demand(WaveCopy(json: copy.json) == copy, "a copy is not read as it was written")
  }

  /// Reads a view as a decoder does: from its beginning, and at positions that the file gives.
  private static func demandReadable(
    _ view: FileView, of file: CheckedFile
  ) throws(SoundFileError) {
    var bytes = [UInt8](repeating: 0, count: 1 << 12)
    for place in [0, view.count / 2, max(0, view.count - 100), view.count] {
      var span = bytes.mutableSpan
      var raw = span.mutableBytes
      let count = try view.read(into: &raw, at: place, of: file)
      demand(Int64(count) <= max(0, view.count - place), "a view reads past its end")
    }
  }

  /// The part of a dead session. It is repaired in this process.
  ///
  /// Random changes break the checksums, so each input is also tried with correct ones.
  static let part = FuzzTarget("part") { bytes in
    demandRepair(of: bytes)
    let corrected = Checksums.corrected(bytes)
    if corrected != bytes { demandRepair(of: corrected) }
  }

  private static func demandRepair(of bytes: [UInt8]) {
    let formats: [FileFormat] = [.wav, .flac, .opus]
    for format in formats {
      SoundInMemory.fill(bytes)
      guard let file = SoundInMemory.file(),
        let plan = try? SoundFileRepair.plan(for: file, as: format),
        let first = try? plan.carryOut(on: file)
      else {
        continue
      }
      demand(file.end <= Int64(bytes.count) + 1, "a repair makes a file longer")
      demand(first.frames >= 0 && first.removedBytes >= 0, "a repair counts less than nothing")
      if !first.isEmpty { demandWhole(format, first) }
    }
  }

  /// Demands that a repaired file needs no further repair, and that a mark can be added.
  private static func demandWhole(_ format: FileFormat, _ first: Recovery) {
    let second = SoundInMemory.file().flatMap { try? SoundFileRepair.plan(for: $0, as: format) }
    demand(second?.isIntact == true, "a repaired file is repaired again")
    demand(second?.frames == first.frames, "a second repair finds another length")
    guard format == .wav, let second, let file = SoundInMemory.file() else { return }
    let cue = SoundFileCue(at: first.frames, label: "end")
    let isMarked: Void? = try? WaveRepair.putTail([cue], [.title: "t"], on: file, after: second)
    demand(isMarked != nil, "a repaired file gets no mark")
    let found = SoundInMemory.file().flatMap { try? WaveRepair.cues(of: $0) }
    demand(found == [cue], "a mark is lost")
  }

  /// The answers of the confined reader about a sound file.
  static let decoder = FuzzTarget("decoder") { bytes in
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      switch SoundReading.answer(line) {
      case .problem(let problem):
        demandHarmless(Failure(reading: "a", problem).message.lines(.error))
      case .described(let description):
        let report = InfoReport(entries: [.file(path: "a", description)])
        demandHarmless(report.shown(.plain) + report.encoded)
        _ = description.duration
      }
    }
    demandHarmless(Failure(reading: "a", SoundProblem(decoding: bytes)).message.lines(.error))
  }

  /// The output of `pw-dump` about a sound server.
  static let graph = FuzzTarget("graph") { bytes in
    guard let graph = PipeWireGraph(dump: bytes) else { return }
    let sections = Direction.allCases.map { direction in
      let devices = graph.nodes(direction).map { node in
        ListedDevice(
          asking: DeviceDescription(
            name: node.deviceName, title: node.title, direction: direction,
            origin: .pipeWire(node), holders: []), nil)
      }
      return DeviceSection(direction: direction, devices: devices)
    }
    let report = DevicesReport(sections: sections)
    demandHarmless(report.shown(.plain) + report.encoded)
  }

  /// The index of a sound theme.
  static let theme = FuzzTarget("theme") { bytes in
    let index = ThemeIndex(String(decoding: bytes, as: UTF8.self))
    for folder in index.folders {
      demand(!folder.name.split(separator: "/").contains(".."), "a folder leads out")
    }
  }
}
