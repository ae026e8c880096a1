/// Composes values from the events of a YAML document.
///
/// Syntax faults and exceeded limits end it; all other faults are reported and it continues.
struct Composer: ~Copyable {
    /// The rest of the document cannot be read; the fault is reported.
    struct Halt: Error {}

    /// A value that an alias can repeat, and the cost of the repetition.
    private struct Anchor {
        let node: Node
        let nodeCount: Int
        let height: Int
    }

    private let source: Source
    private let limits: DocumentLimits
    private let faults: FaultList
    private var parser: YAMLParser
    private var columns: ColumnCounter
    private var anchors: [String: Anchor] = [:]
    private var openAnchors: Set<String> = []
    private var nodeCount = 0
    private var deepest = 0

    /// Creates a composer for the text of a source.
    ///
    /// - Parameters:
    ///   - source: The file, whose bytes are UTF-8.
    ///   - limits: The limits, which also apply to aliases.
    ///   - faults: The list to which faults are reported.
    init(source: Source, limits: DocumentLimits, faults: FaultList) {
        self.source = source
        self.limits = limits
        self.faults = faults
        parser = YAMLParser(source.bytes)
        columns = ColumnCounter(source: source)
    }

    /// Reads the only document; an empty document is an empty mapping.
    mutating func document() throws(Halt) -> Node {
        var root: Node?
        while true {
            switch try next() {
            case .streamEnd:
                let root = root ?? Node(place: place, content: .mapping([]))
                return root.isNull ? Node(place: root.place, content: .mapping([])) : root
            case .documentStart where root != nil:
                report("expected one document in a file, found a second one")
                throw Halt()
            case .documentStart:
                root = try value(try next(), depth: 0)
            default:
                break
            }
        }
    }

    /// Reads the value that starts with an event, including its contents.
    private mutating func value(_ event: YAMLParser.Event, depth: Int) throws(Halt) -> Node {
        if event == .alias { return try alias(depth: depth) }
        try count(1, deepest: depth)
        checkTag(of: event)
        guard let name = parser.anchor else { return try content(of: event, depth: depth) }

        let countBefore = nodeCount - 1
        let deepestBefore = deepest
        deepest = depth
        openAnchors.insert(name)
        let node = try content(of: event, depth: depth)
        openAnchors.remove(name)
        anchors[name] = Anchor(node: node, nodeCount: nodeCount - countBefore, height: deepest - depth)
        deepest = max(deepest, deepestBefore)
        return node
    }

    private mutating func content(of event: YAMLParser.Event, depth: Int) throws(Halt) -> Node {
        let place = place
        switch event {
        case .scalar:
            let scalar = Node.Scalar(text: parser.text, isQuoted: parser.isQuoted)
            // Only an escape can produce a NUL.
            if scalar.isQuoted, scalar.text.utf8.contains(0) { report("a text must not hold a NUL character") }
            return Node(place: place, content: .scalar(scalar))
        case .sequenceStart:
            var items: [Node] = []
            while let item = try next(before: .sequenceEnd) { items.append(try value(item, depth: depth + 1)) }
            return Node(place: place, content: .sequence(items))
        default:
            var members = MemberList()
            while let event = try next(before: .mappingEnd) {
                let key = try value(event, depth: depth + 1)
                members.add(key, try value(try next(), depth: depth + 1), faults)
            }
            members.merge(faults)
            return Node(place: place, content: .mapping(members.members))
        }
    }

    private mutating func alias(depth: Int) throws(Halt) -> Node {
        let name = parser.anchor ?? ""
        if let anchor = anchors[name], !openAnchors.contains(name) {
            try count(anchor.nodeCount, deepest: depth + anchor.height)
            return anchor.node
        }
        try count(1, deepest: depth)
        if openAnchors.contains(name) {
            report("alias \(name.quoted) stands within the value that it repeats")
        } else {
            let suggestion = name.suggestion(among: anchors.keys.sorted())
            let hint = suggestion.isEmpty ? ": text that begins with '*' needs quotes" : suggestion
            report("unknown alias \(name.quoted)\(hint)")
        }
        return Node(place: place, content: .scalar(Node.Scalar(text: "", isQuoted: false)))
    }

    private mutating func count(_ count: Int, deepest level: Int) throws(Halt) {
        nodeCount += count
        deepest = max(deepest, level)
        guard nodeCount > limits.nodeCount || deepest > limits.depth else { return }
        report(
            nodeCount > limits.nodeCount
                ? "expected at most \(limits.nodeCount) values, with those that aliases repeat"
                : "expected at most \(limits.depth) levels of lists and mappings")
        throw Halt()
    }

