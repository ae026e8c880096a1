import XCallbackConfiguration

/// The names of a kind that a configuration holds: each is looked up once.
final class NumberedNames {
    private let lookUp: (String) -> UInt32?
    private var numbers: [[UInt8]: UInt32?] = [:]

    /// Creates an empty list.
    init(_ lookUp: @escaping (String) -> UInt32?) {
        self.lookUp = lookUp
    }

    /// The number of a name; nil if there is none.
    func number(of name: String) -> UInt32? {
        let key = Array(name.utf8)
        if let known = numbers[key] { return known }
        let number = lookUp(name)
        numbers.updateValue(number, forKey: key)
        return number
    }
}

/// What was likely meant by a name that no user or group has: several in one text, or a word in another spelling.
func userOrGroupHint(_ name: String, words: [String] = []) -> String {
    let names = name.split { $0 == "," || $0 == " " || $0 == ";" }
    return names.count > 1 ? "; write a list, [\(names.joined(separator: ", "))]" : name.suggestion(among: words)
}

/// The number of a user or a group that is written as one; nil if it is none.
func userOrGroupNumber(_ text: String) -> UInt32? {
    guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    // The highest number stands for nobody (setuid(2), setgid(2)).
    return UInt32(text).flatMap { $0 == .max ? nil : $0 }
}
