import XCallbackLinux

/// The user against whose limits a resource counts.
package enum Owner: Hashable, Sendable {
    /// The user with this ID.
    case user(UInt32)
    /// All users together that are listed neither in the user database nor in `/etc/subuid`.
    case unlistedUsers
}

/// The users that own ranges of subordinate user IDs (subuid(5)).
///
/// A user namespace gives a login 65,536 user IDs by default; without this table each ID would have limits of its own.
package struct OwnerTable: Sendable {
    /// The first ID that belongs neither to ordinary users nor to system users.
    private static let firstHighID: UInt32 = 65_536
    /// The maximum number of bytes to read from the file.
    private static let sizeLimit = 1 << 20

    private var ranges: [(bounds: Range<UInt64>, user: UInt32)] = []

    /// Reads the ranges from the text of `/etc/subuid`.
    ///
    /// Invalid lines are ignored, and so are lines with unknown names, such as comments. Where ranges overlap, the first line
    /// takes precedence.
    ///
    /// - Parameters:
    ///   - text: Lines of a name or an ID, the first subordinate ID and the number of IDs, separated by colons.
    ///   - userID: Finds the ID of a name; it may block.
    package init(_ text: String, userID: (String) -> UInt32? = UserDatabase.userID(named:)) {
        var names: [Substring: UInt32?] = [:]
        func user(_ field: Substring) -> UInt32? {
            if let number = Self.number(field) { return UInt32(exactly: number) }
            if let user = names[field] { return user }
            let user = field.isEmpty ? nil : userID(String(field))
            names[field] = .some(user)
            return user
        }
        for line in text.split(whereSeparator: \.isNewline) {
            // newuidmap(1) also ignores further fields.
            let fields = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count >= 3, let first = Self.number(fields[1]), first <= UInt32.max,
                let count = Self.number(fields[2]), count > 0, let user = user(fields[0])
            else { continue }
            ranges.append((first..<first + min(count, 1 << 32), user))
        }
    }

    /// Reads the first MiB of a file; it may block.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The table, which is empty if the file cannot be read.
    package static func read(_ path: String = "/etc/subuid") -> OwnerTable {
        guard let bytes = try? SmallFile(path, atMost: sizeLimit).bytes else { return OwnerTable("") }
        // The last line may be incomplete.
        let end = bytes.count < sizeLimit ? bytes.count : bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
        return OwnerTable(String(decoding: bytes[..<end], as: UTF8.self))
    }

    /// Returns the owner of the resources that a user uses.
    ///
    /// An ID below 65,536 is its own owner: ranges of root may contain such IDs, to map real users into containers. If it
    /// is in the range of another user, it is its own owner only if it is known. Higher IDs belong to the user whose range
    /// contains them. Unknown users in ranges of root are those of its containers, and do not count as root.
    ///
    /// - Parameters:
    ///   - userID: The ID of the user.
    ///   - isKnown: Whether the user database lists an ID; not called for IDs that every login has by default.
    /// - Returns: The owner.
    package func owner(of userID: UInt32, isKnown: (UInt32) -> Bool) -> Owner {
        let rangeOwner = ranges.first { $0.bounds.contains(UInt64(userID)) }?.user
        let isHigh = userID >= Self.firstHighID
        switch rangeOwner {
        case nil, 0: if !isHigh { return .user(userID) }
        case let user?: if isHigh { return .user(user) }
        }
        if isKnown(userID) { return .user(userID) }
        guard let rangeOwner, rangeOwner != 0 else { return .unlistedUsers }
        return .user(rangeOwner)
    }

    /// Parses a decimal number.
    private static func number(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt64(text) : nil
    }
}
