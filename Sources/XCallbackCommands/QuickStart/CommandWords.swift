/// The words after the name of a command on the command line, if they have the usual forms.
///
/// The result is the same as ArgumentParser's, or none: unusual and invalid words are left to ArgumentParser. Its reflection
/// over the options of a command takes longer than the daemon takes to answer.
struct CommandWords {
    /// The names of the options of a command, without their dashes.
    struct Names {
        /// Options without a value.
        var flags: [String] = []
        /// Options with a value.
        var values: [String] = []
        /// Options with a value that can be repeated.
        var lists: [String] = []
        /// The option that takes all following words; nil if none.
        var rest: String?

        /// Returns the union of two groups of options.
        static func + (left: Names, right: Names) -> Names {
            Names(
                flags: left.flags + right.flags, values: left.values + right.values, lists: left.lists + right.lists,
                rest: left.rest ?? right.rest)
        }
    }

    /// The words that are neither options nor option values.
    private(set) var arguments: [String] = []
    /// The words after the option that takes all following words.
    private(set) var rest: [String] = []
    private var flags: [String] = []
    private var values: [(name: String, value: String)] = []

    /// Parses words; nil for an unknown option, a repeated one that must not be repeated, or one without its value.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - names: The valid options.
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
            // ArgumentParser treats an empty value after the sign as a missing one.
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

    /// Whether an option without a value is given.
    func has(_ name: String) -> Bool { flags.contains(name) }

    /// Returns the value of an option; nil if it is not given.
    func value(of name: String) -> String? { values.first { $0.name == name }?.value }

    /// Returns the values of an option that can be repeated.
    func values(of name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }
}
