import XCallbackJSON

/// What a server offers: its interfaces with the methods that it has, and what it tells of itself.
package struct VarlinkService: Sendable {
    /// What a service tells of itself.
    package struct Information: Hashable, Sendable {
        /// Who makes it.
        package let vendor: String
        /// Its name.
        package let product: String
        /// Its version.
        package let version: String
        /// Where more about it can be read.
        package let url: String

        /// Creates what a service tells of itself.
        package init(vendor: String, product: String, version: String, url: String) {
            self.vendor = vendor
            self.product = product
            self.version = version
            self.url = url
        }
    }

    /// A method that a service has.
    package struct Method: Hashable, Sendable {
        /// Its name, without the interface's.
        package let name: String
        /// Whether it makes sense only with `more`.
        package let requiresMore: Bool

        /// Creates a method.
        package init(_ name: String, requiresMore: Bool = false) {
            self.name = name
            self.requiresMore = requiresMore
        }
    }

    /// A method of an interface that a call can name.
    struct Entry: Sendable {
        let interface: Int
        let method: Int
        let requiresMore: Bool
        /// The number of the type of its parameters.
        let input: Int
    }

    /// The interfaces, of which the last is `org.varlink.service`.
    let interfaces: [VarlinkInterface]
    let descriptions = WrittenDescriptions()
    let information: Information
    private(set) var entries: [Entry] = []
    /// The name of each entry, with that of its interface.
    private(set) var names = NameList()
    private(set) var types = TypeTable()
    /// How methods are called that need one text at most.
    private var loneTextForms: [LoneTextForm] = []

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - information: What it tells of itself.
    ///   - interfaces: The interfaces, each with the methods of it that the service has.
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
                // No input comes here: a service is made of what its program declares.
                preconditionFailure("the interface \(interface.name) has no method \(method.name)")
            }
            let name = "\(interface.name).\(method.name)"
            // The service answers the calls of its own interface itself, once they are read.
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

    /// The call that a message is, if that is told by its bytes; nil if it has to be read.
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

    /// The method that a call names; nil if the service has none of that name.
    func entry(named string: Int, of layout: JSONLayout, in text: Span<UInt8>) -> Int? {
        names.position(of: string, in: entries.indices, layout, text)
    }

    /// What is wrong with the name of a method that the service does not have.
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
    /// The text that has to be there, if it is the first field and nothing else has to be there.
    fileprivate var loneText: String? {
        guard let first, first.type == .string, dropFirst().allSatisfy(\.type.isOptional) else { return nil }
        return first.name
    }
}
