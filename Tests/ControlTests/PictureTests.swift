import Audio
import JSON
import Testing

@testable import Control

@Suite("The answers of a reader to a request for a picture")
struct PictureTests {
  private static let range = FrameCount(10)..<FrameCount(4_010)

  private static let overview = Overview(
    [
      [Level(peak: 1, rms: 0.5, clipped: 3), .silence],
      [.silence, Level(peak: 0.25, rms: 0.125, clipped: 0)],
    ], of: range, at: .hz48000)

  @Test("A waveform is unchanged after encoding and decoding, to 16 bits")
  func waveform() throws {
    let order = PictureOrder(columns: 2, of: Self.range)
    let back = try #require(Overview(Self.overview.object, for: order))
    #expect(back.range == Self.range && back.rate == .hz48000 && back.channels.count == 2)
    for (left, right) in zip(back.channels.joined(), Self.overview.channels.joined()) {
      #expect(abs(left.peak - right.peak) < 1e-4 && abs(left.rms - right.rms) < 1e-4)
      #expect(left.clipped == right.clipped)
    }
  }

  @Test("A spectrogram and its order are unchanged after encoding and decoding")
  func spectrogram() throws {
    let order = PictureOrder(columns: 3, rows: 2, of: Self.range)
    let picture = try #require(
      Spectrogram([0, 1, 127, 128, 254, 255], rows: 2, of: Self.range, at: .hz48000))
    #expect(Spectrogram(picture.object, for: order) == picture)
    #expect(PictureOrder(json: order.json) == order)
  }

  @Test(
    "What was not asked for is refused",
    arguments: [
      ("first", .integer(11)), ("last", .integer(10)), ("last", .null), ("rate", .integer(0)),
      ("rate", .string("48000")), ("levels", .null), ("levels", [[1, 1, 1], [1, 1, 1, 1, 1, 1]]),
      ("levels", [[], [1, 1, 1]]), ("levels", [[1, 1, 1, 1, 1, 1, 1, 1, 1]]),
    ] as [(String, JSONValue)])
  func foreign(key: String, value: JSONValue) {
    var object = Self.overview.object
    object[key] = value
    #expect(Overview(object, for: PictureOrder(columns: 2, of: Self.range)) == nil)
  }

  @Test(
    "Cells that are too many, or no grid, are refused",
    arguments: ["AAAA", "AAAAAAAA", "A", "?===", ""])
  func cells(text: String) {
    let order = PictureOrder(columns: 2, rows: 2, of: Self.range)
    let object: JSONObject = [
      "first": .integer(10), "last": .integer(4_010), "rate": .integer(48_000),
      "cells": .string(text),
    ]
    #expect(Spectrogram(object, for: order) == nil || text.isEmpty)
  }

  @Test("Numbers that no sound can have are limited")
  func numbers() throws {
    var object = Self.overview.object
    let most = JSONValue.integer(.max)
    object["levels"] = [[most, most, most, .integer(.min), .integer(.min), .integer(.min)]]
    let back = try #require(Overview(object, for: PictureOrder(columns: 2, of: Self.range)))
    #expect(back.channels.joined().reduce(0) { $0 + $1.clipped } == Int(FrameCount.most.value))
  }
}
