import Glibc

/// The target that `RECORDER_FUZZ_TARGET` names.
private let target: FuzzTarget? = {
  let name = getenv("RECORDER_FUZZ_TARGET").map { String(cString: $0) }
  return FuzzTarget.all.first { $0.name == name }
}()

/// Called once by libFuzzer's own main. Without the name of a target, it lists the targets and
/// exits.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
  guard target == nil else { return 0 }
  for target in FuzzTarget.all { print(target.name) }
  exit(2)
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  target?.run(Array(UnsafeBufferPointer(start: data, count: size)))
  return 0
}
