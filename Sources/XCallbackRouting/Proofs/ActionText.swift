/// The validity of actions, and their text for people.
enum ActionText {
    /// Whether a UTF-8 segment is valid in an action: not empty, without NUL, neither `.` nor `..`.
    static func isReceived(_ segment: [UInt8]) -> Bool {
        !segment.isEmpty && !segment.contains(0) && segment != [0x2E] && segment != [0x2E, 0x2E]
    }

    /// Returns the text of an action with the necessary bytes percent-encoded, for example `/notes/a%20b`.
    static func text(of segments: [[UInt8]]) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var action = String.UnicodeScalarView()
        for segment in segments {
            action.append("/")
            for byte in segment {
                let scalar = Unicode.Scalar(byte)
                if scalar.isUnescapedInAction {
                    action.append(scalar)
                } else {
                    action.append("%")
                    action.append(digits[Int(byte >> 4)])
                    action.append(digits[Int(byte & 15)])
                }
            }
        }
        return action.isEmpty ? "/" : String(action)
    }
}

extension Unicode.Scalar {
    /// Whether RFC 3986 allows the byte unencoded in a path segment.
    fileprivate var isUnescapedInAction: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", ":", "@": true
        case "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=": true
        default: false
        }
    }
}
