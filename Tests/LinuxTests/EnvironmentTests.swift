import Linux
import Testing

@Suite("The environment", .serialized)
struct EnvironmentTests {
  @Test("Variables are changed and removed, and all others are unchanged")
  func exchange() {
    let before = Set(Environment.all)
    Environment.exchange(["RECORDER_TEST_A": "1", "RECORDER_TEST_B": "x=y"])
    #expect(Environment.value(of: "RECORDER_TEST_A") == "1")
    #expect(Environment.value(of: "RECORDER_TEST_B") == "x=y")
    Environment.exchange(["RECORDER_TEST_A": "2", "RECORDER_TEST_B": nil])
    #expect(Environment.value(of: "RECORDER_TEST_A") == "2")
    #expect(Environment.value(of: "RECORDER_TEST_B") == nil)
    Environment.exchange(["RECORDER_TEST_A": nil])
    #expect(Set(Environment.all) == before)
  }

  @Test("A value is replaced by a value that differs only in its bytes")
  func bytes() {
    for value in ["\u{E9}", "e\u{301}", "\u{301}", "x"] {
      Environment.exchange(["RECORDER_TEST_C": value])
      #expect(Environment.value(of: "RECORDER_TEST_C").map(Path.init) == Path(value))
    }
    Environment.exchange(["RECORDER_TEST_C": nil])
    #expect(Environment.value(of: "RECORDER_TEST_C") == nil)
  }
}
