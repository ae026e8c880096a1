import Synchronization
import XCallback

/// A program that calls another one of its kind through the daemon, while that one calls it.
///
/// Its arguments are the name that it receives as, which is its scheme too, that of the other one, and how many calls it
/// makes. It goes on answering when they are made.
@main
final class Counterpart: Sendable {
    private let name: String
    private let other: Other
    private let count: Int
    /// How often each number has come.
    private let received = Mutex<[Int: Int]>([:])

    private init(name: String, other: Other, count: Int) {
        self.name = name
        self.other = other
        self.count = count
    }

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let count = Int(words[3]) else { return print("usage: counterpart NAME OTHER COUNT") }
        try await Counterpart(name: words[1], other: Other(scheme: words[2]), count: count).run()
    }

    private func run() async throws {
        let calls = Task { await self.callAll() }
        let router = try Router(scheme: name) { router in
            router.route("/pass") { (parcel: Parcel) in Receipt(parcel: parcel, by: self.name, time: self.note(parcel))
            }
            router.route("/report") {
                let (rightCount, faults) = await calls.value
                let times = self.received.withLock { $0 }
                return Report(
                    rightCount: rightCount, faults: faults, receivedCount: times.values.reduce(0, +),
                    distinctCount: times.count)
            }
        }
        try await router.serve(as: name, concurrently: 8)
    }

    /// Notes that a parcel has come; returns how often it has by now.
    private func note(_ parcel: Parcel) -> Int {
        received.withLock { times in
            times[parcel.number, default: 0] += 1
            return times[parcel.number, default: 0]
        }
    }

    /// Makes all calls, some at a time; returns how many were right, and what was wrong with others.
    private func callAll() async -> (Int, [String]) {
        await withTaskGroup { group in
            for first in 0..<16 {
                group.addTask {
                    var faults: [String?] = []
                    for number in stride(from: first, to: self.count, by: 16) { faults.append(await self.call(number)) }
                    return faults
                }
            }
            let all = await group.reduce(into: []) { $0 += $1 }
            let faults = all.compactMap { $0 }
            return (all.count - faults.count, Array(faults.prefix(5)))
        }
    }

    /// Makes a call; returns what was wrong with it.
    private func call(_ number: Int) async -> String? {
        let parcel = Parcel(number: number, words: ["\(number)", "a,b", "", "é&=%"], sender: .program(name: name))
        let expected = Receipt(parcel: parcel, by: other.scheme, time: 1)
        do {
            let receipt = try await other.run(Pass(), with: parcel)
            return receipt == expected ? nil : "\(receipt) instead of \(expected)"
        } catch {
            return "\(number): \(error)"
        }
    }
}

/// The other program.
private struct Other: App {
    let scheme: String
}

/// Takes a parcel.
private struct Pass: Action {
    typealias Input = Parcel
    typealias Output = Receipt
}

private struct Parcel: Codable, Equatable, Sendable {
    enum Sender: Codable, Equatable {
        case person
        case program(name: String)
    }

    var number: Int
    var words: [String]
    var sender: Sender
}

private struct Receipt: Codable, Equatable, Sendable {
    var parcel: Parcel
    var by: String
    /// Which time it is that the parcel has come.
    var time: Int
}

/// What a program tells once all its calls are made.
private struct Report: Encodable {
    /// How many answers were the right ones.
    var rightCount: Int
    /// What was wrong with others.
    var faults: [String]
    /// How many calls of the other program have come.
    var receivedCount: Int
    /// How many of these were different ones.
    var distinctCount: Int
}
