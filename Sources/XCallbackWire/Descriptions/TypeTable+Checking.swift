extension TypeTable {
    /// Returns the path of the first value that does not match a type, such as `items.name`.
    ///
    /// - Parameters:
    ///   - number: The index of the value.
    ///   - type: The index of the type.
    ///   - layout: The layout of the message.
    ///   - text: The message.
    /// - Returns: The path, which is empty for the value itself; nil if the value matches.
    func mismatch(of number: Int, with type: Int, in layout: JSONLayout, _ text: Span<UInt8>) -> String? {
        let node = layout[number]
        var type = type
        while true {
            switch shapes[type] {
            case .optional(let other):
                if node.kind == .null { return nil }
                type = other
            case .named(let other): type = other
            case .bool: return node.kind == .true || node.kind == .false ? nil : ""
            case .int: return node.kind == .number && isWhole(text.extracting(node.range)) ? nil : ""
            case .float: return node.kind == .number && isFinite(text.extracting(node.range)) ? nil : ""
            case .string: return node.kind == .string && !node.isBroken ? nil : ""
            case .object: return node.kind == .object && layout.fault(below: number, in: text) == nil ? nil : ""
            case .any: return node.kind != .null && layout.fault(below: number, in: text) == nil ? nil : ""
            case .array(let type): return mismatch(ofList: number, with: type, in: layout, text)
            case .map(let type): return mismatch(ofMap: number, with: type, in: layout, text)
            case .structure(let fields): return mismatch(ofStructure: number, with: fields, in: layout, text)
            case .enumeration(let choices):
                let isChoice = node.kind == .string && names.position(of: number, in: choices, layout, text) != nil
                return isChoice ? nil : ""
            }
        }
    }

    /// Returns the first required field of a structure.
    func firstRequired(of type: Int) -> String? {
        guard case .structure(let range) = shapes[type] else { return nil }
        return range.first { !fields[$0].isOptional }.map { names[$0] }
    }

    private func mismatch(
        ofList list: Int, with type: Int, in layout: JSONLayout, _ text: Span<UInt8>
    ) -> String? {
        guard layout[list].kind == .array else { return "" }
        var element = list + 1
        var index = 0
        while element < layout[list].next {
            if let path = mismatch(of: element, with: type, in: layout, text) { return join("\(index)", path) }
            element = layout[element].next
            index += 1
        }
        return nil
    }

    /// A null member counts as missing.
    private func mismatch(
        ofMap map: Int, with type: Int, in layout: JSONLayout, _ text: Span<UInt8>
    ) -> String? {
        guard layout[map].kind == .object else { return "" }
        var member = map + 1
        while member < layout[map].next {
            if layout[member].isBroken { return "" }
            if layout[member + 1].kind == .null {
                member = layout[member + 1].next
                continue
            }
            if let path = mismatch(of: member + 1, with: type, in: layout, text) {
                return join(layout.text(member, in: text), path)
            }
            member = layout[member + 1].next
        }
        return layout.repeatedName(in: map, of: text).map { layout.text($0, in: text) }
    }

    /// A null member counts as missing, whether or not it is declared, unless it is repeated.
    private func mismatch(
        ofStructure structure: Int, with range: Range<Int>, in layout: JSONLayout, _ text: Span<UInt8>
    ) -> String? {
        guard layout[structure].kind == .object else { return "" }
        var isFound = FieldSet()
        var count = 0
        var hasOthers = false
        var member = structure + 1
        while member < layout[structure].next {
            let found = field(named: member, in: range, after: count, layout, text)
            if found == nil, layout[member + 1].kind == .null, !layout[member].isBroken {
                hasOthers = true
                member = layout[member + 1].next
                continue
            }
            guard let field = found, isFound.insert(field - range.lowerBound) else {
                return layout.text(member, in: text)
            }
            if let path = mismatch(of: member + 1, with: fields[field].type, in: layout, text) {
                return join(names[field], path)
            }
            count += 1
            member = layout[member + 1].next
        }
        if hasOthers, let name = layout.repeatedName(in: structure, of: text) { return layout.text(name, in: text) }
        guard count < range.count else { return nil }
        for field in range where !fields[field].isOptional && !isFound.contains(field - range.lowerBound) {
            return names[field]
        }
        return nil
    }

    /// Returns the field of a structure with a name; fields in the declared order are found at once.
    private func field(
        named name: Int, in range: Range<Int>, after count: Int, _ layout: JSONLayout, _ text: Span<UInt8>
    ) -> Int? {
        let next = range.lowerBound + count
        if next < range.upperBound, names.isName(next, name, layout, text) { return next }
        return names.position(of: name, in: range, layout, text)
    }
}

/// The fields of a structure that are present.
private struct FieldSet {
    private var first: UInt64 = 0
    /// The fields from the 64th on, which few structures have.
    private var others: Set<Int> = []

    func contains(_ position: Int) -> Bool {
        position < 64 ? first & 1 << position != 0 : others.contains(position)
    }

    /// Adds a field; returns false if it is already present.
    @inline(__always)
    mutating func insert(_ position: Int) -> Bool {
        if position >= 64 { return others.insert(position).inserted }
        defer { first |= 1 << position }
        return first & 1 << position == 0
    }
}

private func join(_ name: String, _ path: String) -> String {
    path.isEmpty ? name : "\(name).\(path)"
}

/// Whether a number has no fraction or exponent, and fits 64 bits, signed or unsigned.
private func isWhole(_ text: Span<UInt8>) -> Bool {
    let isNegative = text[0] == UInt8(ascii: "-")
    var value: UInt64 = 0
    for index in (isNegative ? 1 : 0)..<text.count {
        let digit = text[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return false }
        let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, sumOverflow) = product.addingReportingOverflow(UInt64(digit))
        if productOverflow || sumOverflow { return false }
        value = sum
    }
    return !isNegative || value <= UInt64(1) << 63
}

/// Whether a number is within the range of 64-bit floating point.
private func isFinite(_ text: Span<UInt8>) -> Bool {
    let text = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    return Double(text)?.isFinite ?? false
}
