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

  @Test("A round that has its value already keeps it when it begins")
  func early() async {
    let promise = Promise<String>()
    promise.set("value", of: 1)
    promise.begin(1)
    #expect(await promise.value == "value")
  }
}
