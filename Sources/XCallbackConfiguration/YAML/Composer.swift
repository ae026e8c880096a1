/// Composes values from the events of a YAML document.
///
/// Syntax faults and exceeded limits end it; all other faults are reported and it continues.
struct Composer: ~Copyable {
    /// The rest of the document cannot be read; the fault is reported.
    struct Halt: Error {}

    /// A value that an alias can repeat, and the cost of the repetition.
    private struct Anchor {
        let index: Int
        let nodeCount: Int
        let height: Int
    }

    private let source: Source
    private let limits: DocumentLimits
    private let faults: FaultList
    private var parser: YAMLParser
    private var columns: ColumnCounter
    private var values: ValueList
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
        values = ValueList(file: source.name, byteCount: source.bytes.count)
    }

    /// Reads the only document; an empty document is an empty mapping.
    mutating func document() throws(Halt) -> Node {
        var root: Int?
        while true {
            switch try next() {
            case .streamEnd:
                let root = root ?? values.append(.mapping, from: place)
                if values.isNull(root) { values.makeEmptyMapping(root) }
                return Node(Node.Document(values), root)
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

    /// Reads the value that starts with an event, including its contents; returns its index.
    private mutating func value(_ event: YAMLParser.Event, depth: Int) throws(Halt) -> Int {
        if event == .alias { return try alias(depth: depth) }
        try count(1, deepest: depth)
        checkTag(of: event)
        guard let name = parser.anchor else { return try content(of: event, depth: depth) }

        let countBefore = nodeCount - 1
        let deepestBefore = deepest
        deepest = depth
        openAnchors.insert(name)
        let index = try content(of: event, depth: depth)
        openAnchors.remove(name)
        anchors[name] = Anchor(index: index, nodeCount: nodeCount - countBefore, height: deepest - depth)
        deepest = max(deepest, deepestBefore)
        return index
    }

    private mutating func content(of event: YAMLParser.Event, depth: Int) throws(Halt) -> Int {
        switch event {
        case .scalar:
            let isQuoted = parser.isQuoted
            let index = values.append(isQuoted ? .quoted : .plain, from: place)
            parser.withText { values.setText($0) }
            // Only an escape can produce a NUL.
            if isQuoted, values.texts[values.textRange(of: index)].contains(0) {
                report("a text must not hold a NUL character")
            }
            return index
        case .sequenceStart:
            let index = values.append(.sequence, from: place)
            var count = 0
            while let item = try next(before: .sequenceEnd) {
                _ = try value(item, depth: depth + 1)
                count += 1
            }
            values.end(index, count: count)
            return index
        default:
            let index = values.append(.mapping, from: place)
            var members = MemberList(of: index)
            while let event = try next(before: .mappingEnd) {
                let key = try value(event, depth: depth + 1)
                let value = try value(try next(), depth: depth + 1)
                members.add(key, value, to: &values, faults)
            }
            members.merge(in: &values, faults)
            values.end(index, count: members.count)
            return index
        }
    }

    private mutating func alias(depth: Int) throws(Halt) -> Int {
        let name = parser.anchor ?? ""
        if let anchor = anchors[name], !openAnchors.contains(name) {
            try count(anchor.nodeCount, deepest: depth + anchor.height)
            return values.append(aliasOf: anchor.index)
        }
        try count(1, deepest: depth)
        if openAnchors.contains(name) {
            report("alias \(name.quoted) stands within the value that it repeats")
        } else {
            let suggestion = name.suggestion(among: anchors.keys.sorted())
            let hint = suggestion.isEmpty ? ": text that begins with '*' needs quotes" : suggestion
            report("unknown alias \(name.quoted)\(hint)")
        }
        return values.append(.plain, from: place)
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
    private mutating func report(_ message: String) {
        let (line, column, length) = place
        faults.report(message, at: Place(file: source.name, line: line, column: column, length: length))
    }

    private mutating func place(at mark: YAMLMark) -> Place {
        let mark = source.limited(mark)
        let column = columns.column(line: mark.line + 1, offset: mark.column)
        return Place(file: source.name, line: mark.line + 1, column: column)
    }

    /// The position of the event, counted like a place.
    private var place: (line: Int, column: Int, length: Int) {
        mutating get {
            let (start, end) = (source.limited(parser.start), source.limited(parser.end))
            let line = start.line + 1
            let column = columns.column(line: line, offset: start.column)
            let isOneLine = end.line == start.line && end.column > start.column
            return (line, column, isOneLine ? columns.column(line: line, offset: end.column) - column : 1)
        }
    }
}
