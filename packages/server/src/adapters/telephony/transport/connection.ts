import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'

/** What every kind of socket with a peer at its other end can do. */
export interface ConnectionSocket {
  write(message: Uint8Array, done: (error?: Error | null) => void): void
  /** Bytes that the peer has not taken yet. */
  waiting(): number
  destroy(): void
}

export interface ConnectionTimes {
  /** For a message to become whole, also the first after connecting. */
  messageMs: number
  /** Without a message in either direction. */
  idleMs: number
}

/** A peer that does not read what we send must not fill our memory. */
const MOST_WAITING_BYTES = 1024 * 1024

/** A connection of whatever kind, with the deadlines that keep it from being held for nothing. */
export class Connection {
  readonly flow: Flow
  readonly #socket: ConnectionSocket
  readonly #clock: Clock
  readonly #times: ConnectionTimes
  #usedAt: number
  #stopIdle: () => void
  #stopDeadline: (() => void) | undefined

  constructor(flow: Flow, socket: ConnectionSocket, clock: Clock, times: ConnectionTimes) {
    this.flow = flow
    this.#socket = socket
    this.#clock = clock
    this.#times = times
    this.#usedAt = clock.now()
    this.#stopIdle = clock.after(times.idleMs, () => this.#checkIdle())
  }

  send(message: Uint8Array, failed: (error: Error) => void): void {
    if (this.#socket.waiting() > MOST_WAITING_BYTES) this.#socket.destroy()
    else this.#usedAt = this.#clock.now()
    this.#socket.write(message, (error) => {
      if (error) failed(error)
    })
  }

  /** Something is on its way and must be whole in time; asking twice does not give more time. */
  expectMessage(): void {
    this.#stopDeadline ??= this.#clock.after(this.#times.messageMs, () => this.#socket.destroy())
  }

  messageIsWhole(): void {
    this.#usedAt = this.#clock.now()
    this.#stopDeadline?.()
    this.#stopDeadline = undefined
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** The socket is gone. */
  closed(): void {
    this.#stopIdle()
    this.#stopDeadline?.()
  }

  /** One timer that looks when the connection was last used, instead of one for every message. */
  #checkIdle(): void {
    const left = this.#usedAt + this.#times.idleMs - this.#clock.now()
    if (left <= 0) this.#socket.destroy()
    else this.#stopIdle = this.#clock.after(left, () => this.#checkIdle())
  }
}
