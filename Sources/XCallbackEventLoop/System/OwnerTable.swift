import Glibc
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
    /// The maximum numbers of bytes to read from the file and of names to look up: each look-up may query a server.
    private static let (sizeLimit, nameLimit) = (1 << 20, 4096)

    /// The first ID of each interval, in ascending order from 0.
    private let starts: [UInt64]
    /// The user that owns each interval.
    private let users: [UInt32?]

    /// Reads the ranges from the text of `/etc/subuid`.
    ///
    /// Invalid lines are ignored, and so are lines with unknown names, such as comments. Where ranges overlap, the first line
    /// takes precedence. Complexity: O(n log n), where n is the length of the text.
    ///
    /// - Parameters:
    ///   - text: Lines of a name or an ID, the first subordinate ID and the number of IDs, separated by colons.
    ///   - userID: Finds the ID of a name; it may block.
    package init(_ text: String, userID: (String) -> UInt32? = UserDatabase.userID(named:)) {
        let ranges = Self.ranges(in: text, userID: userID)
        let starts = Self.sorted([0] + ranges.flatMap { [$0.bounds.lowerBound, $0.bounds.upperBound] })
        var users = [UInt32?](repeating: nil, count: starts.count)
        // Maps each interval to the next one without an owner, skipping those that earlier lines own.
        var free = Array(0...starts.count)
        func nextFree(_ index: Int) -> Int {
            var index = index
            while free[index] != index {
                free[index] = free[free[index]]
                index = free[index]
            }
            return index
        }
        for (bounds, user) in ranges {
            var index = nextFree(Self.index(of: bounds.lowerBound, in: starts))
            while index < starts.count, starts[index] < bounds.upperBound {
                users[index] = user
                free[index] = index + 1
                index = nextFree(index)
            }
        }
        self.starts = starts
        self.users = users
    }

    /// Reads the first MiB of a file; it may block.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The table, which is empty if the file cannot be read.
    package static func read(_ path: String = "/etc/subuid") -> OwnerTable {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return OwnerTable("") }
        let file = Descriptor(number)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < sizeLimit {
            let count = Glibc.read(file.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return OwnerTable("") }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
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
    /// - Returns: The owner. Complexity: logarithmic in the number of ranges.
    package func owner(of userID: UInt32, isKnown: (UInt32) -> Bool) -> Owner {
        let rangeOwner = users[Self.index(of: UInt64(userID), in: starts)]
        let isHigh = userID >= Self.firstHighID
        switch rangeOwner {
        case nil, 0: if !isHigh { return .user(userID) }
        case let user?: if isHigh { return .user(user) }
        }
        if isKnown(userID) { return .user(userID) }
        guard let rangeOwner, rangeOwner != 0 else { return .unlistedUsers }
        return .user(rangeOwner)
    }

    /// Returns the ranges of all valid lines, in order.
    private static func ranges(
        in text: String, userID: (String) -> UInt32?
    ) -> [(bounds: Range<UInt64>, user: UInt32)] {
        var names: [Substring: UInt32?] = [:]
        func user(_ field: Substring) -> UInt32? {
            if let number = number(field) { return UInt32(exactly: number) }
            if let user = names[field] { return user }
            guard !field.isEmpty, names.count < nameLimit else { return nil }
            let user = userID(String(field))
            names[field] = .some(user)
            return user
        }
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            // newuidmap(1) also ignores further fields.
            let fields = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count >= 3, let first = number(fields[1]), first <= UInt32.max,
                let count = number(fields[2]), count > 0, let user = user(fields[0])
            else { return nil }
            return (first..<first + min(count, 1 << 32), user)
        }
    }

    /// Parses a decimal number.
    private static func number(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt64(text) : nil
    }

    /// Returns the numbers in ascending order without duplicates.
    private static func sorted(_ numbers: [UInt64]) -> [UInt64] {
        numbers.sorted().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// Returns the index of the interval that contains a number.
    private static func index(of number: UInt64, in starts: [UInt64]) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= number { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
