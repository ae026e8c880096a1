/// Puts the events of a YAML document together to nodes.
///
/// Faults of syntax and limits end it; all others are reported and it goes on.
struct Composer: ~Copyable {
    /// The document cannot be read on; the fault is reported.
    struct Halt: Error {}

    /// A value that an alias can repeat, and what that costs.
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

    /// Creates a composer of a source's text.
    ///
    /// - Parameters:
    ///   - source: The file, for its places.
    ///   - bytes: Its bytes, which are UTF-8.
    ///   - limits: What an alias must not exceed.
    ///   - faults: Where faults are reported.
    init(source: Source, bytes: [UInt8], limits: DocumentLimits, faults: FaultList) {
        self.source = source
        self.limits = limits
        self.faults = faults
        parser = YAMLParser(bytes)
        columns = ColumnCounter(source: source)
    }

    /// Reads the only document; an empty one is an empty mapping.
    mutating func document() throws(Halt) -> Node {
        var root: Node?
        while true {
            let event = try next()
            switch event.kind {
            case .streamEnd:
                if let root, !root.isNull { return root }
                return Node(place: root?.place ?? place(event), content: .mapping([]))
            case .documentStart where root != nil:
                faults.report("expected one document in a file, found a second one", at: place(event))
                throw Halt()
            case .documentStart:
                root = try node(try next(), depth: 0)
            default:
                break
            }
        }
    }

    private mutating func node(_ event: borrowing YAMLEvent, depth: Int) throws(Halt) -> Node {
        if case .alias(let name) = event.kind { return try alias(name, event, depth: depth) }
        try count(1, deepest: depth, at: event)
        checkTag(event)
        guard let name = event.anchor else { return try content(event, depth: depth) }

        let countBefore = nodeCount - 1
        let deepestBefore = deepest
        deepest = depth
        openAnchors.insert(name)
        let node = try content(event, depth: depth)
        openAnchors.remove(name)
        anchors[name] = Anchor(node: node, nodeCount: nodeCount - countBefore, height: deepest - depth)
        deepest = max(deepest, deepestBefore)
        return node
    }

    private mutating func content(_ event: borrowing YAMLEvent, depth: Int) throws(Halt) -> Node {
        let place = place(event)
        switch event.kind {
        case .scalar(let scalar):
            // Only an escape makes one.
            if scalar.isQuoted, scalar.text.utf8.contains(0) {
                faults.report("a text must not hold a NUL character", at: place)
            }
            return Node(place: place, content: .scalar(scalar))
        case .sequenceStart:
            var items: [Node] = []
            while let item = try next(before: .sequenceEnd) {
                items.append(try node(item, depth: depth + 1))
            }
            return Node(place: place, content: .sequence(items))
        default:
            var members = MemberList(faults: faults)
            while let key = try next(before: .mappingEnd) {
                let key = try node(key, depth: depth + 1)
                members.add(key, try node(try next(), depth: depth + 1))
            }
            return Node(place: place, content: .mapping(members.merged()))
        }
    }

    private mutating func alias(_ name: String, _ event: borrowing YAMLEvent, depth: Int) throws(Halt) -> Node {
        if let anchor = anchors[name], !openAnchors.contains(name) {
            try count(anchor.nodeCount, deepest: depth + anchor.height, at: event)
            return anchor.node
        }
        try count(1, deepest: depth, at: event)
        let place = place(event)
        if openAnchors.contains(name) {
            faults.report("alias \(name.quoted) stands within the value that it repeats", at: place)
        } else {
            let suggestion = name.suggestion(among: anchors.keys.sorted())
            let hint = suggestion.isEmpty ? ": a text that begins with '*' needs quotes" : suggestion
            faults.report("unknown alias \(name.quoted)\(hint)", at: place)
        }
        return Node(place: place, content: .scalar(Node.Scalar(text: "")))
    }

    private mutating func count(_ count: Int, deepest level: Int, at event: borrowing YAMLEvent) throws(Halt) {
        nodeCount += count
        deepest = max(deepest, level)
        guard nodeCount > limits.nodeCount || deepest > limits.depth else { return }
        let message =
            nodeCount > limits.nodeCount
            ? "expected at most \(limits.nodeCount) values, with those that aliases repeat"
            : "expected at most \(limits.depth) levels of lists and mappings"
        faults.report(message, at: place(event))
        throw Halt()
    }

    private mutating func checkTag(_ event: borrowing YAMLEvent) {
        guard let tag = event.tag else { return }
        let prefix = "tag:yaml.org,2002:"
        switch (tag.hasPrefix(prefix) ? String(tag.dropFirst(prefix.count)) : tag, event.kind) {
        case ("str", .scalar), ("seq", .sequenceStart), ("map", .mappingStart): break
        case (let name, _):
            let written = tag.hasPrefix(prefix) ? "!!\(name)" : tag
            var hint = "; the key decides on the type of a value"
            if case .scalar = event.kind, tag == written { hint = ": a text that begins with '!' needs quotes" }
            faults.report("unknown tag \(written.quoted)\(hint)", at: place(event))
        }
    }
}

extension Composer {
    /// The next event, or `nil` if it is the one that ends the collection.
    private mutating func next(before end: YAMLEvent.Kind) throws(Halt) -> YAMLEvent? {
        let event = try next()
        if event.kind == end { return nil }
        return consume event
    }

    private mutating func next() throws(Halt) -> YAMLEvent {
        do {
            return try parser.next()
        } catch {
            report(error)
            throw Halt()
        }
    }

    private mutating func report(_ failure: YAMLParser.Failure) {
        let fault = SyntaxFault(failure, at: source.limited(failure.mark), in: source)
        let problem = place(from: failure.mark, to: failure.mark)
        guard let context = failure.context else { return faults.report(fault.message, at: problem) }
        let beginning = place(from: context, to: context)
        let role = beginning.line == problem.line ? nil : fault.otherRole
        switch fault.target {
        case .beginning: faults.report(fault.message, at: beginning)
        case .problem: faults.report(fault.message, at: problem, other: role.map { .init($0, at: beginning) })
        }
    }

    private mutating func place(_ event: borrowing YAMLEvent) -> Place {
        place(from: event.start, to: event.end)
    }

    private mutating func place(from start: YAMLEvent.Mark, to end: YAMLEvent.Mark) -> Place {
        let (start, end) = (source.limited(start), source.limited(end))
        let line = start.line + 1
        let column = columns.column(line: line, offset: start.column)
        let isOneLine = end.line == start.line && end.column > start.column
        let length = isOneLine ? columns.column(line: line, offset: end.column) - column : 1
        return Place(file: source.name, line: line, column: column, length: length)
    }
}
