import Logging
import XCallbackEventLoop
import XCallbackSystemd

/// The daemon's place on the session's message bus, where the desktop hands URLs to it without starting a program.
final class DesktopBus: LoopGuest {
    /// The name under which the desktop finds it: that of the desktop entry.
    static let name = "org.xcallback.Router"

    private let bus: SessionBus
    private let descriptor: Int32
    private let desktop: Desktop
    private let service: RequestService
    private var waitsForRoom = false

    /// Begins to connect to the bus.
    ///
    /// - Parameters:
    ///   - service: What answers; it keeps the deadline for this.
    ///   - logger: Where it is told that there is no bus.
    ///   - loop: The loop on which it lives from now on.
    /// - Returns: The place; nil if there is none.
    static func join(_ service: RequestService, _ logger: Logger, on loop: isolated EventLoop) -> DesktopBus? {
        do {
            let place = DesktopBus(try SessionBus(name: name), service, logger)
            try loop.add(place, place.descriptor)
            place.proceed(on: loop)
            return place
        } catch {
            logger.info("the session's bus is not used", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private init(_ bus: SessionBus, _ service: RequestService, _ logger: Logger) {
        self.bus = bus
        descriptor = bus.descriptor
        desktop = Desktop(logger)
        self.service = service
    }

    func proceed(on loop: isolated EventLoop) {
        do {
            for request in try bus.process() { open(request, on: loop) }
            if bus.waitsForRoom != waitsForRoom {
                waitsForRoom = bus.waitsForRoom
                try loop.watchGuest(descriptor, waitsForRoom: waitsForRoom)
            }
            loop.setDeadline(.bus, after: bus.timeLeft)
        } catch {
            desktop.logger.info("the session's bus is not used any more", metadata: ["error": "\(error)"])
            loop.setDeadline(.bus, after: nil)
            loop.removeGuest(descriptor)
            service.bus = nil
        }
    }

    /// Asks for the URLs, each as a client of the daemon would.
    private func open(_ request: BusRequest, on loop: isolated EventLoop) {
        for url in request.urls {
            do {
                try loop.connect { id in
                    DesktopRequest(url, token: request.activationToken, desktop, service)
                }
            } catch {
                desktop.logger.error("a URL of the desktop was not handled", metadata: ["error": "\(error)"])
            }
        }
    }
}
