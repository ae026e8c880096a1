/// A service: its interfaces with the methods it implements, and information about itself.
package struct VarlinkService: Sendable {
    /// The information of a service about itself.
    package struct Information: Hashable, Sendable {
        /// The vendor.
        package let vendor: String
        /// Its name.
        package let product: String
        /// Its version.
        package let version: String
        /// The URL of more information.
        package let url: String

        /// Creates the information.
        package init(vendor: String, product: String, version: String, url: String) {
            self.vendor = vendor
            self.product = product
            self.version = version
            self.url = url
        }
    }

    /// A method that a service implements.
    package struct Method: Hashable, Sendable {
        /// The name, without the interface.
        package let name: String
        /// Whether the method requires `more`.
        package let requiresMore: Bool

        /// Creates a method.
        package init(_ name: String, requiresMore: Bool = false) {
            self.name = name
            self.requiresMore = requiresMore
        }
    }

    /// A method that a call can name.
    struct Entry: Sendable {
        let interface: Int
        let method: Int
        let requiresMore: Bool
        /// The index of its parameters' type.
        let input: Int
    }

    /// The interfaces; the last one is `org.varlink.service`.
    let interfaces: [VarlinkInterface]
    let descriptions = WrittenDescriptions()
    let information: Information
    private(set) var entries: [Entry] = []
    /// The names of the entries, including the interface.
    private(set) var names = NameList()
    private(set) var types = TypeTable()
    /// The usual forms of calls whose only required parameter is a string.
    private var loneTextForms: [LoneTextForm] = []

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - information: The information about the service.
    ///   - interfaces: The interfaces, each with the methods that the service implements.
    package init(_ information: Information, interfaces: [(interface: VarlinkInterface, methods: [Method])]) {
        self.information = information
        self.interfaces = interfaces.map(\.interface) + [Self.ownInterface]
        let methods = interfaces.map(\.methods) + [OwnMethod.allCases.map { Method($0.rawValue) }]
        for (number, interface) in self.interfaces.enumerated() {
            add(methods[number], of: interface, number)
        }
    }

    private mutating func add(_ methods: [Method], of interface: VarlinkInterface, _ number: Int) {
        types.begin(interface)
        for (index, method) in methods.enumerated() {
            guard let input = interface.signature(of: method.name)?.input else {
                // Not reachable for any input: the program declares the service.
                preconditionFailure("the interface \(interface.name) has no method \(method.name)")
            }
            let name = "\(interface.name).\(method.name)"
            // The service itself answers calls of its own interface, once they are parsed.
            if number < interfaces.count - 1, !method.requiresMore, let parameter = input.loneText {
                loneTextForms.append(LoneTextForm(entry: entries.count, method: name, parameter: parameter))
            }
            names.append(name)
            entries.append(
                Entry(
                    interface: number, method: index, requiresMore: method.requiresMore,
                    input: types.add(.structure(input))))
        }
    }

    /// Returns the call of a message in the usual form, determined by its bytes; nil if the message must be parsed.
    func loneText(in message: Span<UInt8>, at frame: Range<Int>) -> VarlinkCall? {
        for index in loneTextForms.indices {
            guard let text = loneTextForms[index].text(in: message) else { continue }
            let (entry, name) = (entries[loneTextForms[index].entry], loneTextForms[index].name)
            guard isPlainText(message.extracting(text)) else { return nil }
            return VarlinkCall(
                interface: entry.interface, method: entry.method, mode: .once, frame: frame,
                parameters: .loneText(name: name, text))
        }
        return nil
    }

    /// Returns the method that a call names; nil if the service does not have it.
    func entry(named string: Int, of layout: JSONLayout, in text: Span<UInt8>) -> Int? {
        names.position(of: string, in: entries.indices, layout, text)
    }

    /// Returns the error for the name of a method that the service does not have.
    func fault(ofMethod name: String) -> VarlinkError {
        let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
        let interfaceName = String(name[..<(dot ?? name.endIndex)])
        guard let interface = interfaces.first(where: { $0.name.utf8.elementsEqual(interfaceName.utf8) }) else {
            return .interfaceNotFound(interfaceName)
        }
        let methodName = dot.map { String(name[name.utf8.index(after: $0)...]) } ?? ""
        return interface.signature(of: methodName) == nil ? .methodNotFound(name) : .methodNotImplemented(name)
    }
}

extension [VarlinkField] {
    /// The required string, if it is the first field and no other field is required.
    fileprivate var loneText: String? {
        guard let first, first.type == .string, dropFirst().allSatisfy(\.type.isOptional) else { return nil }
        return first.name
    }
}
