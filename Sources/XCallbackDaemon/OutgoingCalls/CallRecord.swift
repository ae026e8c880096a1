import CLinux
import Glibc
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// The part of an outgoing call that outlives the daemon: no URL, and nothing that lets another process end the call.
struct CallRecord: Sendable {
    /// The maximum size of a record, in bytes: an answer arrives as a URL, and control characters use the most room in JSON.
    static let limit = 1_048_576

    /// The mark of the token in the call's return URLs; it names the record.
    let mark: String
    /// The mark of the secret with which the caller resumes the call.
    let secretMark: String
    /// The user who made the call.
    let userID: UInt32
    /// When the call expires, since 1970: like the caller's, this clock continues while the daemon is down.
    let deadline: Duration
    /// The application's answer, if it arrived while the caller was away.
    var answer: Response?
}

extension CallRecord {
    /// The record as text.
    var bytes: [UInt8] {
        let value: JSONValue = [
            "uid": .whole(Int(userID)), "deadline": .whole(Int(deadline / .milliseconds(1))),
            "secret": .string(secretMark), "answer": answer?.json ?? .null,
        ]
        return value.bytes
    }

    /// Reads a record; nil if the text is invalid.
    ///
    /// - Parameters:
    ///   - mark: The name of the record.
    ///   - bytes: The text of the record.
    init?(_ mark: String, reading bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes.span, maximumSize: Self.limit),
            let userID = value["uid"]?.integer.flatMap(UInt32.init(exactly:)),
            let deadline = value["deadline"]?.integer, let secretMark = value["secret"]?.text,
            let answer = value["answer"]
        else { return nil }
        self.init(
            mark: mark, secretMark: secretMark, userID: userID, deadline: .milliseconds(deadline),
            answer: Response(record: answer))
        if answer != .null, self.answer == nil { return nil }
    }
}

extension Response {
    /// The response in the format of a record.
    fileprivate var json: JSONValue {
        switch self {
        case .success(let items):
            let pairs: [JSONValue] = items.map { .array([.string($0.name), $0.value.map { .string($0) } ?? .null]) }
            return ["items": .array(pairs)]
        case .error(let error): return ["code": .whole(error.code.rawValue), "message": .string(error.message)]
        // An application cannot redirect.
        case .cancel, .redirect: return [:]
        }
    }

    /// Reads a response from a record; nil if it is invalid.
    fileprivate init?(record value: JSONValue) {
        guard case .object = value else { return nil }
        if let pairs = value["items"]?.elements {
            var items = QueryItems()
            for pair in pairs {
                guard let parts = pair.elements, parts.count == 2, let name = parts[0].text else { return nil }
                items.append(name, parts[1].text)
            }
            self = .success(items)
        } else if let code = value["code"]?.integer {
            self = .error(CallbackError(CallbackError.Code(rawValue: code), value["message"]?.text ?? ""))
        } else {
            self = .cancel
        }
    }
}
