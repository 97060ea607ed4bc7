extension Duration {
  /// Rounded up, so that a wait never ends before its time, and never negative, which would mean for ever.
  var wholeMilliseconds: CInt {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return CInt(min(max(milliseconds, 0), Int64(CInt.max)))
  }
}
