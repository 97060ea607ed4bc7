internal import Glibc
internal import Synchronization

/// Descriptors that are kept back while others take theirs, so that the last steps of a program can
/// open files.
package final class DescriptorReserve: Sendable {
  private let numbers: Mutex<[CInt]>

  /// Takes `count` descriptors; throws where there are not as many.
  package init(_ count: Int) throws(SystemError) {
    let place = try Descriptor(opening: "/", .pathOnly)
    var numbers: [CInt] = []
    do throws(SystemError) {
      while numbers.count < count { numbers.append(try place.duplicate().release()) }
    } catch {
      for number in numbers { close(number) }
      throw error
    }
    self.numbers = Mutex(numbers)
  }

  deinit { release() }

  /// Gives them back; repeating it is harmless.
  package func release() {
    numbers.withLock { numbers in
      for number in numbers { close(number) }
      numbers = []
    }
  }

  /// The number of descriptors that this process may still open, as the kernel reports it.
  package static var left: Int {
    let open = (try? Directory("/proc/self/fd").names().count) ?? 0
    return max(0, Int(clamping: ResourceLimit.descriptors.current) - open)
  }
}
