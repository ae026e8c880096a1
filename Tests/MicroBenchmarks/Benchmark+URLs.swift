import XCallbackBytes
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// URLs, and the texts in them.
extension Benchmark {
    /// Parses the standard request.
    static func parse() -> Benchmark {
        let line = Array(StandardService.request.utf8)
        return Benchmark(name: "parse") { count in
            var url = ActionURL()
            let line = line.span
            for _ in 0..<count { try url.parse(line) }
            try BenchmarkFailure.check("parse", url.segments, is: ["notes", "42", "append"])
        }
    }

    /// Adds the result of the standard request to its callback.
    static func callback() throws -> Benchmark {
        let callback = try Callback("caller://done?id=7")
        let items: QueryItems = ["result": "ok"]
        return Benchmark(name: "callback") { count in
            var output = ByteBuffer()
            let bytes = callback.bytes.span
            for _ in 0..<count {
                output.truncate()
                output.append(callback: bytes, callback.layout, adding: items)
            }
            try BenchmarkFailure.check("callback", output.text, is: StandardService.answer)
        }
    }

    /// Decodes words with encoded blanks between them.
    static func decode() -> Benchmark {
        let encoded = Array(String(repeating: "hello%20", count: 128).utf8)
        return Benchmark(name: "decode 1 KiB") { count in
            var output = ByteBuffer()
            let text = encoded.span
            for _ in 0..<count {
                output.truncate()
                try output.append(percentDecoding: text)
            }
            try BenchmarkFailure.check("decode", output.count, is: 768)
        }
    }

    /// Encodes words with blanks between them.
    static func encode() -> Benchmark {
        let plain = Array(String(repeating: "goodbye ", count: 128).utf8)
        return Benchmark(name: "encode 1 KiB") { count in
            var output = ByteBuffer()
            let text = plain.span
            for _ in 0..<count {
                output.truncate()
                output.append(percentEncoding: text)
            }
            try BenchmarkFailure.check("encode", output.count, is: 1280)
        }
    }

    /// Parses a message as a client may send it.
    static func json() -> Benchmark {
        let text = #"{"method":"org.xcallback.Router.Open","parameters":{"url":"\#(StandardService.request)"}}"#
        let bytes = Array(text.utf8)
        return Benchmark(name: "json") { count in
            let text = bytes.span
            var value = JSONValue.null
            for _ in 0..<count { value = try JSONValue(parsing: text, maximumSize: 65_536) }
            try BenchmarkFailure.check("json", value["parameters"]?["url"], is: .string(StandardService.request))
        }
    }
}

extension ByteBuffer {
    /// The bytes as a text.
    var text: String { String(decoding: contents, as: UTF8.self) }
}
