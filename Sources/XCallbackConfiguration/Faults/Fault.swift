/// A fault in a configuration: its place, and the expected value.
package struct Fault: Error, Hashable, Sendable {
    /// The place.
    package let place: Place
    /// The text that was found and the expected text, in lowercase without a full stop.
    package let message: String
    /// A related second place.
    package let other: Other?
    /// The line with a caret below it; `nil` if the file as a whole is meant.
    package let excerpt: String?
    /// The severity.
    package let severity: Severity
    /// Whether this user has no permission to read the file.
    package let isHiddenFile: Bool
    /// Whether a warning means that its route cannot work, such as a missing program.
    package let breaksRoute: Bool

    /// Creates a fault; ``FaultList/report(_:at:other:)`` adds the excerpt.
    package init(
        place: Place, message: String, other: Other? = nil, excerpt: String? = nil, severity: Severity = .fault,
        isHiddenFile: Bool = false, breaksRoute: Bool = false
    ) {
        self.place = place
        self.message = message
        self.other = other
        self.excerpt = excerpt
        self.severity = severity
        self.isHiddenFile = isHiddenFile
        self.breaksRoute = breaksRoute
    }

    /// The severity of a fault.
    package enum Severity: Hashable, Sendable {
        /// The configuration cannot be used.
        case fault
        /// The configuration can be used nevertheless.
        case warning
        /// A part was not checked, so its validity is unknown.
        case unchecked
    }

    /// A second place of a fault, and its role.
    package struct Other: Hashable, Sendable {
        /// The role of the place, such as `the first is`.
        package let role: String
        /// The place.
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
    /// The text before a message.
    fileprivate var title: String {
        switch self {
        case .fault: ""
        case .warning: "warning: "
        case .unchecked: "not checked here: "
        }
    }
}
