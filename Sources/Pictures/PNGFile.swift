internal import CZlib
internal import Linux

/// A picture with at most 256 colors as a PNG file (ISO/IEC 15948).
package enum PNGFile {
  /// Returns the bytes of the file.
  package static func bytes(of picture: Pixels) throws(PictureError) -> [UInt8] {
    if let words = zlib.refusal { throw .missing(words: words) }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // Each pixel is an 8-bit index in the palette.
    let form: [UInt8] = [8, 3, 0, 0, 0]
    let size = big(UInt32(picture.width)) + big(UInt32(picture.height))
    append("IHDR", size + form, to: &file)
    append("PLTE", picture.palette.flatMap { [$0.red, $0.green, $0.blue] }, to: &file)
    append("IDAT", try compressed(rows(of: picture)), to: &file)
    append("IEND", [], to: &file)
    return file
  }

  /// Returns the rows of pixels. Each row begins with 0, the number of the filter “none”.
  private static func rows(of picture: Pixels) -> [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity((picture.width + 1) * picture.height)
    for row in 0..<picture.height {
      rows.append(0)
      rows += picture.numbers[(row * picture.width)..<((row + 1) * picture.width)]
    }
    return rows
  }

  private static func append(_ kind: String, _ data: [UInt8], to file: inout [UInt8]) {
    let checked = Array(kind.utf8) + data
    file += big(UInt32(data.count)) + checked + big(checksum(checked))
  }

  private static func big(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// The corresponding C function is `compress2`.
  private static func compressed(_ bytes: [UInt8]) throws(PictureError) -> [UInt8] {
    var size = zlib.functions.compressBound(UInt(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(size))
    let code = unsafe zlib.functions.compress2(&output, &size, bytes, UInt(bytes.count), 6)
    guard code == Z_OK else { throw .library("compress2") }
    return Array(output[..<Int(size)])
  }

  /// The corresponding C function is `crc32`.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: unsafe zlib.functions.crc32(0, bytes, UInt32(bytes.count)))
  }
}

/// The reason why a picture was not made.
package enum PictureError: Error, Hashable, Sendable {
  /// A library could not be loaded. `words` is the system's message.
  case missing(words: String)
  /// A function of a library failed.
  case library(String)
}

/// zlib, which is loaded when the first picture is made.
private let zlib = unsafe LoadedLibrary(zlib_functions(), load_zlib)
