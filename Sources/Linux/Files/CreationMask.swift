internal import Glibc

/// The rights that the kernel takes from what a process makes. The corresponding C function is `umask`.
package enum CreationMask {
  /// Leaves the owner every right; the rights of others are taken as before.
  ///
  /// A mask can be read only by setting it, so no other thread may run yet.
  package static func spareOwner() {
    let mask = umask(0o077)
    umask(mask & 0o077)
  }
}
