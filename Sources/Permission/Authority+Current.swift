package import Linux

extension Authority {
  /// The permission of the user who runs this process, on this machine.
  package static func current() throws(DirectoryRefusal) -> Authority {
    let facts: BaseDirectories.Facts
    do {
      facts = try .current()
    } catch {
      throw DirectoryRefusal("/", .system(error))
    }
    let machine = (try? HostIdentity.machine()) ?? nil
    let binding = Binding(user: facts.user, machineID: machine)
    let boot = try? HostIdentity.boot()
    return Authority(
      store: PermissionStore(path: try BaseDirectories(facts).state, binding: binding),
      directories: .system, account: .current(facts.user), process: .current()
    ) {
      ClockReading(
        boottime: KernelClock.bootTime.now,
        wall: .now, boot: boot)
    }
  }
}

extension Account {
  /// The account that runs this process, with its own groups and those that the group database
  /// adds.
  package static func current(_ user: UInt32) -> Account {
    let entry = (try? UserAccount(user)) ?? nil
    let groups = Set((entry?.groups() ?? []) + ((try? UserGroup.ofProcess()) ?? []))
    return Account(
      id: user, name: entry?.name,
      groups: groups.sorted().map { Group(id: $0, name: ((try? UserGroup($0)) ?? nil)?.name) })
  }
}
