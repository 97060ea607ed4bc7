import Foundation

/// Whether RECORDER_TEST_EVERY is set, as in the nightly run. Then tests try many more cases, which
/// takes minutes. A test that does not try all of them starts with a random one.
package let isThorough = ProcessInfo.processInfo.environment["RECORDER_TEST_EVERY"] != nil

/// Returns every case in a thorough run, and otherwise `count` of them, evenly spread.
package func sampled<Case>(_ cases: some Collection<Case>, _ count: Int) -> [Case] {
  let all = Array(cases)
  guard !isThorough, count < all.count else { return all }
  return (0..<count).map { all[$0 * all.count / count] }
}
