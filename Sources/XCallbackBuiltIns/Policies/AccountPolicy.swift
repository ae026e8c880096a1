import XCallbackConfiguration
import XCallbackRouter
import XCallbackURL

/// Accepts the requests of some users, or of the members of some groups: `user: self`, `group: admins`, or a list.
///
/// `self` is the user of the daemon. A peer's groups are those at the time of its connection. Names are looked up when
/// the configuration is loaded, because the lookup can block.
struct AccountPolicy: ImmediatePolicy, ConfiguredStage {
    private let isOfGroups: Bool
    private let numbers: [UInt32]
    /// The users or groups as written in the configuration.
    private let names: [String]

    var facts: StageFacts { .ofUser }

    init?(_ source: StageSource) {
        let kind = source.name
        guard let names = source.names("a \(kind), or a list of \(kind)s", atLeastOne: kind) else { return nil }
        let context = source.context
        self.names = names
        isOfGroups = kind == "group"
        numbers =
            isOfGroups
            ? source.numbers(of: names, kind, context.groups)
            : source.numbers(of: names, kind, context.users, itself: context.ownUserID)
    }

    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult {
        let peer = request.peer
        if numbers.contains(isOfGroups ? peer.groupID : peer.userID) { return .verified }
        guard isOfGroups else { return .failed(.refusal(by: "user", "the user is not allowed")) }
        guard let others = host.groups(of: peer) else {
            return .failed(.refusal(by: "group", "the groups of the client are unknown, or more than 1024"))
        }
        if others.contains(where: numbers.contains) { return .verified }
        return .failed(.refusal(by: "group", "the user is not in an allowed group"))
    }

    func plan(for request: Request) -> StagePlan {
        StagePlan("only \(isOfGroups ? "members of " : "")\(names.alternatives)")
    }
}

extension StageFacts {
    /// The facts about a policy that checks only the user.
    static let ofUser = StageFacts {
        $0.usesParameters = false
        $0.checksOnlyClient = true
        $0.passesWebPages = true
    }
}

/// The names of one kind in a configuration, each of which is looked up once.
final class NumberedNames {
    private let lookUp: (String) -> UInt32?
    private var numbers: [[UInt8]: UInt32?] = [:]

    /// Creates an empty list.
    init(_ lookUp: @escaping (String) -> UInt32?) {
        self.lookUp = lookUp
    }

    /// Returns the number of a name; nil if the name is unknown.
    func number(of name: String) -> UInt32? {
        let key = Array(name.utf8)
        if let known = numbers[key] { return known }
        let number = lookUp(name)
        numbers.updateValue(number, forKey: key)
        return number
    }
}

extension StageSource {
    /// Converts names of users or groups to their numbers; reports unknown ones.
    ///
    /// - Parameters:
    ///   - names: The names and numbers.
    ///   - what: `user` or `group`.
    ///   - known: The names that the system knows.
    ///   - itself: The number of `self`; nil if that is not a name.
    /// - Returns: The numbers.
    func numbers(of names: [String], _ what: String, _ known: NumberedNames, itself: UInt32? = nil) -> [UInt32] {
        let words = itself == nil ? [] : ["self"]
        return names.compactMap { name in
            if let itself, name == "self" { return itself }
            if let number = userOrGroupNumber(name) ?? known.number(of: name) { return number }
            let list = name.split { $0 == "," || $0 == " " || $0 == ";" }
            let hint =
                list.count > 1 ? "; write a list, [\(list.joined(separator: ", "))]" : name.suggestion(among: words)
            let expected = words.map { "\($0.quoted), " }.joined() + "a name or a number"
            faults.report("unknown \(what) \(name.quoted): expected \(expected)\(hint)", at: valuePlace)
            return nil
        }
    }
}

/// Returns the number of a user or a group in a text; nil if the text is not a number.
private func userOrGroupNumber(_ text: String) -> UInt32? {
    guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    // The highest number means that there is no user (setuid(2), setgid(2)).
    return UInt32(text).flatMap { $0 == .max ? nil : $0 }
}
