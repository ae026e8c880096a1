/// The members of a mapping that is being read.
struct MemberList {
    /// The number of members.
    private(set) var count = 0
    private let mapping: Int
    /// The keys by text, once there are too many for a linear search.
    private var keys: [[UInt8]: Int] = [:]
    private static let fewMembers = 8
    private static let mergeText = Array("<<".utf8)
    private var mergeKey: Int?
    private var mergedValue = 0

    /// Creates the list of a mapping that starts at an index.
    init(of mapping: Int) {
        self.mapping = mapping
    }

    /// Adds the key and value that were read last, or reports why the key is not allowed.
    mutating func add(_ key: Int, _ value: Int, to values: inout ValueList, _ faults: FaultList) {
        let text = values.resolved(key)
        let kind = values.values[text].kind
        guard kind == .quoted || kind == .plain && values.values[text].count > 0 else {
            values.leaveOut(key)
            return faults.report("expected text as a key, found \(values.found(text))", at: values.place(of: text))
        }
        let isMerge = kind == .plain && values.isText(Self.mergeText.span, of: text)
        if let first = isMerge ? mergeKey : self.key(like: text, before: key, in: values) {
            values.leaveOut(key)
            faults.report(
                "key \(values.text(of: text).quoted) is given twice", at: values.place(of: text),
                other: .init("the first is", at: values.place(of: first)))
        } else if isMerge {
            values.leaveOut(key)
            mergeKey = text
            mergedValue = value
        } else {
            note(key, in: values)
        }
    }

    /// Adds the members of the values after `<<`, unless the mapping has their keys itself.
    mutating func merge(in values: inout ValueList, _ faults: FaultList) {
        guard mergeKey != nil else { return }
        let merged = values.resolved(mergedValue)
        guard values.values[merged].kind == .sequence else { return merge(merged, in: &values, faults) }
        var item = merged + 1
        let end = values.index(after: merged)
        while item < end {
            merge(values.resolved(item), in: &values, faults)
            item = values.index(after: item)
        }
    }

    private mutating func merge(_ other: Int, in values: inout ValueList, _ faults: FaultList) {
        guard values.values[other].kind == .mapping else {
            return faults.report(
                "expected a mapping to merge, found \(values.found(other))", at: values.place(of: other))
        }
        let end = values.index(after: other)
        var key = values.key(from: other + 1, before: end)
        while key < end {
            let value = values.index(after: key)
            if self.key(like: values.resolved(key), before: values.endIndex, in: values) == nil {
                let new = values.append(aliasOf: values.resolved(key))
                _ = values.append(aliasOf: values.resolved(value))
                note(new, in: values)
            }
            key = values.key(after: key, before: end)
        }
    }

    /// Returns the key of a member with the same text as another key.
    private func key(like other: Int, before end: Int, in values: ValueList) -> Int? {
        if count > Self.fewMembers { return keys[Array(values.texts[values.textRange(of: other)])] }
        let text = values.texts.span.extracting(values.textRange(of: other))
        var key = values.key(from: mapping + 1, before: end)
        while key < end {
            if values.isText(text, of: values.resolved(key)) { return values.resolved(key) }
            key = values.key(after: key, before: end)
        }
        return nil
    }

    /// Counts a member.
    private mutating func note(_ key: Int, in values: ValueList) {
        count += 1
        guard count > Self.fewMembers else { return }
        var first = keys.isEmpty ? values.key(from: mapping + 1, before: key) : key
        while first <= key {
            let text = values.resolved(first)
            keys[Array(values.texts[values.textRange(of: text)])] = text
            first = values.key(after: first, before: key + 1)
        }
    }
}
