import Glibc

/// A user without processes, for whom limits of threads and processes hold, as they do not for root.
struct LimitedUser {
    let id = uid_t.random(in: 100_000...900_000_000)

    /// What runs a program as this user.
    var words: [String] { ["/usr/bin/setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups"] }

    /// What runs a program as this user and allows it so many threads.
    func words(threads count: Int) -> [String] { words + ["/usr/bin/prlimit", "--nproc=\(count):\(count)"] }
}
