import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Accepts the requests of some users; `self` is the user of the daemon.
///
/// Names are looked up when the configuration is loaded, because the lookup can block.
struct UserPolicy: Policy, ConfiguredStage {
    private let userIDs: [UInt32]
    /// The users as written in the configuration.
    private let names: [String]

    var facts: StageFacts {
        StageFacts {
            $0.usesParameters = false
            $0.checksOnlyClient = true
            $0.checksOnlyUser = true
        }
    }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a user, or a list of users"), let names = node.strings(source.faults)
        else { return nil }
        self.names = names
        userIDs = names.compactMap { name in
            let userID = Self.userID(named: name, source)
            if userID == nil {
                source.faults.report(
                    "unknown user \(name.quoted): expected 'self', a name or a number"
                        + userOrGroupHint(name, words: ["self"]), at: node.place)
            }
            return userID
        }
        if names.isEmpty { source.faults.report("expected at least one user", at: node.place) }
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> PolicyResult {
        userIDs.contains(request.peer.userID)
            ? .verified : .failed(.refusal(by: "user", "the user is not allowed"))
    }

    private static func userID(named name: String, _ source: StageSource) -> UInt32? {
        if name == "self" { return source.surroundings.ownUserID }
        return userOrGroupNumber(name) ?? source.surroundings.users.number(of: name)
    }

    func plan(for request: Request) -> StagePlan { StagePlan("only \(names.alternatives)", isPrivate: true) }
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

/// Returns the likely meaning of an unknown user or group name: several names in one text, or a word in another
/// spelling.
func userOrGroupHint(_ name: String, words: [String] = []) -> String {
    let names = name.split { $0 == "," || $0 == " " || $0 == ";" }
    return names.count > 1 ? "; write a list, [\(names.joined(separator: ", "))]" : name.suggestion(among: words)
}

/// Returns the number of a user or a group in a text; nil if the text is not a number.
func userOrGroupNumber(_ text: String) -> UInt32? {
    guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    // The highest number means that there is no user (setuid(2), setgid(2)).
    return UInt32(text).flatMap { $0 == .max ? nil : $0 }
}
