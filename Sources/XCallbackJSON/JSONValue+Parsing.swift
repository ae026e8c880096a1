extension JSONValue {
    /// How deep lists and objects may be nested if nothing else is said.
    package static let defaultDepth = 64

    /// Parses a JSON text.
    ///
    /// A byte order mark is refused, as are names that repeat within an object and halves of surrogate pairs.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks may stand around the value.
    ///   - maximumSize: How many bytes the text may have.
    ///   - maximumDepth: How deep lists and objects may be nested.
    /// - Throws: ``JSONError`` for what is wrong.
    package init(
        parsing text: Span<UInt8>, maximumSize: Int, maximumDepth: Int = defaultDepth
    ) throws(JSONError) {
        guard text.count <= maximumSize else {
            throw JSONError(reason: .tooLong(limit: maximumSize), offset: maximumSize)
        }
        var layout = JSONLayout()
        try layout.read(text, maximumDepth: maximumDepth)
        if let fault = layout.fault(below: 0, in: text) { throw fault }
        self = layout.value(0, in: text)
    }
}

extension JSONLayout {
    /// What of a value, and of all that is within it, cannot be a ``JSONValue``.
    ///
    /// That is a list or an object that is nested too deep, half of a surrogate pair, or a name that repeats within its
    /// object.
    package func fault(below number: Int, in text: Span<UInt8>) -> JSONError? {
        let whole = nodes[number]
        if let tooDeepOffset, whole.range.contains(tooDeepOffset) {
            return JSONError(reason: .tooDeep(limit: maximumDepth), offset: tooDeepOffset)
        }
        for number in number..<whole.next {
            let node = nodes[number]
            if node.isBroken {
                var bytes: [UInt8] = []
                let offset = unescape(text.extracting(node.range), into: &bytes) ?? 0
                return JSONError(reason: .loneSurrogate, offset: node.range.lowerBound + offset)
            }
            if node.kind == .object, let name = repeatedName(in: number, of: text) {
                return JSONError(reason: .repeatedName, offset: nodes[name].range.lowerBound - 1)
            }
        }
        return nil
    }

    /// The first name of an object that was there before.
    package func repeatedName(in object: Int, of text: Span<UInt8>) -> Int? {
        let first = object + 1
        let end = nodes[object].next
        guard first < end, nodes[first + 1].next < end else { return nil }
        // As bytes: strings with the same look are equal although their texts differ.
        var names: Set<[UInt8]> = []
        var member = first
        while member < end {
            guard names.insert(string(member, in: text)).inserted else { return member }
            member = nodes[member + 1].next
        }
        return nil
    }

    /// A value, and all that is within it.
    ///
    /// ``fault(below:in:)`` has to have been asked before: this calls itself for each level of depth.
    package func value(_ number: Int, in text: Span<UInt8>) -> JSONValue {
        let node = nodes[number]
        switch node.kind {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .number: return .number(JSONNumber(checked: String(copying: text.extracting(node.range))))
        case .string: return .string(self.text(number, in: text))
        case .array: return .array(elements(of: number, in: text))
        case .object: return .object(members(of: number, in: text))
        }
    }

    private func elements(of list: Int, in text: Span<UInt8>) -> [JSONValue] {
        var elements: [JSONValue] = []
        var element = list + 1
        while element < nodes[list].next {
            elements.append(value(element, in: text))
            element = nodes[element].next
        }
        return elements
    }

    private func members(of object: Int, in text: Span<UInt8>) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        var member = object + 1
        while member < nodes[object].next {
            members.append(JSONValue.Member(self.text(member, in: text), value(member + 1, in: text)))
            member = nodes[member + 1].next
        }
        return members
    }
}
