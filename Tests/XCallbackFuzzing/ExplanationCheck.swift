import XCallbackBuiltIns
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Checks that any URL can be explained, with routes of any syntax, and that the explanation names the route that answers.
///
/// The input is the syntax, then `0` with what patterns and URLs are made of, or `1` with lines: URLs behind a `>`, and
/// patterns, both without the scheme.
func checkExplanations(_ input: FuzzInput) throws {
    var input = input
    let syntax = URLSyntax.allCases[input.below(URLSyntax.allCases.count)]
    var (patterns, urls): ([String], [String]) = ([], [])
    if input.below(2) == 0 {
        patterns = (0...input.below(4)).map { _ in input.text(of: ["/", "//", "a", "b", ":x", "*y", "-", "{/:z}"]) }
        urls = (0...input.below(8)).map { _ in
            input.text(of: ["/", "//", "a", "b", "1", "-", ".", ":", "?", "%2f", "é"])
        }
    } else {
        while !input.isEmpty {
            let line = String(decoding: input.takeLine(), as: UTF8.self)
            if line.hasPrefix(">") { urls.append(String(line.dropFirst())) } else { patterns.append(line) }
        }
    }
    guard let pipeline = makePipeline(syntax, patterns) else { return }
    for url in urls {
        for origin in [Origin.socket, .desktop] { try check("t:\(url)", from: origin, in: pipeline) }
    }
}

/// Makes a pipeline of the patterns that are valid and do not conflict with those before them; nil if there are none.
private func makePipeline(_ syntax: URLSyntax, _ patterns: [String]) -> Pipeline? {
    var pipeline: Pipeline?
    var routes = ""
    for pattern in patterns.prefix(16) {
        let address = String(decoding: JSONValue.string("t:\(pattern)").bytes, as: UTF8.self)
        let more = routes + "\n- { route: \(address), public: \(pattern.utf8.count % 2 == 0), respond: }"
        let text = "schemes: { t: { syntax: \(syntax.rawValue) } }\nroutes:\(more)\n"
        guard let configuration = try? RouterConfiguration(text: text, name: "t.yaml", logger: .silent) else {
            continue
        }
        (pipeline, routes) = (configuration.pipeline, more)
    }
    return pipeline
}

private func check(_ url: String, from origin: Origin, in pipeline: Pipeline) throws {
    let peer = Peer(userID: 1000, groupID: 100, processID: 42)
    var execution = Execution(peer: peer, origin: origin)
    let host = TestHost()
    execution.begin(url.utf8.span, as: nil, from: peer, origin: origin, in: pipeline).abandon()
    _ = execution.advance(in: pipeline, host)
    if case .error(let error) = execution.response {
        let cause = pipeline.cause(of: error, for: execution.request)
        try check(cause?.isEmpty != true, "an empty cause of \(url)")
    }
    let explanation = pipeline.explain(url.utf8.span, from: peer, origin: origin)
    for viewer in [nil, Viewer(peer, groups: [])] {
        try check(explanation.json(for: viewer)["result"]?.text?.isEmpty == false, "no result for \(url)")
    }
    try check(
        explanation.hops.first?.route === execution.request.matchedRoute,
        "\(url) is answered by \(execution.request.matchedRoute?.name ?? "no route"), not as explained")
}
