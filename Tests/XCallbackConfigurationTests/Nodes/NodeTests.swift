import Testing
import XCallbackConfiguration

/// A way to decode a value, with what comes out in words.
struct Decoder: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let decode: @Sendable (Node, FaultList) -> String?

    init<Value>(_ name: String, _ decode: @escaping @Sendable (Node, FaultList) -> Value?) {
        testDescription = name
        self.decode = { node, faults in decode(node, faults).map { "\($0)" } }
    }

    static let string = Decoder("string") { $0.string($1) }
    static let bool = Decoder("bool") { $0.bool($1) }
    static let integer = Decoder("integer") { $0.integer($1) }
    static let small = Decoder("small") { $0.integer(in: 1...64, $1) }
    static let positive = Decoder("positive") { $0.integer(in: 1 ... .max, $1) }
    static let negative = Decoder("negative") { $0.integer(in: .min ... -1, $1) }
    static let duration = Decoder("duration") { $0.duration($1)?.text }
    static let limited = Decoder("limited") { $0.duration(in: .milliseconds(1) ... .seconds(5_400), $1)?.text }
    static let size = Decoder("size") { $0.byteCount($1) }
    static let buffer = Decoder("buffer") { $0.byteCount(in: 1_024...16_777_216, $1) }
    static let rate = Decoder("rate") { $0.rate($1).map { "\($0.count) per \($0.period.text)" } }
    static let word = Decoder("word") { $0.choice(of: ["text", "json", "lines", "none"], $1) }
    static let option = Decoder("option") { $0.choice(of: Option.self, $1) }
    static let strings = Decoder("strings") { $0.strings($1)?.joined(separator: "|") }
    static let items = Decoder("items") { $0.items($1)?.count }
    static let members = Decoder("members") { $0.members(of: "an input", $1)?.map(\.key).joined(separator: "|") }

    enum Option: String, CaseIterable {
        case first = "first-option"
        case second = "second-option"
    }
}

struct NodeTests {
    static let values: [(decoder: Decoder, yaml: String, expected: String)] = [
        (.string, "hi", "hi"), (.string, "5", "5"), (.string, "true", "true"), (.string, "'~'", "~"),
        (.string, "''", ""),
        (.bool, "true", "true"), (.bool, "false", "false"), (.bool, "True", "true"), (.bool, "FALSE", "false"),
        (.integer, "0", "0"), (.integer, "-12", "-12"), (.integer, "9223372036854775807", "9223372036854775807"),
        (.small, "1", "1"), (.small, "64", "64"), (.positive, "7", "7"), (.negative, "-7", "-7"),
        (.duration, "5s", "5s"), (.duration, "250ms", "250ms"), (.duration, "2m", "2m"), (.duration, "1h", "1h"),
        (.duration, "1.5s", "1500ms"), (.duration, "90m", "90m"), (.duration, "1d", "1d"), (.duration, "0s", "0s"),
        (.duration, "0.001ms", "1us"), (.duration, "0.000000001s", "1ns"), (.duration, "60s", "1m"),
        (.limited, "1ms", "1ms"), (.limited, "1.5h", "90m"),
        (.size, "512", "512"), (.size, "0", "0"), (.size, "64KiB", "65536"), (.size, "1MiB", "1048576"),
        (.size, "2GiB", "2147483648"), (.buffer, "1KiB", "1024"),
        (.rate, "10/s", "10 per 1s"), (.rate, "100/m", "100 per 1m"), (.rate, "5/h", "5 per 1h"),
        (.rate, "1/d", "1 per 1d"),
        (.word, "json", "json"), (.option, "second-option", "second"),
        (.strings, "a", "a"), (.strings, "[a, 5, '']", "a|5|"), (.strings, "[]", ""),
        (.items, "[a, {b: c}]", "2"), (.items, "[]", "0"), (.members, "{b: 1, a: 2}", "b|a"),
    ]

