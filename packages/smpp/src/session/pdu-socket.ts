import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { encodePdu } from '../pdu/encode.ts'
import { PduFramer } from '../pdu/framing.ts'
import { limits } from '../pdu/octets.ts'
import type { SmppClock } from './session-options.ts'
import { SmppError } from '../pdu/smpp-error.ts'

interface PduSocketEvents {
  pdu: (pdu: Buffer) => void
  /** The far end stopped reading (`full`) or resumed (`drained`). */
  full: () => void
  drained: () => void
  /** Called once: no more reads or writes. */
  stopped: (why: string) => void
  /** Called once, after `stopped`: the connection is closed. */
  gone: (why: string) => void
}

/** Milliseconds for the far end to close its side after we closed ours. */
const lingerMs = 2_000

/** Complete PDUs over a connection. Stops reading while the far end does not read. */
export class PduSocket {
  readonly #socket: Duplex
  readonly #clock: SmppClock
  readonly #events: PduSocketEvents
  readonly #framer = new PduFramer(limits.unboundBytes)
  #why: string | undefined
  #stopped = false
  #gone = false
  #corked = false
  #cancelLinger: (() => void) | undefined

  constructor(socket: Duplex, clock: SmppClock, events: PduSocketEvents) {
    this.#socket = socket
    this.#clock = clock
    this.#events = events
    // Related PDUs are written together anyway; a response must not wait for the next one.
    if (socket instanceof Socket) socket.setNoDelay(true)
    socket.on('error', (error: Error) => (this.#why ??= error.message))
    socket.once('end', () => this.end('The far end closed the connection'))
    socket.once('close', () => this.#closed())
    socket.on('drain', () => this.#drained())
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    if (socket.destroyed) queueMicrotask(() => this.#closed())
  }

  /** The far end is authenticated: allows larger PDUs. */
  trust(): void {
    this.#framer.limit = limits.pduBytes
  }

  /** Everything written in one turn of the event loop is sent together. */
  write(pdu: Buffer): void {
    if (this.#stopped) return
    if (!this.#corked) {
      this.#corked = true
      this.#socket.cork()
      setImmediate(() => this.#uncork())
    }
    if (this.#socket.write(pdu)) return
    this.#socket.pause()
    this.#events.full()
  }

  /** Flushes, then closes. */
  end(why: string): void {
    if (!this.#stop(why)) return
    this.#socket.end()
    // Input is ignored, but the end of the stream must be seen.
    this.#socket.resume()
    this.#cancelLinger = this.#clock.after(lingerMs, () => this.#socket.destroy())
  }

  destroy(why: string): void {
    this.#stop(why)
    this.#socket.destroy()
  }

  #stop(why: string): boolean {
    if (this.#stopped) return false
    this.#stopped = true
    this.#why ??= why
    this.#events.stopped(this.#why)
    return true
  }

  #uncork(): void {
    this.#corked = false
    this.#socket.uncork()
  }

  #drained(): void {
    this.#socket.resume()
    this.#events.drained()
  }

  #read(chunk: Buffer): void {
    if (this.#stopped) return
    this.#framer.push(chunk)
    try {
      for (let pdu = this.#framer.next(); pdu && !this.#stopped; pdu = this.#framer.next()) this.#events.pdu(pdu)
    } catch (error) {
      if (!(error instanceof SmppError)) throw error
      this.write(encodePdu({ command: 'generic_nack', status: error.status, sequence: 0 }))
      this.end(`${error.message}: the connection makes no sense any more`)
    }
  }

  #closed(): void {
    if (this.#gone) return
    this.#gone = true
    this.#stop('The connection was closed')
    this.#cancelLinger?.()
    this.#events.gone(this.#why ?? '')
  }
}
