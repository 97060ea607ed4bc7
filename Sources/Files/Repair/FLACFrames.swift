internal import CSndFile
internal import Linux

/// The whole frames of a FLAC stream. libFLAC parses the frames and checks their checksums. After
/// damaged bytes, libFLAC searches for the next frame.
@safe struct FLACFrames: ~Copyable {
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  private let source: FLACSource

  /// Reads the metadata at the beginning of a stream.
  init(_ view: FileView, of file: CheckedFile) throws(SoundFileError) {
    try SoundFileLibrary.prepare(for: file.label)
    let source = FLACSource(VirtualFile(file, view))
    guard let decoder = sndfile.functions.flac_new() else {
      throw Self.failure("FLAC__stream_decoder_new", file)
    }
    let user = unsafe Unmanaged.passUnretained(source).toOpaque()
    let status = unsafe sndfile.functions.flac_init_stream(
      decoder, readBytes, seekByte, tellByte, countBytes, isAtEnd, takeFrame, nil, noteDamage, user)
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
      unsafe sndfile.functions.flac_delete(decoder)
      throw Self.failure("FLAC__stream_decoder_init_stream", file)
    }
    _ = unsafe sndfile.functions.flac_process_until_end_of_metadata(decoder)
    unsafe self.decoder = decoder
    self.source = source
  }

  deinit { unsafe sndfile.functions.flac_delete(decoder) }

  /// The offset in the stream after the last frame that was read. Before the first frame is read,
  /// it is the offset after the metadata.
  var offset: Int64 {
    var offset: UInt64 = 0
    _ = unsafe sndfile.functions.flac_get_decode_position(decoder, &offset)
    return Int64(clamping: offset)
  }

  /// Returns the next whole frame, or nil at the end of the stream.
  mutating func next() throws(SoundFileError) -> FLACFrame? {
    source.isDamaged = false
    while true {
      source.header = nil
      let isDone = unsafe sndfile.functions.flac_process_single(decoder) != 0
      try source.stream.file.throwFault()
      let state = unsafe sndfile.functions.flac_get_state(decoder)
      // If the file ends inside a frame, the call fails, but the decoder is in no error state.
      let isOver = state == FLAC__STREAM_DECODER_END_OF_STREAM
      guard isOver || isDone && state.rawValue < FLAC__STREAM_DECODER_END_OF_STREAM.rawValue else {
        throw Self.failure("FLAC__stream_decoder_process_single", source.stream.file)
      }
      if let header = source.header {
        return FLACFrame(header: header, end: offset, isAfterDamage: source.isDamaged)
      }
      if isOver { return nil }
    }
  }

  private static func failure(_ function: String, _ file: CheckedFile) -> SoundFileError {
    .library(function: function, subject: file.label, code: 0, words: "FLAC data cannot be read")
  }
}

/// One frame of a FLAC stream: a block of samples of each channel (RFC 9639, 9).
struct FLACFrame {
  fileprivate let header: FLAC__FrameHeader
  /// The offset in the stream after the frame.
  let end: Int64
  /// Whether damaged bytes were skipped before the frame.
  let isAfterDamage: Bool

  /// The positions of the frame's samples in the stream.
  var samples: Range<Int64> {
    let start = unsafe Int64(clamping: header.number.sample_number)
    return start..<start + Int64(header.blocksize)
  }

  /// Returns whether a file with this stream description can contain the frame.
  func fits(_ info: FLACStreamInfo) -> Bool {
    Int(header.channels) == info.channels && Int(header.bits_per_sample) == info.bits
      && Int(header.blocksize) <= info.blockSize
  }
}

/// The stream that libFLAC reads, and the last reports of libFLAC's callbacks.
@safe private final class FLACSource {
  let stream: VirtualFile
  /// The header of the last reported frame. libFLAC also reports a silent frame for each lost
  /// frame.
  var header: FLAC__FrameHeader?
  /// Whether bytes were skipped.
  var isDamaged = false

  init(_ stream: VirtualFile) { self.stream = stream }
}

private func source(_ user: UnsafeMutableRawPointer?) -> FLACSource? {
  unsafe user.map { unsafe Unmanaged<FLACSource>.fromOpaque($0).takeUnretainedValue() }
}

private let readBytes: FLAC__StreamDecoderReadCallback = { _, bytes, count, user in
  guard let count = unsafe count, let stream = unsafe source(user)?.stream else {
    return FLAC__STREAM_DECODER_READ_STATUS_ABORT
  }
  var span = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count.pointee).mutableBytes
  let read = stream.read(into: &span)
  unsafe count.pointee = Int(read)
  return read > 0
    ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM
}

private let seekByte: FLAC__StreamDecoderSeekCallback = { _, offset, user in
  unsafe source(user)?.stream.position = Int64(clamping: offset)
  return FLAC__STREAM_DECODER_SEEK_STATUS_OK
}

private let tellByte: FLAC__StreamDecoderTellCallback = { _, offset, user in
  unsafe offset?.pointee = unsafe UInt64(clamping: source(user)?.stream.position ?? 0)
  return FLAC__STREAM_DECODER_TELL_STATUS_OK
}

private let countBytes: FLAC__StreamDecoderLengthCallback = { _, count, user in
  unsafe count?.pointee = unsafe UInt64(clamping: source(user)?.stream.length ?? 0)
  return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
}

private let isAtEnd: FLAC__StreamDecoderEofCallback = { _, user in
  guard let stream = unsafe source(user)?.stream else { return 1 }
  return stream.position < stream.length ? 0 : 1
}

private let takeFrame: FLAC__StreamDecoderWriteCallback = { _, frame, _, user in
  unsafe source(user)?.header = unsafe frame?.pointee.header
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
}

private let noteDamage: FLAC__StreamDecoderErrorCallback = { _, _, user in
  unsafe source(user)?.isDamaged = true
}
