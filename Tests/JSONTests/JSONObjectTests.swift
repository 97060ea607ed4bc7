import JSON
import Testing

@Suite("Objects are read and built member by member")
struct JSONObjectTests {
  private let object: JSONObject = [
    "name": "x", "count": 7, "big": 300, "share": 0.5, "on": true, "list": [1, 2], "none": nil,
  ]

  @Test("A member is read as the requested type")
  func values() throws {
    #expect(try object.value("name") == "x")
    #expect(try object.value("count") == Int32(7))
    #expect(try object.value("count") == 7.0)
    #expect(try object.value("share") == Duration.milliseconds(500))
    #expect(try object.value("on") == true)
    #expect(try object.value("list") == [1, 2])
    #expect(try object.optional("absent", as: String.self) == nil)
  }

  @Test("A wrong type, a value out of range, a missing and an unknown member are errors")
  func refusals() {
    #expect(throws: JSONError.missing(key: "absent")) { try object.value("absent", as: Int.self) }
    #expect(throws: JSONError.unfit(key: "name", found: "a string", expected: "an integer")) {
      try object.value("name", as: Int.self)
    }
    #expect(throws: JSONError.invalid(key: "big")) { try object.value("big", as: UInt8.self) }
    let endless: JSONObject = ["end": 1_000_000_000_000]
    #expect(throws: JSONError.invalid(key: "end")) { try endless.value("end", as: Duration.self) }
    #expect(throws: JSONError.self) { try object.value("share", as: Int.self) }
    #expect(throws: JSONError.self) { try object.value("list", as: [String].self) }
    #expect(throws: JSONError.self) { try object.optional("none", as: String.self) }
    #expect(throws: JSONError.unknown(key: "list")) {
      try object.requireOnly("name", "count", "big", "share", "on", "none")
    }
  }

  @Test("Setting keeps the position of a key, adds a new key last, and removes a key for nil")
  func building() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = 3
    object["c"] = "d"
    object["b"] = nil
    object.set("e", Duration.milliseconds(1500))
    object.set("f", Int?.none)
    #expect(object.json.encoded() == #"{"a":3,"c":"d","e":1.5}"#)
    #expect(object.keys == ["a", "c", "e"])
  }
}
