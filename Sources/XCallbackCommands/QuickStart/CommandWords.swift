/// The words of a command line behind the name of a command, as far as they are of the usual forms.
///
/// It says the same of them as ArgumentParser, or nothing: what is unusual, or wrong, is left to that. Finding out by
/// reflection which options a command has takes ArgumentParser longer than the daemon takes to answer.
struct CommandWords {
    /// The names of the options that a command takes, without their dashes.
    struct Names {
        /// Those without a value.
        var flags: [String] = []
        /// Those with a value.
        var values: [String] = []
        /// Those with a value that can be repeated.
        var lists: [String] = []
        /// The one that takes all words that follow; nil if there is none.
        var rest: String?

        /// The names of two groups of options together.
        static func + (left: Names, right: Names) -> Names {
            Names(
                flags: left.flags + right.flags, values: left.values + right.values, lists: left.lists + right.lists,
                rest: left.rest ?? right.rest)
        }
    }

    /// The words that are neither options nor their values.
    private(set) var arguments: [String] = []
    /// The words behind the option that takes all that follow.
    private(set) var rest: [String] = []
    private var flags: [String] = []
    private var values: [(name: String, value: String)] = []

    /// Reads words; nil if one is of another form: an option that is not known, is repeated although it may not be, or
    /// lacks its value.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - names: The options that there are.
    init?(_ words: ArraySlice<String>, names: Names) {
        var words = words
        while let word = words.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-") else {
                arguments.append(word)
                continue
            }
            guard word.utf8.dropFirst().first == UInt8(ascii: "-") else { return nil }
            let option = word.utf8.dropFirst(2)
            if option.isEmpty {
                arguments += words
                return
            }
            let end = option.firstIndex(of: UInt8(ascii: "="))
            let name = String(Substring(option[..<(end ?? option.endIndex)]))
            // An empty value behind the sign counts for none in ArgumentParser.
            if let end, option.index(after: end) == option.endIndex { return nil }
            var value = end.map { String(Substring(option[option.index(after: $0)...])) }
            if names.flags.contains(name) {
                guard value == nil, !flags.contains(name) else { return nil }
                flags.append(name)
            } else if name == names.rest {
                guard value == nil, !words.isEmpty else { return nil }
                rest = Array(words)
                return
            } else {
                let isList = names.lists.contains(name)
                guard isList || names.values.contains(name) && self.value(of: name) == nil else { return nil }
                if value == nil, words.first?.utf8.first != UInt8(ascii: "-") { value = words.popFirst() }
                guard let value else { return nil }
                values.append((name, value))
            }
        }
    }

    /// Whether an option without a value is there.
    func has(_ name: String) -> Bool { flags.contains(name) }

    /// The value of an option; nil if it is not there.
    func value(of name: String) -> String? { values.first { $0.name == name }?.value }

    /// The values of an option that can be repeated.
    func values(of name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }
}
