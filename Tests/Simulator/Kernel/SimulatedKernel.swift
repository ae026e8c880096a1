import CLinux
import Glibc

/// The calls of the system, for descriptors that are real: files on disk.
private let system = xcb_current_kernel()

/// Returns what a call of the simulated kernel has come to, as C functions do.
private func finish(_ result: Int) -> Int {
    if result >= 0 { return result }
    errno = Int32(-result)
    return -1
}

private func finish(_ result: Int) -> Int32 { Int32(finish(result) as Int) }

/// Returns what a call has come to; at times, a signal interrupts it before it does anything.
private func interruptible(_ call: () -> Int) -> Int {
    finish(World.current.isOneIn(50) ? failure(EINTR) : call())
}

extension World {
    /// The world in which this process runs.
    nonisolated(unsafe) private(set) static var current = World(of: Scenario(seed: 0))

    /// Puts the daemon of this process into a world.
    func begin() {
        Self.current = self
        var kernel = system
        kernel.epoll_create1 = { _ in World.current.add(SimulatedSet()) }
        kernel.epoll_ctl = { set, operation, number, event in
            finish(World.current.control(set, operation, number, event?.pointee ?? epoll_event()))
        }
        kernel.epoll_wait = { set, events, limit, milliseconds in
            let buffer = UnsafeMutableBufferPointer(start: events, count: Int(limit))
            return finish(World.current.wait(on: set, into: buffer, blocks: milliseconds != 0))
        }
        kernel.poll = { members, count, milliseconds in
            guard count == 1, let member = members else { return finish(failure(EINVAL)) }
            return finish(World.current.look(at: &member.pointee))
        }
        kernel.signalfd = { _, _, _ in World.current.add(World.current.signals) }
        kernel.eventfd = { _, _ in World.current.add(SimulatedCounter()) }
        kernel.clock_gettime = { clock, time in
            time?.pointee = World.current.readClock(clock)
            return 0
        }
        kernel.timerfd_create = { _, _ in World.current.add(World.current.timer) }
        kernel.timerfd_settime = { _, _, setting, _ in
            guard let value = setting?.pointee.it_value else { return finish(failure(EFAULT)) }
            let time = Int64(value.tv_sec) * 1_000_000_000 + Int64(value.tv_nsec)
            let isLost = time > 0 && World.current.injects(.losesTimers, oneIn: 20)
            World.current.timer.time = time > 0 && !isLost ? time : nil
            return 0
        }
        setConnectionCalls(of: &kernel)
        setProgramCalls(of: &kernel)
        setFileCalls(of: &kernel)
        kernel.getpid = { 4711 }
        kernel.getrandom = { bytes, count, _ in
            World.current.fill(UnsafeMutableRawBufferPointer(start: bytes, count: count))
            return count
        }
        kernel.start_thread = { run, work in
            if World.current.isRefused(.thread) {
                World.current.noteRefusedThread()
                return EAGAIN
            }
            if let run { World.current.work.append { _ = run(work) } }
            return 0
        }
        // It would wait in the time of the system.
        kernel.thread_idle_time = 0
        kernel.finish_work = { World.current.finishWork() }
        xcb_replace_kernel(&kernel)
    }

    private func setConnectionCalls(of kernel: inout Kernel) {
        kernel.accept = { _ in Int32(interruptible { World.current.accept() }) }
        kernel.refuse_descriptors = { _ in
            finish(World.current.scenario.kernelRefusesDescriptors ? 0 : failure(ENOPROTOOPT))
        }
        kernel.peer_read = { socket, peer in
            guard let socket = World.current.socket(socket) else { return finish(World.current.closed(socket)) }
            peer?.pointee = xcb_peer(pid: 4000, uid: socket.userID, gid: socket.userID)
            return 0
        }
        kernel.receive = { socket, bytes, count in
            interruptible {
                World.current.receive(from: socket, UnsafeMutableRawBufferPointer(start: bytes, count: count))
            }
        }
        kernel.receive_passed = { number, bytes, count, passed, passedCount in
            interruptible {
                let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: count)
                let count = World.current.receive(from: number, buffer)
                let descriptorCount = World.current.socket(number)?.takePassed(with: count) ?? 0
                for index in 0..<descriptorCount { passed?[index] = World.current.add(SimulatedFile()) }
                passedCount?.pointee = Int32(descriptorCount)
                return count
            }
        }
        kernel.send = { socket, bytes, count in
            interruptible { World.current.send(UnsafeRawBufferPointer(start: bytes, count: count), to: socket) }
        }
        kernel.shutdown = { socket, how in finish(World.current.shutdown(socket, how)) }
    }

    private func setProgramCalls(of kernel: inout Kernel) {
        kernel.memory_file = { _ in
            World.current.isRefused(.file) ? finish(failure(ENFILE)) : World.current.add(SimulatedFile())
        }
        kernel.pipe = { ends in
            if World.current.isRefused(.pipe) { return finish(failure(EMFILE)) }
            let pipe = SimulatedPipe()
            ends?[0] = World.current.add(PipeReader(pipe))
            ends?[1] = World.current.add(PipeWriter(pipe))
            return 0
        }
        kernel.spawn = { program, handle in
            guard let program = program?.pointee, let handle else { return finish(failure(EFAULT)) }
            return finish(World.current.spawn(program, &handle.pointee))
        }
        kernel.waitid = { kind, number, information, _ in
            if World.current.isOneIn(50) { return finish(failure(EINTR)) }
            guard let ending = World.current.reap(kind, Int32(bitPattern: number)) else {
                return finish(failure(ECHILD))
            }
            information?.pointee.si_code = ending.code
            information?.pointee._sifields._sigchld.si_status = ending.status
            return 0
        }
        kernel.kill = { process, signal in finish(World.current.kill(process, signal)) }
    }

    private func setFileCalls(of kernel: inout Kernel) {
        kernel.read = { number, bytes, count in
            guard let descriptor = World.current.descriptors[number] else { return system.read(number, bytes, count) }
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: count)
            if descriptor is SimulatedCounter { World.current.noteJobs() }
            if descriptor is PipeReader { return interruptible { descriptor.read(buffer, at: World.current.time) } }
            return finish(descriptor.read(buffer, at: World.current.time))
        }
        kernel.write = { number, bytes, count in
            guard let descriptor = World.current.descriptors[number] else { return finish(failure(EBADF)) }
            if descriptor is SimulatedCounter, World.current.injects(.losesWakeups, oneIn: 20) { return count }
            return finish(descriptor.write(UnsafeRawBufferPointer(start: bytes, count: count)))
        }
        kernel.pwrite = { number, _, count, _ in
            World.current.descriptors[number] is SimulatedFile ? count : finish(failure(EBADF))
        }
        kernel.close = { number in
            if World.current.closeSimulated(number) { return 0 }
            return system.close(number)
        }
    }
}
