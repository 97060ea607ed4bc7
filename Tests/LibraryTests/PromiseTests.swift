import Foundation
import Synchronization
import Testing

@testable import RecorderKit

@Suite("A promise")
struct PromiseTests {
  @Test("A late value of a former round does not replace the next one")
  func late() async {
    let promise = Promise<String>()
    promise.begin(2)
    promise.set("former", of: 1) { #expect(!$0) }
    promise.set("latest", of: 2) { #expect($0) }
    #expect(await promise.value == "latest")
  }

  @Test("The next round begins only after the value of the former one was reported")
  func reported() async {
    let promise = Promise<String>()
    let hasBegun = Mutex(false)
    promise.set("former", of: 1) { _ in
      Thread.detachNewThread {
        promise.begin(2)
        hasBegun.withLock { $0 = true }
      }
      // Time for the other thread.
      for _ in 0..<10_000 { sched_yield() }
      let begins = hasBegun.withLock { $0 }
      #expect(!begins)
    }
    promise.set("latest", of: 2)
    #expect(await promise.value == "latest")
  }

  @Test("A round that has its value already keeps it when it begins")
  func early() async {
    let promise = Promise<String>()
    promise.set("value", of: 1)
    promise.begin(1)
    #expect(await promise.value == "value")
  }
}
