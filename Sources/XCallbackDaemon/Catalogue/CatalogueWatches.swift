import XCallbackEventLoop

/// The clients that are told the routes again and again.
///
/// Those of an account have their pages made one after the other, so that however many there are, they take one inspection
/// of it, and none while nothing is to be told.
struct CatalogueWatches {
    private var watches: [ConnectionID: CatalogueWatch] = [:]
    /// Those of each account that wait for a page; that of the first one is being made.
    private var lines: [ObjectIdentifier: [CatalogueWatch]] = [:]

    /// All of them.
    var all: [CatalogueWatch] { Array(watches.values) }

    /// Adds one.
    mutating func add(_ watch: CatalogueWatch) { watches[watch.stream.connection] = watch }

    /// Removes and returns the one of a connection, which still has to leave its line; nil if there is none.
    mutating func remove(_ connection: ConnectionID) -> CatalogueWatch? { watches.removeValue(forKey: connection) }

    /// Lets one wait for its turn.
    ///
    /// - Returns: Whether it is its turn already.
    mutating func enter(_ watch: CatalogueWatch) -> Bool {
        let account = ObjectIdentifier(watch.stream.account)
        lines[account, default: []].append(watch)
        return lines[account]?.count == 1
    }

    /// Ends the turn of one, or its waiting.
    ///
    /// - Returns: The one whose turn begins; nil if none does.
    mutating func leave(_ watch: CatalogueWatch) -> CatalogueWatch? {
        let account = ObjectIdentifier(watch.stream.account)
        guard var line = lines[account], let index = line.firstIndex(where: { $0 === watch }) else { return nil }
        line.remove(at: index)
        if index == 0 { line.removeSubrange(..<(line.firstIndex { $0.stream.ending == nil } ?? line.count)) }
        lines[account] = line.isEmpty ? nil : line
        return index == 0 ? line.first : nil
    }
}
