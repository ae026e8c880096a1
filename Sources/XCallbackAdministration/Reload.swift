public import XCallbackClient
package import XCallbackWire

extension Client {
    /// Reloads the daemon's configuration, and waits for the result.
    ///
    /// - Returns: The changes.
    /// - Throws: ``ClientError``, with the faults if the configuration has any.
    @discardableResult
    public func reload() async throws -> RouteChange { try await ask("Reload") }

    /// The changes of a reload.
    public struct RouteChange: Hashable, Sendable, ReplyObject {
        package let json: JSONValue

        /// The number of routes in use now.
        public var routeCount: Int { json.member("routes") ?? 0 }
        /// The names of new routes.
        public var added: [String] { json.member("added") ?? [] }
        /// The names of removed routes.
        public var removed: [String] { json.member("removed") ?? [] }
        /// The names of routes that have changed.
        public var changed: [String] { json.member("changed") ?? [] }
        /// The changed settings other than routes, by their keys in the configuration file, such as `callbacks`.
        public var settings: [String] { json.member("settings") ?? [] }
        /// Likely mistakes in the configuration.
        public var warnings: [Fault] { json.member("warnings") ?? [] }
    }
}
