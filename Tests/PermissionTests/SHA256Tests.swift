import Digest
import Permission
import Testing

struct SHA256Tests {
  @Test(
    "The digests are those of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func digests(text: String, digest: String) {
    #expect(SHA256(of: text.utf8).hexadecimal == digest)
  }

  @Test("An owner hides the machine's identity, and a missing identity is none")
  func bindings() {
    let owner = StoreOwner(user: 1, machineID: "0123456789abcdef0123456789abcdef\n")
    #expect(owner == StoreOwner(user: 1, machineID: "0123456789abcdef0123456789abcdef"))
    #expect(owner.machine.count == 64 && !owner.machine.contains("0123456789abcdef"))
    #expect(owner != StoreOwner(user: 1, machineID: "1123456789abcdef0123456789abcdef"))
    for nobody in [nil, "", "\n"] {
      #expect(StoreOwner(user: 1, machineID: nobody).machine == "none")
    }
  }
}
