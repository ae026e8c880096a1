extension Node {
    /// Feeds what the value says to a hash, without its place.
    package func hashContent(into hasher: inout Hasher) {
        document.values.hash(index, into: &hasher)
    }

    /// Whether two values say the same, wherever they stand.
    package func saysTheSame(as other: Node) -> Bool {
        isIdentical(to: other) || document.values.saysTheSame(index, as: other.index, of: other.document.values)
    }
}

extension Node {
    /// A hash of what the members of a mapping say, in whatever order; 0 if it is none.
    ///
    /// - Parameter keys: Those that do not count.
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

// Items, and keys and values in turn, are the parts of a value.
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
        // There are as many parts of both.
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
