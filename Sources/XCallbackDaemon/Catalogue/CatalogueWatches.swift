import XCallbackEventLoop

/// The clients that watch the list of routes.
///
/// The pages of an account are made one at a time, so that its watches use at most one inspection, and none while there
/// is nothing to send.
struct CatalogueWatches {
    private var watches: [ConnectionID: CatalogueWatch] = [:]
    /// The watches of each account that wait for a page; the page of the first one is being made.
    private var lines: [ObjectIdentifier: [CatalogueWatch]] = [:]

    /// All watches.
    var all: [CatalogueWatch] { Array(watches.values) }

    /// Adds a watch.
    mutating func add(_ watch: CatalogueWatch) { watches[watch.stream.connection] = watch }

    /// Removes and returns the watch of a connection, which must still leave its queue; nil if there is none.
    mutating func remove(_ connection: ConnectionID) -> CatalogueWatch? { watches.removeValue(forKey: connection) }

    /// Queues a watch for its turn.
    ///
    /// - Returns: Whether it has its turn already.
    mutating func enter(_ watch: CatalogueWatch) -> Bool {
        let account = ObjectIdentifier(watch.stream.account)
        lines[account, default: []].append(watch)
        return lines[account]?.count == 1
    }

    /// Ends the turn or the wait of a watch.
    ///
    /// - Returns: The watch whose turn starts; nil if none does.
    mutating func leave(_ watch: CatalogueWatch) -> CatalogueWatch? {
        let account = ObjectIdentifier(watch.stream.account)
        guard var line = lines[account], let index = line.firstIndex(where: { $0 === watch }) else { return nil }
        line.remove(at: index)
        if index == 0 { line.removeSubrange(..<(line.firstIndex { $0.stream.ending == nil } ?? line.count)) }
        lines[account] = line.isEmpty ? nil : line
        return index == 0 ? line.first : nil
    }
}
