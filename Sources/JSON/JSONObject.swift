/// Members in the order in which they were put in, each key once.
///
/// A lookup searches them one by one: our objects are small, and their order is worth more.
package struct JSONObject: Hashable, Sendable {
  /// One key and its value.
  package struct Member: Hashable, Sendable {
    /// The key, which no other member of the object has.
    package let key: String
    /// The value under the key; null is a value too.
    package var value: JSONValue
  }

  /// Every member, in order.
  package private(set) var members: [Member] = []

  /// An object with no members.
  package init() {}

  /// An object with these members; a later one replaces an earlier of the same key.
  package init(_ members: [(String, JSONValue)]) {
    for (key, value) in members { self[key] = value }
  }

  // Jansson has rejected duplicates already, and looking for them again would be quadratic.
  init(distinct members: [Member]) { self.members = members }

  /// True where it has no members.
  package var isEmpty: Bool { members.isEmpty }
  /// Every key, in order.
  package var keys: [String] { members.map(\.key) }

  /// The member's value; setting one keeps its place, a new one comes last, and nil removes it.
  package subscript(key: String) -> JSONValue? {
    get { members.first { $0.key == key }?.value }
    set {
      let place = members.firstIndex { $0.key == key }
      switch (place, newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object of these members in their order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
