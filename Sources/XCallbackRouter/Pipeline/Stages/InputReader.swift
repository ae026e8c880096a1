import XCallbackURL
import XCallbackWire

/// Reads the declared parameters of one request and collects their decoded form.
struct InputReader {
    /// The decision on a received item.
    private enum Fate {
        /// Not declared: it passes unchanged.
        case kept
        /// Declared: it stays unchanged.
        case read
        /// Declared: it is removed, or other items of the parameter replace it.
        case dropped
        /// Other values replace it; the bare name if there are none.
        case replaced(name: String, values: [String])
    }

    private let received: QueryItems
    private let plusIsSpace: Bool
    private let maximumElements: Int
    private var elementCount = 0
    private var fates: [Fate]
    private var appended: [(name: String, values: [String])] = []
    private var hasChanges = false

    init(_ received: QueryItems, plusIsSpace: Bool, maximumElements: Int) {
        self.received = received
        self.plusIsSpace = plusIsSpace
        self.maximumElements = maximumElements
        fates = Array(repeating: .kept, count: received.count)
    }

    /// Reads one declared parameter.
    mutating func read(_ declaration: Input.Declaration, name: [UInt8]) throws(CallbackError) {
        let isPresent =
            declaration.rule.isList
            ? try readList(declaration, name) : try readSingle(declaration, name)
        if isPresent { return }
        if let defaults = declaration.rule.defaultTexts {
            appended.append((declaration.name, defaults))
            hasChanges = true
        } else if declaration.rule.isRequired {
            throw CallbackError(.badParameter, "Parameter '\(declaration.name)' is missing.")
        }
    }

    /// Rejects a request with undeclared parameters.
    func refuseUnread() throws(CallbackError) {
        for index in fates.indices where !received.entries[index].isCapture {
            guard case .kept = fates[index] else { continue }
            throw .undeclared(received[index].name)
        }
    }

    /// The decoded parameters; nil if they equal the received ones.
    func decoded() -> QueryItems? {
        guard hasChanges else { return nil }
        var items = QueryItems()
        for (index, fate) in fates.enumerated() {
            switch fate {
            case .kept, .read: items.append(received.entries[index], of: received.storage.bytes.span)
            case .dropped: break
            case .replaced(let name, let values): items.append(name, values: values)
            }
        }
        for (name, values) in appended { items.append(name, values: values) }
        return items
    }

    /// Reads a parameter with one value; false if it is absent.
    private mutating func readSingle(
        _ declaration: Input.Declaration, _ name: [UInt8]
    ) throws(CallbackError) -> Bool {
        guard let index = received.firstIndex(named: name.span) else { return false }
        for other in received.entries.indices.dropFirst(index + 1)
        where areEqual(received.storage.bytes.span.extracting(received.entries[other].name), name.span) {
            throw CallbackError(.badParameter, "Parameter '\(declaration.name)' is given more than once.")
        }
        let entry = received.entries[index]
        guard entry.hasValue else {
            // A bare `k` is true for a Boolean, and no value for any other type.
            let isFlag = declaration.rule.type == .boolean
            if isFlag { replace(index, declaration, with: ["true"]) } else { drop(index) }
            return isFlag
        }
        try check(received.storage.bytes.span.extracting(entry.value), declaration)
        fates[index] = .read
        let canonical = declaration.rule.type.canonical(received.storage.bytes.span.extracting(entry.value))
        if let canonical { replace(index, declaration, with: [canonical]) }
        return true
    }

    /// Reads a list: repeated items, comma-separated elements, and items named `k.0`, `k.1`; false if it is absent.
    private mutating func readList(
        _ declaration: Input.Declaration, _ name: [UInt8]
    ) throws(CallbackError) -> Bool {
        var first: Int?
        var elements: [String] = []
        var indexed: [(position: Int, value: String, index: Int)] = []
        for index in received.entries.indices {
            let entry = received.entries[index]
            let place = listPlace(of: received.storage.bytes.span.extracting(entry.name), in: name)
            guard let place else { continue }
            first = first ?? index
            drop(index)
            switch place {
            case .whole:
                elementCount += received.elementCount(of: index)
                guard elementCount <= maximumElements else {
                    throw CallbackError(
                        .tooLarge, "The lists of the request have more than \(maximumElements) elements.")
                }
                for element in received.elements(of: index, plusIsSpace: plusIsSpace) {
                    guard let element else { throw .isCut(declaration.name) }
                    try check(element.span, declaration)
                    elements.append(text(element.span, declaration))
                }
            case .element(let position) where entry.hasValue:
                let value = received.storage.bytes.span.extracting(entry.value)
                try check(value, declaration)
                indexed.append((position, text(value, declaration), index))
            case .element: break
            }
        }
        guard let first else { return false }
        indexed.sort { ($0.position, $0.index) < ($1.position, $1.index) }
        for (element, next) in zip(indexed, indexed.dropFirst()) where element.position == next.position {
            throw CallbackError(.badParameter, "Parameter '\(declaration.name)' has an index more than once.")
        }
        replace(first, declaration, with: elements + indexed.map(\.value))
        return true
    }

    private func check(_ value: Span<UInt8>, _ declaration: Input.Declaration) throws(CallbackError) {
        if value.isEmpty, declaration.rule.type != .string {
            throw CallbackError(.badParameter, "Parameter '\(declaration.name)' is empty.")
        }
        try declaration.check(value)
    }

    private func text(_ value: Span<UInt8>, _ declaration: Input.Declaration) -> String {
        declaration.rule.type.canonical(value) ?? String(utf8: value)
    }

    private mutating func replace(_ index: Int, _ declaration: Input.Declaration, with values: [String]) {
        fates[index] = .replaced(name: declaration.name, values: values)
        hasChanges = true
    }

    private mutating func drop(_ index: Int) {
        fates[index] = .dropped
        hasChanges = true
    }
}

extension CallbackError {
    static func undeclared(_ name: String) -> CallbackError {
        CallbackError(.badParameter, "This action has no parameter '\(name.prefix(64))'.")
    }

    fileprivate static func isCut(_ name: String) -> CallbackError {
        CallbackError(.badParameter, "Parameter '\(name)' is cut within a character.")
    }
}
