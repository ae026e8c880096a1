import Testing
import XCallbackCommands
import XCallbackURL

struct AnswerTests {
    private static let error = CallbackError(.unknownAction, "No.")
    private static let same = "n:/a?x-success=app:/x&x-error=app:/x&x-cancel=app:/x"

    static let answers: [(request: String, answer: String, outcome: Answer.Outcome)] = [
        ("n:/a?x-success=app:/ok", "app:/ok", .success([:])),
        ("n:/a?x-success=app:/ok", "app:/ok?a=1&b", .success(["a": "1", "b": nil])),
        ("n:/a?x-success=app:/ok%3Fk%3D1", "app:/ok?k=1&a=2", .success(["a": "2"])),
        ("n:/a?x-success=app:/ok%3Fk%3D1%26l", "app:/ok?l&k=2", .success(["k": "2"])),
        ("n:/a?x-success=app:/ok%3Fk%3D1%26", "app:/ok?k=1&a=2", .success(["a": "2"])),
        // Both adding `k=1` and adding nothing give this answer.
        ("n:/a?x-success=app:/ok%3Fk%3D1", "app:/ok?k=1", .success([:])),
        ("n:/a?x-success=https://u@h:1/ok%23f", "https://u@h:1/ok?a=1#f", .success(["a": "1"])),
        ("n:/a?x-success=app:/ok%23f", "app:/ok?a=1", .redirect),
        ("n:/a?x-success=app:/ok", "app:/okay", .redirect),
        ("n:/a?x-success=app:/ok%3Fk%3D1", "app:/ok?k=2&k=1&a=3", .success(["k": "2", "k": "1", "a": "3"])),
        ("n:/a?x-success=app:/ok%3Fk%3D1", "app:/ok?a=3", .redirect),
        // A redirect carries the callbacks along; a success has no item of the protocol.
        ("n:/a?x-success=app:/ok", "app:/ok?x-success=app%3A%2Fok", .redirect),
        ("n:/a?x-error=app:/e", "app:/e?errorCode=404&errorMessage=No.", .error(error)),
        ("n:/a?x-error=app:/e%3FerrorCode%3D404", "app:/e?errorCode=404&errorMessage=No.", .error(error)),
        ("n:/a?x-error=app:/e", "app:/e?errorCode=many&errorMessage=No.", .redirect),
        ("n:/a?x-error=app:/e", "app:/e?errorMessage=No.&errorCode=404", .redirect),
        ("n:/a?x-error=app:/e", "app:/e", .redirect),
        ("n:/a?x-cancel=app:/c", "app:/c", .cancel),
        ("n:/a?x-cancel=app:/c", "app:/c?a=1", .redirect),
        (same, "app:/x?errorCode=404&errorMessage=No.", .error(error)),
        (same, "app:/x?a=1", .success(["a": "1"])),
        (same, "app:/x", .success([:])),
        // What the daemon cannot parse it answers to the one error callback, and to no other.
        ("n:/%?x-error=app:/e", "app:/e?errorCode=404&errorMessage=No.", .error(error)),
        ("n:/%?x-success=app:/ok", "app:/ok", .redirect),
        // A callback that is refused gets no answer.
        ("n:/a?x-error=e", "xcallback://x-callback-url/error?errorCode=404&errorMessage=No.", .error(error)),
    ]

    @Test(arguments: answers)
    func theCallbacksTellWhatAnAnswerMeans(request: String, answer: String, outcome: Answer.Outcome) throws {
        let answer = try Answer(Array(answer.utf8), to: OpenRequest(request))
        #expect(answer.outcome == outcome)
    }

    @Test func aCallbackThatIsTheDaemonsOwnURLIsTheRequests() throws {
        let request = try OpenRequest("n:/a?x-success=xcallback://x-callback-url/success")
        let answer = try Answer(Array("xcallback://x-callback-url/success?a=1".utf8), to: request)
        #expect(answer.outcome == .success(["a": "1"]))
        #expect(!answer.isDaemonsOwn)
    }
}
