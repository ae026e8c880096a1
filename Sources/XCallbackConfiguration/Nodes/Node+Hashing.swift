extension Node {
    /// Hashes the content of the value, without its place.
    package func hashContent(into hasher: inout Hasher) {
        document.values.hash(index, into: &hasher)
    }

    /// Whether two values have the same content, at any place.
    package func saysTheSame(as other: Node) -> Bool {
        isIdentical(to: other) || document.values.saysTheSame(index, as: other.index, of: other.document.values)
    }
}

extension Node {
    /// Returns a hash of the members of a mapping, in any order; 0 if the value is not a mapping.
    ///
    /// - Parameter keys: The keys to exclude.
    /// - Returns: The hash.
    package func hashOfMembers(except keys: [StaticString]) -> Int {
        guard isMapping else { return 0 }
        let values = document.values
        let end = values.index(after: index)
        var (key, hash) = (values.key(from: index + 1, before: end), 0)
        while key < end {
            let text = values.resolved(key)
            if !keys.contains(where: { $0.withUTF8Buffer { values.isText($0.span, of: text) } }) {
                var hasher = Hasher()
                values.hash(key, into: &hasher)
                values.hash(values.index(after: key), into: &hasher)
                hash ^= hasher.finalize()
            }
            key = values.key(after: key, before: end)
        }
        return hash
    }
}

// The parts of a value are its items, or its alternating keys and values.
extension ValueList {
    fileprivate func hash(_ index: Int, into hasher: inout Hasher) {
        let index = resolved(index)
        let value = values[index]
        hasher.combine(UInt64(value.kind.rawValue) << 32 | UInt64(UInt32(bitPattern: value.count)))
        if value.isSingle {
            return texts.span.extracting(textRange(of: index)).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        var part = key(from: index + 1, before: Int(value.end))
        while part < value.end {
            hash(part, into: &hasher)
            part = key(from: self.index(after: part), before: Int(value.end))
        }
    }

    fileprivate func saysTheSame(_ index: Int, as otherIndex: Int, of other: Self) -> Bool {
        let (index, otherIndex) = (resolved(index), other.resolved(otherIndex))
        let (value, otherValue) = (values[index], other.values[otherIndex])
        guard value.kind == otherValue.kind, value.count == otherValue.count else { return false }
        if value.isSingle { return isText(other.texts.span.extracting(other.textRange(of: otherIndex)), of: index) }
        // Both have the same number of parts.
        var part = key(from: index + 1, before: Int(value.end))
        var otherPart = other.key(from: otherIndex + 1, before: Int(otherValue.end))
        while part < value.end {
            guard saysTheSame(part, as: otherPart, of: other) else { return false }
            part = key(from: self.index(after: part), before: Int(value.end))
            otherPart = other.key(from: other.index(after: otherPart), before: Int(otherValue.end))
        }
        return true
    }
}
