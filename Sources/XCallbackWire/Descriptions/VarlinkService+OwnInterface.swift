import Synchronization

/// Caches the descriptions that clients have requested, because writing one is slow.
final class WrittenDescriptions: Sendable {
    private let texts = Mutex<[Int: String]>([:])

    /// Returns the description of an interface; writes it on the first call.
    func text(of interface: Int, _ write: () -> String) -> String {
        texts.withLock { texts in
            if let text = texts[interface] { return text }
            let text = write()
            texts[interface] = text
            return text
        }
    }
}

extension VarlinkService {
    /// The methods of `org.varlink.service`.
    enum OwnMethod: String, CaseIterable {
        case information = "GetInfo"
        case description = "GetInterfaceDescription"
    }

    /// The interface that all services have.
    static let ownInterface = VarlinkInterface(constant: ownDescription)

    /// Answers a call of `org.varlink.service`, whose parameters are already checked.
    func answer(
        _ method: OwnMethod, _ parameters: JSONValue
    ) throws(VarlinkError) -> JSONValue {
        switch method {
        case .information:
            return [
                "vendor": .string(information.vendor), "product": .string(information.product),
                "version": .string(information.version), "url": .string(information.url),
                "interfaces": .array(interfaces.map { .string($0.name) }),
            ]
        case .description:
            let name = parameters["interface"]?.text ?? ""
            guard let number = interfaces.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw .interfaceNotFound(name)
            }
            return ["description": .string(descriptions.text(of: number) { interfaces[number].description })]
        }
    }

    private static let ownDescription = """
        # What every Varlink service offers: who it is, and what its interfaces are.
        interface org.varlink.service

        # Tells what the service is and which interfaces it has.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Gives the description of an interface.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service has no such interface.
        error InterfaceNotFound (interface: string)

        # The interface has no such method.
        error MethodNotFound (method: string)

        # The interface has the method, but the service does not.
        error MethodNotImplemented (method: string)

        # A parameter is missing, unknown, or has a value that is not allowed.
        error InvalidParameter (parameter: string)

        # The client may not do that.
        error PermissionDenied ()

        # The method has to be called with 'more'.
        error ExpectedMore ()

        # The method has to be called with 'upgrade'.
        error ExpectedUpgrade ()
        """
}
