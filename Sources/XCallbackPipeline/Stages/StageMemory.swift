/// What a kind of stage remembers between requests, in a type of its own.
///
/// The memory of a type is one for all stages of a router: a stage that must tell itself, or its route, from others keeps
/// that as a key. It is created when it is first used, and outlives a reload of the daemon's configuration.
@usableFromInline
package protocol StageMemory: Sendable {
    /// Creates the memory of stages that have seen nothing yet.
    init()
}

extension PipelineState {
    /// What the stages that use a type remember.
    ///
    /// It is changed in place. A copy of the state has a memory of its own from its first change on.
    ///
    /// - Parameter type: The type.
    @inlinable
    package subscript<Memory: StageMemory>(type: Memory.Type) -> Memory {
        // Inlined, because an accessor that is called allocates memory to be resumed in.
        @inline(__always) _read {
            if let index = memories.firstIndex(where: { $0.type == ObjectIdentifier(type) }) {
                yield memories[index].box(of: type).memory
            } else {
                yield Memory()
            }
        }
        @inline(__always) _modify {
            let index = indexOfMemory(of: type)
            if !isKnownUniquelyReferenced(&memories[index].box) {
                memories[index].box = MemoryBox(memories[index].box(of: type).memory)
            }
            yield &memories[index].box(of: type).memory
        }
    }

    /// Where the memory of a type is; it is created if it is not there.
    @inlinable @inline(__always)
    mutating func indexOfMemory<Memory: StageMemory>(of type: Memory.Type) -> Int {
        for index in memories.indices where memories[index].type == ObjectIdentifier(type) { return index }
        memories.append(StoredMemory(type: ObjectIdentifier(type), box: MemoryBox(Memory())))
        return memories.count - 1
    }
}

/// The memory of a type, which only those know who use it.
@usableFromInline
struct StoredMemory: Sendable {
    @usableFromInline let type: ObjectIdentifier
    @usableFromInline var box: any AnyObject & Sendable

    @usableFromInline
    init(type: ObjectIdentifier, box: any AnyObject & Sendable) {
        self.type = type
        self.box = box
    }

    /// The box as what it is.
    @inlinable
    func box<Memory: StageMemory>(of type: Memory.Type) -> MemoryBox<Memory> {
        unsafeDowncast(box, to: MemoryBox<Memory>.self)
    }
}

/// The memory of a type.
@usableFromInline
final class MemoryBox<Memory: StageMemory>: Sendable {
    /// It is changed only by the owner of the state that alone has the box.
    @usableFromInline nonisolated(unsafe) var memory: Memory

    @usableFromInline
    init(_ memory: Memory) {
        self.memory = memory
    }
}
