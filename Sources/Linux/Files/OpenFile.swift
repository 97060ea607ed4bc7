/// An open file that several owners share, such as a list of files and the child that reads them.
///
/// It is closed with the last of its owners.
package final class OpenFile: Sendable {
  /// The descriptor, open for as long as an owner is left.
  package let descriptor: Descriptor

  /// Takes over a descriptor.
  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// The size in bytes; nil where the system does not report it.
  package var size: Int64? { (try? descriptor.status())?.size }
}
