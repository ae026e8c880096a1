import XCallbackURL
import XCallbackWire

/// A client that calls another application, which answers or does not.
final class CallingClient: VarlinkClient {
    private var isOpened = false
    private var hasEnded = false

    override var isFree: Bool { false }

    /// Calls.
    ///
    /// - Parameters:
    ///   - timeout: For how long, in seconds.
    ///   - answers: Whether the application answers.
    ///   - world: The world.
    func call(timeout: Int, answers: Bool, in world: World) {
        let ask = world.ledger.add(.now, over: socket)
        let url = "app:/do?x-success=app:/s/\(ask.id)&x-error=app:/e/\(ask.id)&x-cancel=app:/c/\(ask.id)"
        call(
            "Call", ["url": .string(url), "timeout": .number(JSONNumber(timeout))], more: true, for: ask,
            in: world
        ) { [self] reply in
            switch reply {
            case .success(let parameters):
                guard let target = parameters["open"]?.text, parameters["outcome"]?.text == nil else {
                    return finish(parameters, of: ask, in: world)
                }
                if isOpened { return world.fail("a call is to be opened twice") }
                isOpened = true
                open(target, of: ask, answers, in: world)
            case .failure(let error):
                if error.name == "PermissionDenied", socket.userID != world.ownID { return }
                world.fail("a call ends with \(error.name)")
            }
        }
    }

    private func open(_ target: String, of ask: Ask, _ answers: Bool, in world: World) {
        guard let callback = try? ActionURL(target).success else {
            return world.fail("'\(target)' has no way back")
        }
        if answers { world.answer(ask, at: "\(callback)?id=\(ask.id)") }
    }

    private func finish(_ parameters: JSONValue, of ask: Ask, in world: World) {
        if hasEnded { return world.fail("a call has two results") }
        hasEnded = true
        let answer = parameters["answer"]?.text ?? ""
        if answer.hasPrefix("app:/s/") { return ask.take(answer, in: world) }
        let code = parameters["code"]?.integer ?? 0
        let isRight = answer.hasPrefix("app:/e/\(ask.id)?") && [429, 503, 504].contains(code)
        if !isRight { return world.fail("'\(answer)' cannot be the result of a call") }
        // What the daemon has taken is not lost, whatever else happens.
        if ask.isReturned {
            world.fail("the application has answered, and not '\(answer)'")
        }
    }
}
