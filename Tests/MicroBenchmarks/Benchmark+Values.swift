import FoundationEssentials
import XCallback

/// Values of Swift as items of a query, and as JSON for comparison.
extension Benchmark {
    private struct Note: Codable, Equatable {
        enum Level: String, Codable { case low, high }
        struct Author: Codable, Equatable { var name: String, age: Int }

        var id = 42
        var title = "Shopping list"
        var body: String? = "Milk, eggs & bread: 100 % of what there is"
        var tags = ["home", "food", "a,b"]
        var isDone = false
        var rating = 4.5
        var author = Author(name: "Ada Lovelace", age: 36)
        var level = Level.high
    }

    /// Writes a value as items, and reads it back, each beside the same with JSON.
    static func values() throws -> [Benchmark] {
        let note = Note()
        let items = try QueryEncoder().encode(note)
        let json = try JSONEncoder().encode(note)
        return [
            Benchmark(name: "write items") { count in
                let encoder = QueryEncoder()
                for _ in 0..<count { keep(try encoder.encode(note)) }
            },
            Benchmark(name: "write JSON") { count in
                let encoder = JSONEncoder()
                for _ in 0..<count { keep(try encoder.encode(note)) }
            },
            Benchmark(name: "read items") { count in
                let decoder = QueryDecoder()
                var read = Note()
                for _ in 0..<count { read = try decoder.decode(Note.self, from: items) }
                try BenchmarkFailure.check("read items", read, is: note)
            },
            Benchmark(name: "read JSON") { count in
                let decoder = JSONDecoder()
                var read = Note()
                for _ in 0..<count { read = try decoder.decode(Note.self, from: json) }
                try BenchmarkFailure.check("read JSON", read, is: note)
            },
        ]
    }
}
