import Logging
import XCallbackBuiltIns
import XCallbackDaemon
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Checks that each line has one answer, a URL, and that it plays no part how the input is cut.
///
/// The input is the limit on lines, the way of cutting, and what a client sends.
func checkLines(_ input: FuzzInput) throws {
    var input = input
    let limit = [24, 65_536][input.below(2)]
    let cuts = Cuts(number: input.below(Cuts.count))
    let bytes = input.takeRest()

    let answers = LineConversation.answers(to: [bytes[...]], limit: limit)
    let cutAnswers = LineConversation.answers(to: cuts.pieces(of: bytes), limit: limit)
    try check(answers == cutAnswers, "in pieces it is answered by \(cutAnswers.shown), at once by \(answers.shown)")

    var expectedCount = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        guard let line = ClassifiedLine(line, limit: limit) else { continue }
        expectedCount += 1
        if line.endsConnection { break }
    }
    let lines = answers.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    try check(lines.count == expectedCount, "\(expectedCount) lines are answered by \(answers.shown)")
    for line in lines { try check(ClassifiedLine.isOneURL(line), "the answer is no URL: \(Array(line).shown)") }
}

/// A client's conversation in lines, without the connection.
private struct LineConversation {
    private static let peer = Peer(userID: 1000, groupID: 100, processID: 42)
    private static let pipeline: Pipeline? = {
        do {
            return try RouterConfiguration(text: lineConfiguration, name: "lines.yaml", logger: .silent).pipeline
        } catch {
            print(error)
            return nil
        }
    }()

    private var dialect: LineDialect
    private var execution = Execution(peer: Self.peer, origin: .socket)
    private let host = TestHost()
    private var output = ByteBuffer()
    private var hasEnded = false

    /// What is answered to an input that comes in pieces.
    static func answers(to pieces: [ArraySlice<UInt8>], limit: Int) -> [UInt8] {
        var conversation = LineConversation(dialect: LineDialect(limit: limit))
        guard let pipeline else { return Array("no configuration".utf8) }
        var buffer: [UInt8] = []
        for piece in pieces where !conversation.hasEnded {
            buffer += piece
            buffer.removeFirst(conversation.proceed(buffer, in: pipeline, isAtEnd: false))
        }
        _ = conversation.proceed(buffer, in: pipeline, isAtEnd: true)
        return conversation.output.contents
    }

    private init(dialect: LineDialect) {
        self.dialect = dialect
    }

    /// Answers what is whole, as a session of the daemon does, and returns how much of the input is done with.
    private mutating func proceed(_ input: [UInt8], in pipeline: Pipeline, isAtEnd: Bool) -> Int {
        var position = 0
        while !hasEnded {
            switch dialect.next(in: input.span, from: position, isAtEnd: isAtEnd) {
            case .incomplete(let start): return start
            case .tooLong:
                let error = CallbackError(.tooLarge, "The line is too long.")
                PendingAnswer().write(.error(error), to: Callbacks(), of: ActionURL(), into: &output)
                hasEnded = true
            case .line(let range, let next):
                position = next
                let pending = execution.answer(
                    input.span.extracting(range), from: Self.peer, origin: .socket, in: pipeline, host, into: &output)
                // No stage of the configuration waits: if one does, the answer is missing, and that is a finding.
                if let pending { pending.abandon() }
                hasEnded = !execution.isURL
            }
            output.append(UInt8(ascii: "\n"))
        }
        return position
    }
}

extension Logger {
    /// Writes nothing.
    static var silent: Logger { Logger(label: "fuzzing") { _ in SwiftLogNoOpLogHandler() } }
}

/// Routes with stages of most kinds, none of which waits.
private let lineConfiguration = """
    schemes: { notes: , other: { hosts: ignore } }
    middleware: [log, strip]
    callbacks: { allow: [app, "https://example.org"] }
    routes:
      - route: notes:/echo
        respond: { v: "{v}" }
      - route: notes:/all/:id/*rest
        form: true
        input:
          id: int
          n: { type: number, required: false, min: 1 }
          list: { type: list, of: string, required: false, max-length: 3 }
          when: { type: date, required: false }
          on: { type: bool, required: false, default: true }
          url: { type: url, required: false }
          data: { type: data, required: false }
          name: { type: string, required: false, charset: a-z }
        respond: { id: "{id}", rest: "{rest}", list: "{list}", action: "{@action}", query: "{@query}", url: "{@url}" }
      - route: notes:/all/:id
        input: { id: { type: enum, values: [a, b] } }
        strict: true
        respond:
      - route: notes:/links
        middleware: [app-links, { rename: { body: text } }, { strip: [ref, "campaign-*"] }]
        respond: { text: "{text}", target: "{@data.app-link.target_url}" }
      - route: notes:/guarded
        policies: [{ require: { sure: "yes" } }, { source: Editor }, { origin: socket }, { rate: 2/h }]
        respond: { done: "{sure}" }
      - { route: "notes:/go/:to", redirect: "notes:/echo?v={to}" }
      - { route: "notes:/out/:to", redirect: "app:/{to}?q={q}" }
      - { route: "notes:/loop", redirect: "notes:/loop?n={n}" }
      - { route: "other:/a{/:b}-:c", respond: { b: "{b}", c: "{c}" } }

    """
