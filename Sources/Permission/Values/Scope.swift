/// The protected services. The raw values are those of JSON and of policies.
package enum Service: String, CaseIterable, Hashable, Sendable {
  case microphone
  /// The sound that the computer plays.
  case systemAudio
}

/// The subject of one stored decision: a service and the client that uses it.
package struct Subject: Hashable, Sendable {
  /// The service.
  package let service: Service
  /// The client, or everyone.
  package let client: Client

  /// Creates a subject.
  package init(_ service: Service, _ client: Client) {
    (self.service, self.client) = (service, client)
  }
}

/// The scope of a change or a session grant: the services and the client that it applies to.
package struct Scope: Hashable, Sendable {
  /// The services.
  package let services: Set<Service>
  /// The client, or everyone.
  package let client: Client

  /// Creates a scope.
  package init(_ services: Set<Service>, _ client: Client) {
    (self.services, self.client) = (services, client)
  }

  /// Every service and every client of a kind.
  package static func everything(_ kind: Client.Kind) -> Scope {
    Scope(Set(Service.allCases), kind.everyone)
  }

  /// The subjects with exactly this client.
  package var subjects: [Subject] { services.map { Subject($0, client) } }

  /// Returns whether a subject is in the scope. If the client of the scope is `everyone` or
  /// `allPrograms`, every client of this kind is in the scope.
  package func contains(_ subject: Subject) -> Bool {
    services.contains(subject.service)
      && (client == subject.client || client == subject.client.kind.everyone)
  }
}
