package import XCallbackJSON

/// An error that answers a call.
package struct VarlinkError: Error, Hashable, Sendable {
    /// The name with that of its interface, such as `org.varlink.service.InvalidParameter`.
    package let name: String
    /// Its parameters, in their order.
    package let parameters: [JSONValue.Member]

    /// Creates an error.
    package init(_ name: String, _ parameters: [JSONValue.Member] = []) {
        self.name = name
        self.parameters = parameters
    }
}

// What every service may answer, whatever the interface.
extension VarlinkError {
    /// The service has no such interface.
    package static func interfaceNotFound(_ interface: String) -> Self {
        Self("org.varlink.service.InterfaceNotFound", [.init("interface", .string(interface))])
    }

    /// The interface has no such method.
    package static func methodNotFound(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotFound", [.init("method", .string(method))])
    }

    /// The service lacks a method of the interface, or does not do what the call asks of it.
    package static func methodNotImplemented(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotImplemented", [.init("method", .string(method))])
    }

    /// A parameter is missing, unknown or wrong.
    package static func invalidParameter(_ parameter: String) -> Self {
        Self("org.varlink.service.InvalidParameter", [.init("parameter", .string(parameter))])
    }

    /// The client may not do that.
    package static let permissionDenied = Self("org.varlink.service.PermissionDenied")
    /// The method has to be called with `more`.
    package static let expectedMore = Self("org.varlink.service.ExpectedMore")
    /// The method has to be called with `upgrade`.
    package static let expectedUpgrade = Self("org.varlink.service.ExpectedUpgrade")
}

extension VarlinkError: CustomStringConvertible {
    /// The name, as a JSON string if it can be none of an error, and the parameters if there are any.
    package var description: String {
        let isName = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let name = isName ? name : JSONValue.string(name).description
        return parameters.isEmpty ? name : "\(name) \(JSONValue.object(parameters))"
    }
}
