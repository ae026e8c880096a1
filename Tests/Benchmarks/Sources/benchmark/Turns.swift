/// The times of several subjects, measured in turn; in milliseconds, by subject and round.
struct Turns {
    private(set) var times: [[Double]]

    /// Measures all subjects in each round, and repeats a round in which the host steals processor time.
    init(of subjects: [() throws -> Double], rounds: Int, on bench: Bench) throws {
        times = subjects.map { _ in [] }
        for _ in 0..<rounds {
            let round = try bench.stolenTime.measure { try subjects.map { try $0() } }
            for (index, time) in round.enumerated() { times[index].append(time) }
        }
    }

    /// Returns the median of a subject.
    func median(_ subject: Int) -> Double { times[subject].median }

    /// Returns the shortest time of a subject.
    func least(_ subject: Int) -> Double { times[subject].min() ?? .nan }

    /// Returns the median of the ratios of the rounds.
    func ratio(of subject: Int, to other: Int) -> Double {
        zip(times[subject], times[other]).map { $0 / $1 }.median
    }
}
