extension Spawn {
  /// Runs the program to its end, with no input, and returns what it wrote to its standard output.
  ///
  /// Throws `timedOut` where it takes longer than `limit`, having killed it, and `tooLarge` where
  /// it writes more than `most` bytes. Its exit code is not reported: a failed one writes nothing
  /// useful.
  package func output(atMost most: Int, within limit: Duration) throws(SystemError) -> [UInt8] {
    let ends = try Descriptor.pipe().release()
    let reading = Descriptor(owning: ends.reading)
    let writing = Descriptor(owning: ends.writing)
    var spawn = self
    spawn.descriptors = [nil, writing.number, nil]
    let child = try spawn.start()
    _ = consume writing
    let result: Result<[UInt8], SystemError>
    do throws(SystemError) {
      let output = try reading.readAll(upTo: most, within: limit)
      guard try child.hasEnded(within: limit) else {
        throw SystemError("waitpid", errno: .timedOut)
      }
      result = .success(output)
    } catch {
      try? child.send(.kill)
      result = .failure(error)
    }
    _ = try child.wait()
    return try result.get()
  }
}

extension ExecutablePath {
  /// Returns the path of a program in PATH; nil where it is not installed.
  package static func find(_ name: String) -> String? {
    let directories = (Environment.value(of: "PATH") ?? "/usr/bin:/bin").split(separator: ":")
    return directories.map { "\($0)/\(name)" }.first(where: FileSystem.mayExecute)
  }
}

extension Descriptor {
  fileprivate borrowing func readAll(
    upTo most: Int, within limit: Duration
  ) throws(SystemError) -> [UInt8] {
    let deadline = KernelClock.monotonic.now + limit
    var collected: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while collected.count <= most {
      guard try wait(upTo: max(.zero, deadline - KernelClock.monotonic.now)) else {
        throw SystemError("read", errno: .timedOut)
      }
      let count = try read(into: &chunk)
      if count == 0 { return collected }
      collected += chunk[..<count]
    }
    throw SystemError("read", errno: .tooLarge)
  }
}
