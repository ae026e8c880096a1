/// A service with one interface, and with `org.varlink.service`, which all services have.
package struct VarlinkService: Sendable {
    /// The information of a service about itself.
    package struct Information: Hashable, Sendable {
        package let vendor: String
        package let product: String
        package let version: String
        /// The URL of more information.
        package let url: String

        package init(vendor: String, product: String, version: String, url: String) {
            self.vendor = vendor
            self.product = product
            self.version = version
            self.url = url
        }
    }

    /// A method of the interface.
    package struct Method: Hashable, Sendable {
        /// The name, without the interface.
        package let name: String
        /// Whether the method requires `more`.
        package let requiresMore: Bool

        package init(_ name: String, requiresMore: Bool = false) {
            self.name = name
            self.requiresMore = requiresMore
        }
    }

    private let information: Information
    private let interface: String
    private let description: String
    /// The methods, with the interface in their names.
    let methods: [Method]

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - information: The information about the service.
    ///   - interface: The name of the interface.
    ///   - description: The description of the interface, which clients get as it is.
    ///   - methods: The methods of the interface.
    package init(_ information: Information, interface: String, description: String, methods: [Method]) {
        self.information = information
        self.interface = interface
        self.description = description
        self.methods = methods.map { Method("\(interface).\($0.name)", requiresMore: $0.requiresMore) }
    }

    /// Returns the index of a method; nil if the interface has no such method.
    func method(named name: Span<UInt8>) -> Int? {
        for index in methods.indices where areEqual(name, methods[index].name.utf8.span) { return index }
        return nil
    }

    /// Replies to a call of a method that the interface does not have.
    func reply(to method: String, _ parameters: VarlinkObject) throws(VarlinkError) -> JSONValue {
        switch method {
        case "\(Self.ownInterface).GetInfo":
            try parameters.check([])
            return [
                "vendor": .string(information.vendor), "product": .string(information.product),
                "version": .string(information.version), "url": .string(information.url),
                "interfaces": .array([.string(interface), .string(Self.ownInterface)]),
            ]
        case "\(Self.ownInterface).GetInterfaceDescription":
            try parameters.check(["interface"])
            let name = try parameters.required("interface").text()
            return ["description": .string(try text(of: name))]
        default:
            let dot = method.utf8.lastIndex(of: UInt8(ascii: "."))
            _ = try text(of: String(method[..<(dot ?? method.endIndex)]))
            throw .methodNotFound(method)
        }
    }

    /// Returns the description of an interface.
    private func text(of name: String) throws(VarlinkError) -> String {
        if areEqual(name, interface) { return description }
        guard areEqual(name, Self.ownInterface) else { throw .interfaceNotFound(name) }
        return String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
    }

    private static let ownInterface = "org.varlink.service"
}
