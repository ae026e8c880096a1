import CLinux
import Glibc
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// What outlives the daemon of a call of another application: no URL, and nothing that lets somebody else end it.
struct CallRecord: Sendable {
    /// How many bytes a record may have: an answer comes as a URL, and control characters take most room in JSON.
    static let limit = 1_048_576

    /// The mark of the token in its return URLs; it names the record.
    let mark: String
    /// The mark of what its caller comes back with.
    let secretMark: String
    /// Who has called.
    let userID: UInt32
    /// When its time is over, since 1970: the caller, too, only knows clocks that go on while the daemon does not.
    let deadline: Duration
    /// What the application has said, if its answer came while the caller was away.
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

    /// Reads a record; nil if it is none.
    ///
    /// - Parameters:
    ///   - mark: Its name.
    ///   - bytes: Its text.
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
    /// The response as a record holds it.
    fileprivate var json: JSONValue {
        switch self {
        case .success(let items):
            let pairs: [JSONValue] = items.map { .array([.string($0.name), $0.value.map { .string($0) } ?? .null]) }
            return ["items": .array(pairs)]
        case .error(let error): return ["code": .whole(error.code.rawValue), "message": .string(error.message)]
        // An application does not redirect.
        case .cancel, .redirect: return [:]
        }
    }

    /// Reads what a record holds; nil if it is none.
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
