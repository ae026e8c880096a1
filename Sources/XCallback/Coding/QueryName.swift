/// Item names of nested values: the keys on the path to the value, separated by full stops.
///
/// A full stop or a backslash in a key is escaped with a backslash.
enum QueryName {
    /// Returns a key in the form used in a name.
    static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") }) else { return key }
        var result = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            if scalar == "." || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// Returns the keys of a name.
    static func keys(of name: String) -> [String] {
        var keys = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in name.unicodeScalars {
            if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            if scalar == ".", !isEscaped {
                keys.append(String.UnicodeScalarView())
            } else {
                keys[keys.count - 1].append(scalar)
            }
            isEscaped = false
        }
        return keys.map { String($0) }
    }
}
