/// An error reply to a call.
package struct VarlinkError: Error, Hashable, Sendable {
    /// The error name, including the interface, such as `org.varlink.service.InvalidParameter`.
    package let name: String
    /// The parameters, in order.
    package let parameters: [JSONValue.Member]

    /// Creates an error.
    package init(_ name: String, _ parameters: [JSONValue.Member] = []) {
        self.name = name
        self.parameters = parameters
    }
}

// The errors that any service can return for any interface.
extension VarlinkError {
    /// The service does not have the interface.
    package static func interfaceNotFound(_ interface: String) -> Self {
        Self("org.varlink.service.InterfaceNotFound", [.init("interface", .string(interface))])
    }

    /// The interface does not have the method.
    package static func methodNotFound(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotFound", [.init("method", .string(method))])
    }

    /// The service lacks a method of the interface, or cannot do what the call requests.
    package static func methodNotImplemented(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotImplemented", [.init("method", .string(method))])
    }

    /// A parameter is missing, unknown or invalid.
    package static func invalidParameter(_ parameter: String) -> Self {
        Self("org.varlink.service.InvalidParameter", [.init("parameter", .string(parameter))])
    }

    /// The client does not have permission.
    package static let permissionDenied = Self("org.varlink.service.PermissionDenied")
    /// The method must be called with `more`.
    package static let expectedMore = Self("org.varlink.service.ExpectedMore")
    /// The method must be called with `upgrade`.
    package static let expectedUpgrade = Self("org.varlink.service.ExpectedUpgrade")
}

extension VarlinkError: CustomStringConvertible {
    /// The name, as a JSON string if it is not a valid error name, and the parameters if there are any.
    package var description: String {
        let isName = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let name = isName ? name : JSONValue.string(name).description
        return parameters.isEmpty ? name : "\(name) \(JSONValue.object(parameters))"
    }
}