    @Test(arguments: values)
    func aValueIsDecoded(_ decoder: Decoder, yaml: String, expected: String) {
        #expect(
            value(of: "[\(yaml)]") { list, faults in
                list.items(faults)?.first.flatMap { decoder.decode($0, faults) }
            } == expected)
    }

    static let faults: [(decoder: Decoder, yaml: String, expected: String)] = [
        (.string, "[a]", "expected text, found a list"), (.string, "{a: b}", "expected text, found a mapping"),
        (.string, "~", "expected text, found nothing"),
        (.string, "null", "expected text, found nothing: put 'null' in quotes if you mean text"),
        (.bool, "yes", "expected true or false, found 'yes'; did you mean 'true'?"),
        (.bool, "tRUE", "expected true or false, found 'tRUE'"),
        (.bool, "'true'", "expected true or false, found the text 'true': leave the quotes out"),
        (.bool, "~", "expected true or false, found nothing"),
        (.integer, "1.0", "expected a whole number, found '1.0'; did you mean '1'?"),
        (.integer, "+1", "expected a whole number, found '+1'; did you mean '1'?"),
        (.integer, "010", "expected a whole number, found '010'; did you mean '10'?"),
        (.integer, "1_000", "expected a whole number, found '1_000'; did you mean '1000'?"),
        (.integer, "9223372036854775808", "expected a whole number, found '9223372036854775808'"),
        (.small, "65", "expected a whole number from 1 to 64, found '65'"),
        (.small, "x", "expected a whole number from 1 to 64, found 'x'"),
        (.positive, "0", "expected a whole number of at least 1, found '0'"),
        (.negative, "0", "expected a whole number of at most -1, found '0'"),
        (.duration, "5 parsecs", "expected a duration such as 5s or 250ms, found '5 parsecs'"),
        (.duration, "5", "expected a duration such as 5s or 250ms, found '5'; did you mean '5s'?"),
        (.duration, "5 s", "expected a duration such as 5s or 250ms, found '5 s'; did you mean '5s'?"),
        (.duration, "-5s", "expected a duration such as 5s or 250ms, found '-5s'"),
        (.duration, ".5s", "expected a duration such as 5s or 250ms, found '.5s'"),
        (.duration, "5S", "expected a duration such as 5s or 250ms, found '5S'; did you mean '5s'?"),
        (.limited, "0s", "expected a duration from 1ms to 90m, found '0s'"),
        (.limited, "2h", "expected a duration from 1ms to 90m, found '2h'"),
        (.limited, "2", "expected a duration such as 5s or 250ms, found '2'; did you mean '2s'?"),
        (.size, "1 MiB", "expected a size such as 512, 64KiB or 1MiB, found '1 MiB'; did you mean '1MiB'?"),
        (.size, "10k", "expected a size such as 512, 64KiB or 1MiB, found '10k'; did you mean '10KiB'?"),
        (.size, "1.5MiB", "expected a size such as 512, 64KiB or 1MiB, found '1.5MiB'; did you mean '1536KiB'?"),
        (.size, "-1", "expected a size such as 512, 64KiB or 1MiB, found '-1'"),
        (.size, "9223372036854775807KiB", "expected a size such as 512, 64KiB or 1MiB, found '9223372036854775807KiB'"),
        (.buffer, "1023", "expected a size from 1KiB to 16MiB, found '1023'"),
        (.rate, "10", "expected a rate such as 10/s, 100/m or 5/h, found '10'; did you mean '10/s'?"),
        (.rate, "0/s", "expected a rate such as 10/s, 100/m or 5/h, found '0/s'"),
        (.rate, "10/min", "expected a rate such as 10/s, 100/m or 5/h, found '10/min'; did you mean '10/m'?"),
        (.word, "jsn", "expected text, json, lines or none, found 'jsn'; did you mean 'json'?"),
        (.word, "xml", "expected text, json, lines or none, found 'xml'"),
        (.word, "[json]", "expected text, json, lines or none, found a list"),
        (.word, "~", "expected text, json, lines or none, found nothing"),
        (.strings, "~", "expected a list of texts, found nothing"),
        (.strings, "{a: b}", "expected a list of texts, found a mapping"),
        (.items, "a", "expected a list, found 'a'"), (.items, "~", "expected a list, found nothing"),
        (.members, "[a]", "expected a mapping for an input, found a list"),
        (.duration, "\"5\\es\\n\"", "expected a duration such as 5s or 250ms, found '5<U+001B>s<U+000A>'"),
    ]

    @Test(arguments: faults)
    func aFaultSaysWhatWasExpectedAndWhatWasFound(_ decoder: Decoder, yaml: String, expected: String) {
        let line = "[\(yaml)]"
        let printed = printedFaults(line) { list, faults in
            for item in list.elements { #expect(decoder.decode(item, faults) == nil) }
        }
        let first = printed.split(separator: "\n").first.map(String.init)
        #expect(first == "config.yaml:1:2: \(expected)")
    }

    @Test func everyFaultyTextOfAListIsReported() {
        let faults = faultLines(of: "a: [x, ~, [y]]\n") { node, faults in
            #expect(node.members(faults)?.first?.value.strings(faults) == nil)
        }
        #expect(
            faults == [
                "config.yaml:1:8: expected text, found nothing", "config.yaml:1:11: expected text, found a list",
            ])
    }
}
