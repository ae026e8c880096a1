/// The kinds of events that `systemd/xcallbackd.catalog` explains.
package enum JournalMessage {
    /// The identifier of each kind (sd-id128(3)), by the sentence in the log.
    ///
    /// An identifier never changes and is never reused, because searches contain it.
    package static let identifiers = [
        "ready": "cb6d71371eec437db132db22892e7c07",
        "stopping": "4cb16e23c5ec4f8792f102f358a7f4e8",
        "reloaded": "2e4797b26497429cbff3086ad79ca768",
        "not reloaded: the configuration has faults; the previous one stays active": "8a0aea7efc27490d8fa7dc1e005bc6db",
        "not started: the configuration has faults": "d2dea59576dd4c45947691f7415c9708",
        "not serving": "2a10831a5db74df887299c553a64f716",
        "cannot serve": "0bfbf3261a084b2ba47025b9477fe43a",
        "request failed": "257856cce8f44189b069b54f5dd4b5b3",
        "request succeeded": "ce5e65ea1240468abdff8f9e7a9b61ad",
        "request cancelled": "bd4fc44a9ff845758c37cf9bf3bf4999",
        "request redirected": "1a5d248e4aba42b4b15b25f03f0bee3e",
        "handler failed": "343b24ec6c9a4c36ae80f52d20e18c21",
        "connection refused: too many connections": "d03b73b5d88043388bc583635467e6d3",
        "connection refused: too many connections of a user": "d03b73b5d88043388bc583635467e6d3",
        "connection ended": "66c88dd30d46490fb21bd6491b04a381",
        "log lines are suppressed": "e1f559c7912441229c538f0ad7ce2ea7",
        "a program failed": "f67b59d658df4e4f8ebb3e385e01b69e",
        "cannot start a program": "79330a59b222403e86d76e84dd8f0870",
        "cannot run a program through xcallbackd-run.socket": "a7e88e27cf144656a91b200f11fcc2fe",
    ]

    /// Returns the identifier of a message: of the whole sentence, or of the part before the first colon.
    static func identifier(of message: String) -> String? {
        identifiers[message] ?? identifiers[String(message.prefix { $0 != ":" })]
    }
}
