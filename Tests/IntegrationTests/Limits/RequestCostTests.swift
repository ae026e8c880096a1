import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The system calls and allocations of a request of a synchronous route.
@Suite(.blocking)
struct RequestCostTests {
    /// A request with a capture, a parameter, a callback and a source.
    private static let request =
        "notes:/notes/42/append?text=hello%20world&x-success=caller%3A%2F%2Fdone%3Fid%3D7&x-source=Caller"
    /// The rate is never reached, but counted.
    private static let configuration = """
        schemes: [notes]
        middleware: [log]
        policies: [{ user: self }]
        routes:
          - { route: "notes:/notes/:id/append", policies: [{ rate: 1000000000/s }], respond: { result: ok } }
        """

    /// Counts the allocations of a process in the file that `ALLOCATIONS` names.
    private static let allocationCounter = """
        #include <errno.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>

        void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
        void *__libc_memalign(size_t, size_t);
        static unsigned long early, *count = &early;

        __attribute__((constructor)) static void start(void) {
            int file = open(getenv("ALLOCATIONS"), O_RDWR | O_CLOEXEC);
            void *shared = mmap(0, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (shared == MAP_FAILED) abort();
            count = shared;
        }

        static void add(void) { __atomic_add_fetch(count, 1, __ATOMIC_RELAXED); }

        void *malloc(size_t size) { add(); return __libc_malloc(size); }
        void *calloc(size_t number, size_t size) { add(); return __libc_calloc(number, size); }
        void *realloc(void *old, size_t size) { add(); return __libc_realloc(old, size); }
        void *aligned_alloc(size_t alignment, size_t size) { add(); return __libc_memalign(alignment, size); }
        int posix_memalign(void **result, size_t alignment, size_t size) {
            add();
            *result = __libc_memalign(alignment, size);
            return *result ? 0 : ENOMEM;
        }
        """

    /// Debug builds allocate where optimized code does not.
    @Test(.releaseBuild)
    func aRequestAllocatesNothing() throws {
        let directory = try TemporaryDirectory()
        let counter = try Self.compile(Self.allocationCounter, in: directory)
        let count = try directory.write(String(repeating: "\0", count: MemoryLayout<UInt>.size), to: "allocations")
        let daemon = try RunningDaemon(
            starting: Self.configuration, in: directory,
            environment: ["LD_PRELOAD=\(counter)", "ALLOCATIONS=\(count)"],
            program: ReleaseBuild.program("xcallbackd"))
        try daemon.waitUntilReady()
        func allocations() throws -> UInt { try bytesOfFile(count).withUnsafeBytes { $0.loadUnaligned(as: UInt.self) } }
        let client = try daemon.connect()
        // The first requests allocate the buffers that later ones use.
        try Self.ask(client, 100, 1)
        let before = try allocations()
        // A start allocates hundreds of times, so the counter works.
        try #require(before > 100)
        try Self.ask(client, 2000, 1)
        // The periodic work of the daemon allocates.
        #expect(try allocations() - before < 100)
    }

    /// Compiles a library with the compiler that is part of Swift; returns its path.
    private static func compile(_ source: String, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path(of: "preloaded.so")
        let file = try directory.write(source, to: "preloaded.c")
        let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let compiler = try ChildProcess.run(
            ["/usr/bin/env", "clang", "-shared", "-fPIC", "-fno-builtin", "-o", path, file],
            environment: ["PATH=\(search)"])
        guard compiler.status == 0 else { throw TestFailure("clang: \(compiler.output)") }
        return path
    }

    /// They are `epoll_wait`, `recvfrom` and `sendto`.
    ///
    /// Ten requests at a time are fewer than the daemon answers before it checks the clock.
    @Test(.enabled(if: access("/usr/bin/strace", X_OK) == 0, "strace is not installed"), arguments: [1, 10])
    func aBatchOfRequestsMakesThreeSystemCalls(size: Int) throws {
        let batchCount = 1000
        // The difference cancels the calls of start and stop.
        let few = try Self.systemCalls(of: batchCount, size)
        let many = try Self.systemCalls(of: 3 * batchCount, size)
        let calls = Double(many - few) / Double(2 * batchCount)
        #expect(calls > 2.9 && calls < 3.1)
    }

    /// Counts the system calls of a daemon from its start to its end.
    private static func systemCalls(of batchCount: Int, _ size: Int) throws -> Int {
        let directory = try TemporaryDirectory()
        let report = directory.path(of: "report")
        let daemon = try RunningDaemon(
            starting: Self.configuration, in: directory,
            under: ["/usr/bin/strace", "-f", "-c", "-U", "calls,name", "-o", report])
        try daemon.waitUntilReady()
        try ask(daemon.connect(), batchCount, size)
        // A tracer does not pass signals on.
        guard let id = try daemon.state.children.first else { throw TestFailure("strace has no child") }
        kill(id, SIGTERM)
        expect(try daemon.process.wait(), equals: 0)
        let line = try directory.text(of: "report").split(separator: "\n").first { $0.hasSuffix(" total") }
        return try #require(line?.split(separator: " ").first.flatMap { Int($0) })
    }

    /// Sends batches of requests, each after the answers to the one before.
    private static func ask(_ client: LineClient, _ batchCount: Int, _ size: Int) throws {
        for _ in 0..<batchCount {
            try client.send(String(repeating: request + "\n", count: size))
            for _ in 0..<size { try #require(try client.readLine() == "caller://done?id=7&result=ok") }
        }
    }
}
