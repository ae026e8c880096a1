extension RoutePattern {
    /// Creates a pattern that is the concatenation of two patterns.
    ///
    /// Each pattern keeps its own segments: `/a` and `{/:b/}c` answer `/a/1/c` and `/a/c`.
    ///
    /// - Throws: ``RoutePatternError`` for a name that is in both, or if there are too many alternatives or segments.
    package init(_ prefix: RoutePattern, _ rest: RoutePattern) throws(RoutePatternError) {
        let beginning = prefix.text.hasSuffix("/") ? String(prefix.text.dropLast()) : prefix.text
        text = rest.text == "/" && !beginning.isEmpty ? beginning : beginning + rest.text
        captures = prefix.captures + rest.captures
        let position = beginning.unicodeScalars.count
        if let repeated = rest.captures.first(where: { prefix.captures.first(named: $0.name) != nil }) {
            throw RoutePatternError(reason: .repeatedName(repeated.name), position: position, pattern: text)
        }
        let (beginnings, ends) = (prefix.alternatives, rest.alternatives)
        guard beginnings.count * ends.count <= Self.alternativeLimit else {
            throw RoutePatternError(reason: .tooManyAlternatives, position: position, pattern: text)
        }
        var alternatives: [[Segment]] = []
        for first in beginnings {
            for second in ends {
                let segments = first + second.map { $0.map { $0.moved(by: prefix.captures.count) } }
                guard segments.count <= Self.segmentLimit else {
                    throw RoutePatternError(reason: .tooManySegments, position: position, pattern: text)
                }
                if !alternatives.contains(segments) { alternatives.append(segments) }
            }
        }
        segments = PatternSegments(alternatives)
    }

    /// Creates a pattern with the captures of an invalid text, as far as they can be read.
    ///
    /// It answers nothing, but references to its captures can still be checked.
    package init(capturesOf text: String) {
        var captures: [CaptureName] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == ":" || scalar == "*" else { continue }
            let isQuoted = rest.first == "\""
            if isQuoted { rest.removeFirst() }
            let name = String(rest.prefix { isQuoted ? $0 != "\"" : $0.continuesIdentifier })
            if name.isEmpty || captures.first(named: name) != nil { continue }
            captures.append(CaptureName(name: name, isWildcard: scalar == "*", isOptional: false))
        }
        self.text = text
        self.captures = captures
        segments = PatternSegments([])
    }
}

extension RoutePattern.Part {
    /// Returns the part with its capture index moved.
    fileprivate func moved(by count: Int) -> Self {
        switch self {
        case .text: self
        case .parameter(let capture): .parameter(capture + count)
        case .wildcard(let capture): .wildcard(capture + count)
        }
    }
}
