/// The members of a message; null members count as missing, after the check for repeated members.
struct MessageHeader {
    /// A member of the protocol: first those of replies, last those of calls.
    enum Member: Int {
        case error, `continues`, parameters, method, more, oneway, upgrade

        static let ofReplies = Member.error.rawValue...Member.parameters.rawValue
        static let ofCalls = Member.parameters.rawValue...Member.upgrade.rawValue

        /// The names, in the order of the cases.
        static let names: InlineArray<7, StaticString> = [
            "error", "continues", "parameters", "method", "more", "oneway", "upgrade",
        ]
    }

    /// The index of each member's value; 0, the message itself, if the member is missing.
    private var numbers: InlineArray<7, Int> = .init(repeating: 0)

    /// Finds the members of a message.
    ///
    /// - Parameters:
    ///   - layout: The layout of the message.
    ///   - text: The message.
    ///   - allowed: The allowed members, in addition to extensions.
    /// - Throws: ``VarlinkFault`` if the message is not an object with such members.
    @inline(__always)
    init(_ layout: JSONLayout, in text: Span<UInt8>, _ allowed: ClosedRange<Int>) throws(VarlinkFault) {
        guard layout[0].kind == .object else { throw .notAnObject }
        var seen = 0
        var hasOthers = false
        var name = 1
        while name < layout[0].next {
            if let member = Self.member(named: name, of: layout, in: text, allowed) {
                guard seen & 1 &<< member == 0 else { throw .repeatedMember(layout.text(name, in: text)) }
                seen |= 1 &<< member
                if layout[name + 1].kind != .null { numbers[member] = name + 1 }
            } else {
                try Self.checkOther(name, of: layout, in: text)
                hasOthers = true
            }
            name = layout[name + 1].next
        }
        if hasOthers { try Self.checkRepetition(of: layout, in: text) }
    }

    /// Checks an unknown member: its name must be a string, and it must be null or have the name of an extension, which
    /// contains a domain.
    @inline(never)
    private static func checkOther(_ number: Int, of layout: JSONLayout, in text: Span<UInt8>) throws(VarlinkFault) {
        let name = layout.text(number, in: text)
        let mayBeThere = layout[number + 1].kind == .null || name.utf8.contains(UInt8(ascii: "."))
        guard mayBeThere, !layout[number].isBroken else { throw .unknownMember(name) }
    }

    /// Checks that no member is repeated, whatever its value.
    @inline(never)
    private static func checkRepetition(of layout: JSONLayout, in text: Span<UInt8>) throws(VarlinkFault) {
        if let name = layout.repeatedName(in: 0, of: text) { throw .repeatedMember(layout.text(name, in: text)) }
    }

    /// Returns the index of a member's value; nil if it is null or missing.
    @inline(__always)
    subscript(member: Member) -> Int? {
        numbers[member.rawValue] > 0 ? numbers[member.rawValue] : nil
    }

    /// Whether a member is true; false if it is missing.
    ///
    /// - Throws: ``VarlinkFault`` if the value is not a Boolean.
    @inline(__always)
    func isTrue(_ member: Member, in layout: JSONLayout) throws(VarlinkFault) -> Bool {
        guard let number = self[member] else { return false }
        switch layout[number].kind {
        case .true: return true
        case .false: return false
        default: throw .badMember("\(Member.names[member.rawValue])")
        }
    }

    /// Returns the member with a name, if it is allowed.
    @inline(__always)
    private static func member(
        named number: Int, of layout: JSONLayout, in text: Span<UInt8>, _ allowed: ClosedRange<Int>
    ) -> Int? {
        for member in allowed where layout.isText(number, Member.names[member], in: text) { return member }
        return nil
    }
}
