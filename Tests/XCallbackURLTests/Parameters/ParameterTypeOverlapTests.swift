import Testing
import XCallbackURL

struct ParameterTypeOverlapTests {
    static let types: [ParameterType] = [
        .integer, .number, .boolean, .string, .date, .url, .uuid, .data,
        .enumeration(["low", "12", "a:b"]), .enumeration(["high", "yes", "2026-01-31"]), .enumeration(["0.5", "TQ=="]),
    ]
    static let pairs = types.flatMap { left in types.map { (left, $0) } }

    @Test(arguments: types)
    func aTypeAcceptsItsSamples(type: ParameterType) {
        #expect(!type.samples.isEmpty)
        for sample in type.samples { #expect(type.accepts(sample), "\(type.name): \(sample)") }
    }

    @Test(arguments: pairs)
    func aTextThatTwoTypesAcceptIsFoundThroughTheirSamples(left: ParameterType, right: ParameterType) {
        var random = SplitMix(seed: 20_260_131)
        for _ in 0..<2_000 {
            let text = random.text()
            guard left.accepts(text), right.accepts(text) else { continue }
            #expect(left.overlaps(right), "\(left.name) and \(right.name) both accept \(text)")
            return
        }
    }

    @Test(arguments: [
        (ParameterType.integer, ParameterType.uuid), (.integer, .date), (.date, .data), (.date, .url), (.url, .data),
        (.boolean, .date), (.uuid, .url), (.number, .uuid), (.enumeration(["low"]), .enumeration(["Low", "high"])),
    ])
    func typesWithoutACommonTextDoNotOverlap(left: ParameterType, right: ParameterType) {
        #expect(!left.overlaps(right))
        #expect(!right.overlaps(left))
    }

    @Test func theRandomTextsReachEveryType() {
        for type in Self.types {
            var random = SplitMix(seed: 20_260_131)
            #expect((0..<2_000).contains { _ in type.accepts(random.text()) }, "\(type.name)")
        }
    }
}

extension ParameterType {
    /// Whether some text is accepted by both types, as the routing table finds it out.
    fileprivate func overlaps(_ other: Self) -> Bool {
        samples.contains { other.accepts($0) } || other.samples.contains { accepts($0) }
    }
}

/// Random texts that look like values: characters of one alphabet, and samples with a part replaced.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    private static let alphabets = ["01", "0123456789", "-0123456789.eE+", "0123456789abcdef-", "abcyesnotrueTQ=+/:-_"]
        .map(Array.init)
    private static let samples = ParameterTypeOverlapTests.types.flatMap(\.samples)

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func text() -> String {
        let alphabet = Self.alphabets.randomElement(using: &self) ?? []
        let length = Int.random(in: 0...12, using: &self)
        let random = String((0..<length).compactMap { _ in alphabet.randomElement(using: &self) })
        guard Bool.random(using: &self), var sample = Self.samples.randomElement(using: &self).map(Array.init),
            let index = sample.indices.randomElement(using: &self)
        else { return random }
        for _ in 0...Int.random(in: 0...2, using: &self) {
            if Bool.random(using: &self), let digit = alphabet.randomElement(using: &self) { sample[index] = digit }
        }
        return String(sample)
    }
}
