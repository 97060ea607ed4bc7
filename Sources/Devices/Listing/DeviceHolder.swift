/// A program that holds a device of a kernel driver.
package struct DeviceHolder: Hashable, Sendable {
  /// The process, or 0 where it is not one that this system may see.
  package let process: Int32
  /// The program's name, as the kernel cuts it; empty where it is unknown.
  package let program: String

  /// A holder by its process and by the name that the kernel has for it.
  package init(process: Int32, program: String) {
    self.process = process
    self.program = program
  }
}

extension DeviceHolder: CustomStringConvertible {
  /// `arecord (process 4711)`.
  package var description: String {
    program.isEmpty ? "process \(process)" : "\(program) (process \(process))"
  }
}