    private mutating func checkTag(of event: YAMLParser.Event) {
        guard let tag = parser.tag else { return }
        let prefix = "tag:yaml.org,2002:"
        switch (tag.hasPrefix(prefix) ? String(tag.dropFirst(prefix.count)) : tag, event) {
        case ("str", .scalar), ("seq", .sequenceStart), ("map", .mappingStart): break
        case (let name, _):
            let written = tag.hasPrefix(prefix) ? "!!\(name)" : tag
            var hint = "; the key decides on the type of a value"
            if event == .scalar, tag == written { hint = ": text that begins with '!' needs quotes" }
            report("unknown tag \(written.quoted)\(hint)")
        }
    }
}

extension Composer {
    /// Returns the next event; `nil` if it ends the collection.
    private mutating func next(before end: YAMLParser.Event) throws(Halt) -> YAMLParser.Event? {
        let event = try next()
        return event == end ? nil : event
    }

    private mutating func next() throws(Halt) -> YAMLParser.Event {
        do {
            return try parser.next()
        } catch {
            report(error)
            throw Halt()
        }
    }

    private mutating func report(_ failure: YAMLParser.Failure) {
        let fault = SyntaxFault(failure, at: source.limited(failure.mark), in: source)
        let problem = place(at: failure.mark)
        guard let context = failure.context else { return faults.report(fault.message, at: problem) }
        let beginning = place(at: context)
        let role = beginning.line == problem.line ? nil : fault.otherRole
        switch fault.target {
        case .beginning: faults.report(fault.message, at: beginning)
        case .problem: faults.report(fault.message, at: problem, other: role.map { .init($0, at: beginning) })
        }
    }

    /// Reports a fault at the current event.
    private mutating func report(_ message: String) { faults.report(message, at: place) }

    private mutating func place(at mark: YAMLMark) -> Place {
        let mark = source.limited(mark)
        let column = columns.column(line: mark.line + 1, offset: mark.column)
        return Place(file: source.name, line: mark.line + 1, column: column)
    }

    /// The place of the event.
    private var place: Place {
        mutating get {
            let (start, end) = (source.limited(parser.start), source.limited(parser.end))
            let line = start.line + 1
            let column = columns.column(line: line, offset: start.column)
            let isOneLine = end.line == start.line && end.column > start.column
            let length = isOneLine ? columns.column(line: line, offset: end.column) - column : 1
            return Place(file: source.name, line: line, column: column, length: length)
        }
    }
}

/// The members of a mapping that is being read.
private struct MemberList {
    /// The number of members from which on ``indices`` is used.
    private static let searchLimit = 16

    private(set) var members: [Node.Member] = []
    // By bytes: texts with the same characters can be different keys.
    private var indices: [[UInt8]: Int] = [:]
    private var merged: Node.Member?

    /// Adds a key and its value, or reports why the key is not allowed.
    mutating func add(_ key: Node, _ value: Node, _ faults: FaultList) {
        guard case .scalar(let scalar) = key.content, scalar.isQuoted || !scalar.text.isEmpty else {
            faults.noteCut(value)
            return faults.report("expected text as a key, found \(key.found)", at: key.place)
        }
        let member = Node.Member(key: scalar.text, place: key.place, value: value)
        let isMerge = !scalar.isQuoted && scalar.text == "<<"
        if let first = isMerge ? merged : self[scalar.text] {
            faults.noteCut(value, of: scalar.text)
            faults.report(
                "key \(scalar.text.quoted) is given twice", at: key.place, other: .init("the first is", at: first.place)
            )
        } else if isMerge {
            merged = member
        } else {
            add(member)
        }
    }

    /// Adds the members of the values after `<<`, unless the mapping has their keys itself.
    mutating func merge(_ faults: FaultList) {
        for other in merged?.value.elements ?? [] {
            guard case .mapping(let others) = other.content else {
                faults.report("expected a mapping to merge, found \(other.found)", at: other.place)
                continue
            }
            for member in others where self[member.key] == nil { add(member) }
        }
    }

    private mutating func add(_ member: Node.Member) {
        members.append(member)
        if members.count < Self.searchLimit { return }
        for index in indices.count..<members.count { indices[Array(members[index].key.utf8)] = index }
    }

    /// The member with a key.
    private subscript(key: String) -> Node.Member? {
        guard indices.isEmpty else { return indices[Array(key.utf8)].map { members[$0] } }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }
    }
}
