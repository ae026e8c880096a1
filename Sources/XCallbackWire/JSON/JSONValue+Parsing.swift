extension JSONValue {
    /// The default maximum nesting depth of lists and objects.
    package static let defaultDepth = 64

    /// Parses a JSON text.
    ///
    /// A byte order mark is rejected, as are repeated names in an object and surrogates without a partner.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; blanks around the value are allowed.
    ///   - maximumSize: The maximum number of bytes.
    ///   - maximumDepth: The maximum nesting depth of lists and objects.
    /// - Throws: ``JSONError`` for the fault.
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
    /// Returns the fault of a value or a nested value that cannot be a ``JSONValue``.
    ///
    /// Such faults are a list or an object that is nested too deeply, a surrogate without a partner, and a repeated name in
    /// an object.
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

    /// Returns the first repeated name of an object.
    package func repeatedName(in object: Int, of text: Span<UInt8>) -> Int? {
        let first = object + 1
        let end = nodes[object].next
        guard first < end, nodes[first + 1].next < end else { return nil }
        // By bytes: canonically equivalent strings are equal although their texts differ.
        var names: Set<[UInt8]> = []
        var member = first
        while member < end {
            guard names.insert(string(member, in: text)).inserted else { return member }
            member = nodes[member + 1].next
        }
        return nil
    }

    /// Returns a value with all nested values.
    ///
    /// The caller must check ``fault(below:in:)`` before: this function recurses for each level of depth.
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
