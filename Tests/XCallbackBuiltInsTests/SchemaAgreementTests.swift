import Glibc
import Testing
import XCallbackTesting
import XCallbackWire

/// The schema for editors and the daemon say the same of everything that one key alone decides.
///
/// `Tests/Schema/mutate` changes one key or one value at a time in configurations that are valid. `make nightly` compares
/// more changes than `make test`; `COUNT=all` compares all of them.
@Suite(.timeLimit(.minutes(120)))
struct SchemaAgreementTests {
    /// A change, and what the schema makes of it.
    private struct Change {
        let base: String
        let what: String
        let text: String
        let fault: String?

        init(_ line: Substring) throws {
            let bytes = Array(line.utf8)
            let value = try JSONValue(parsing: bytes.span, maximumSize: bytes.count)
            guard let base = value["base"]?.text, let what = value["what"]?.text, let text = value["text"]?.text else {
                throw TestFailure("no change: \(line)")
            }
            (self.base, self.what, self.text, fault) = (base, what, text, value["fault"]?.text)
        }
    }

    /// What faults say that no schema can know of one key alone, by why it cannot.
    private static let otherFaults: [String: [String]] = [
        "names that other keys, other files or the system must know": [
            "unknown policy", "unknown middleware", "is not listed under 'schemes'", "unknown user",
            "unknown group", "this route has no parameter", "no route answers", "is defined twice",
            "is built in and cannot be defined", "is a definition itself", "expected nothing after", "can be absent",
            "is not declared", "a redirect to this scheme or host is not allowed", "expected the key 'schemes'",
            "expected at least one scheme", "expected a scheme and a pattern", "is listed twice",
            "a parameter cannot be called 'x-", "a parameter cannot be called 'X-", "rejects all URLs of syntax 'text'",
        ],
        "what several keys say of the same": [
            "two routes answer the same URL", "two routes can answer the same URL", "two routes have the name",
            "is greater than", "the default must be", "is not a valid parameter name for assistants",
            "is for enum only", "is for url only",
            "is for lists only", "is for int and number only", "is for string only", "is for string, url and data only",
            "is a wildcard and has many values",
            "nothing reads the output of a detached program",
            "unknown key 'output' in a route", "unknown key 'wait' in a route",
            "unknown key 'detach' in a route", "unknown key 'cancel-status' in a route", "unknown key 'cwd' in a route",
            "unknown key 'env' in a route", "unknown key 'start' in a route", "unknown key 'receivers' in a route",
            "must be the same in all its routes", "would both be", "from 1 to 512,", "does not check receivers",
            "could name any file",
        ],
        "texts with a grammar of their own: patterns, templates, URLs, the arguments of interpreters, charsets": [
            "a pattern must start with", "position ", "which is invisible", "a route has no host",
            "expected a URL such as",
            "runs cannot come from a request", "would run what it reads", "the program cannot come from a request",
            "placeholders are not available", "in a template", "unknown fact", "the set of characters is empty",
            "a set cannot be negated",
            "classes such as", "a '-' is neither", "is reversed", "only marks are escaped", "nothing follows the last",
        ],
        "the bounds of what has a unit": ["expected a duration from", "expected a size from"],
    ]

    @Test func theySayTheSameOfEachChange() throws {
        let (seed, count) = (getenv("SEED").map { String(cString: $0) }, getenv("COUNT").map { String(cString: $0) })
        let (status, output) = try ChildProcess.run(
            ["/usr/bin/python3", "\(packageFolder)/Tests/Schema/mutate", seed ?? "1", count ?? "2000", packageFolder],
            within: .seconds(3600))
        try #require(status == 0, "\(output)")
        var known: [String: Set<String>] = [:]
        var differences: [String] = []
        for line in output.split(separator: "\n") {
            let change = try Change(line)
            let faults = Set(Configured.faults(of: change.text).map(Self.message))
            if change.what.isEmpty {
                // What is wrong on the machine of the test: a user or a secret that is not there.
                known[change.base] = faults
                #expect(change.fault == nil, "\(change.base)")
                continue
            }
            let newFaults = faults.subtracting(known[change.base] ?? [])
            // What the schema refuses must be a fault of any kind; what it takes must be none of one key alone.
            let ownFaults = newFaults.filter { !Self.isOfOthers($0) }.sorted()
            if change.fault == nil ? ownFaults.isEmpty : !newFaults.isEmpty { continue }
            differences.append(
                "\(change.base) \(change.what): schema \(change.fault ?? "-"), daemon \(ownFaults)")
        }
        #expect(differences.isEmpty, "\(differences.map { $0.prefix(700) }.joined(separator: "\n"))")
    }

    /// A fault without its place.
    private static func message(_ fault: String) -> String {
        fault.split(separator: ": ", maxSplits: 1).last.map { String($0) } ?? fault
    }

    private static func isOfOthers(_ fault: String) -> Bool {
        otherFaults.values.contains { $0.contains { fault.contains($0) } }
    }
}
