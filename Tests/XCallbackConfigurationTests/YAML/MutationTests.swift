import Testing
import XCallbackConfiguration

@Suite(.timeLimit(.minutes(10)))
struct MutationTests {
    private static let sample = """
        schemes: [notes, todo]            # or a map, for settings such as `hosts: ignore`
        middleware: [log, app-links]      # for every route, in this order; `policies:` likewise
        define:
          policies: { mine: { user: self } }      # named, for use below; self = the daemon's uid
        callbacks: { allow: [app, obsidian, "https://example.org"] }
        routes:
          - route: notes:/notes/:id/append
            public: true
            input: { id: int, text: { type: string, max-length: 4096 } }
            policies: [mine, { rate: 10/s }]
            exec: [notes, append, --id, "{id}", --, "{text}"]
            output: json
            timeout: 5s
          - route: notes:/ping{/:name}
            respond: { pong: "{name}" }
          - route: todo:/hello/:name
            redirect: "notes:/ping/{name}"

        """

    @Test func theSampleHasNoFaults() {
        #expect(printedFaults(Self.sample).isEmpty)
    }

    @Test(arguments: [20_251_121, 20_251_122, 20_251_123, 20_251_124])
    func anyBytesGiveAValueOrAFaultWithinTheFile(seed: UInt64) {
        var random = SplitMix(state: seed)
        let sample = Array(Self.sample.utf8)
        for round in 0..<2_000 {
            let bytes = mutate(sample, &random)
            let faults = FaultList()
            let node = DocumentReader(ownership: .any).parse(bytes, name: "c", faults: faults)
            if let node, round.isMultiple(of: 50) { decodeAll(node, faults) }
            let lineCount = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            let isInFile = faults.told.allSatisfy { (1...lineCount).contains($0.place.line) && $0.place.column > 0 }
            guard node != nil || !faults.isEmpty, isInFile else {
                Issue.record("round \(round): \(String(decoding: bytes, as: UTF8.self))")
                return
            }
        }
    }

    /// Asks every value for everything.
    private func decodeAll(_ node: Node, _ faults: FaultList) {
        _ = (node.bool(faults), node.integer(faults), node.duration(faults))
        _ = (node.byteCount(faults), node.rate(faults), node.strings(faults), node.choice(of: ["mine"], faults))
        switch node.content {
        case .scalar: break
        case .sequence(let items): for item in items { decodeAll(item, faults) }
        case .mapping(let members):
            for member in members { decodeAll(member.value, faults) }
            let keys = MappingReader(node, of: "a test", faults: faults)
            _ = keys?.requiredNode("policies")?.string(faults)
            keys?.finish()
        }
    }

    /// Changes, removes, repeats or inserts up to four stretches of bytes.
    private func mutate(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        let telling = Array("{}[]:,-?&*!|>'\"%@`#~<\\ \t\n\r\0\u{FEFF}ü漢😀&a*a<<: *a".utf8)
        var result = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int.random(in: 0...result.count, using: &random)
            let end = min(result.count, start + Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: result.removeSubrange(start..<end)
            case 1: result.insert(contentsOf: result[start..<end], at: Int.random(in: 0...start, using: &random))
            case 2: if start < end { result[start] = .random(in: 0...255, using: &random) }
            case 3: result.insert(telling.randomElement(using: &random) ?? 0, at: start)
            default: if start < end { result[start] = telling.randomElement(using: &random) ?? 0 }
            }
        }
        return result
    }
}

/// A small generator that gives the same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
