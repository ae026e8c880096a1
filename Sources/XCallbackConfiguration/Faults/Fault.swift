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
    /// Whether it only warns: the configuration can be served nevertheless.
    package let isWarning: Bool

    /// Creates a fault; ``FaultList/report(_:at:other:)`` adds the excerpt.
    package init(
        place: Place, message: String, other: Other? = nil, excerpt: String? = nil, isWarning: Bool = false
    ) {
        self.place = place
        self.message = message
        self.other = other
        self.excerpt = excerpt
        self.isWarning = isWarning
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
        var text = "\(place): \(isWarning ? "warning: " : "")\(message)"
        if let other { text += "; \(other.role) at \(other.place)" }
        if let excerpt { text += "\n" + excerpt }
        return text
    }
}
