import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'

interface ConnectionsOptions {
  clock: Clock
  times: ConnectionTimes
  onMessage: (message: Uint8Array, from: Flow) => void
  onClosed: (connection: number, flow: Flow) => void
}

/** All connections of all kinds, by id or by remote address. */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #byId = new Map<number, Connection>()
  readonly #byPeer = new Map<string, Connection>()
  #lastId = 0
  #whenEmpty: (() => void) | undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byId.size
  }

  /** `flow` has no id yet. */
  add(flow: Flow, socket: ConnectionSocket): Connection {
    const id = ++this.#lastId
    const { clock, times } = this.#options
    const connection = new Connection({ ...flow, connection: id }, socket, clock, times)
    this.#byId.set(id, connection)
    this.#byPeer.set(peerKey(flow), connection)
    return connection
  }

  /** A flow with an id means exactly that connection. */
  find(flow: Flow): Connection | undefined {
    return flow.connection === undefined ? this.#byPeer.get(peerKey(flow)) : this.#byId.get(flow.connection)
  }

  received(connection: Connection, message: Uint8Array): void {
    connection.messageIsWhole()
    this.#options.onMessage(message, connection.flow)
  }

  closed(connection: Connection): void {
    const { flow } = connection
    const id = flow.connection ?? 0
    if (!this.#byId.delete(id)) return
    if (this.#byPeer.get(peerKey(flow)) === connection) this.#byPeer.delete(peerKey(flow))
    connection.closed()
    this.#options.onClosed(id, flow)
    if (this.size === 0) this.#whenEmpty?.()
  }

  /** Resolves when the last one is closed. */
  async destroyAll(): Promise<void> {
    if (this.size === 0) return
    const empty = new Promise<void>((resolve) => (this.#whenEmpty = resolve))
    for (const connection of this.#byId.values()) connection.destroy()
    await empty
  }
}

/** Includes the name that the certificate was verified for: connections to different names at one address differ. */
const peerKey = ({ kind, address, port, serverName = '' }: Flow): string => `${kind} ${address} ${port} ${serverName}`

/** Common interface of all sockets with a peer. */
interface ConnectionSocket {
  write(message: Uint8Array, done: (error?: Error | null) => void): void
  /** Bytes not yet accepted by the peer. */
  waiting(): number
  destroy(): void
}

interface ConnectionTimes {
  /** Milliseconds for a message to become complete, also for the first after connecting. */
  messageMs: number
  /** Milliseconds without a message in either direction. */
  idleMs: number
}

/** A peer that does not read must not fill our memory. */
const MOST_WAITING_BYTES = 1024 * 1024

/** A connection of any kind, with deadlines against idle ones. */
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

  /** A message is arriving and must be complete in time; a second call does not extend the deadline. */
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

  /** The socket is closed. */
  closed(): void {
    this.#stopIdle()
    this.#stopDeadline?.()
  }

  /** One timer that checks the last use, instead of one per message. */
  #checkIdle(): void {
    const left = this.#usedAt + this.#times.idleMs - this.#clock.now()
    if (left <= 0) this.#socket.destroy()
    else this.#stopIdle = this.#clock.after(left, () => this.#checkIdle())
  }
}
