/// One thing that is wrong with a configuration, where it stands and what would be right.
package struct Fault: Error, Hashable, Sendable {
    /// Where it is.
    package let place: Place
    /// What was found and what was expected, in lower case, without a full stop.
    package let message: String
    /// A second place that has to do with it.
    package let other: Other?
    /// The line it is in with a caret below; `nil` when the file as a whole is meant.
    package let excerpt: String?
    /// How bad it is.
    package let severity: Severity
    /// What it is about, if there is a command that helps; `nil` for most.
    package let subject: Subject?

    /// Creates a fault; ``FaultList/report(_:at:other:)`` adds the excerpt.
    package init(
        place: Place, message: String, other: Other? = nil, excerpt: String? = nil, severity: Severity = .fault,
        subject: Subject? = nil
    ) {
        self.place = place
        self.message = message
        self.other = other
        self.excerpt = excerpt
        self.severity = severity
        self.subject = subject
    }

    /// What a fault is about.
    package enum Subject: Hashable, Sendable {
        /// A file that this user may not read.
        case hiddenFile
        /// A credential of the service, by its name.
        case credential(String, CredentialLack)
    }

    /// Why the service does not have a credential.
    package enum CredentialLack: Hashable, Sendable {
        /// Its unit does not load it.
        case notLoaded
        /// The file does not exist from which its unit loads it.
        case noFile(String)
        /// The service was started before its unit was told to load it.
        case notRestarted
    }

    /// How bad something is.
    package enum Severity: Hashable, Sendable {
        /// It keeps the configuration from being served.
        case fault
        /// The configuration can be served nevertheless.
        case warning
        /// It is something that was not looked at, so that nobody knows.
        case unchecked
    }

    /// A second place of a fault, and what is there.
    package struct Other: Hashable, Sendable {
        /// What stands there, such as `the first is`.
        package let role: String
        /// Where it stands.
        package let place: Place

        /// Creates a second place.
        package init(_ role: String = "the other is", at place: Place) {
            self.role = role
            self.place = place
        }
    }
}

extension Fault: CustomStringConvertible {
    /// The place, the message and, on lines of their own, the excerpt.
    package var description: String {
        var text = "\(place): \(severity.title)\(message)"
        if let other { text += "; \(other.role) at \(other.place)" }
        if let excerpt { text += "\n" + excerpt }
        return text
    }
}

extension Fault.Severity {
    /// What stands before a message.
    fileprivate var title: String {
        switch self {
        case .fault: ""
        case .warning: "warning: "
        case .unchecked: "not checked here: "
        }
    }
}
