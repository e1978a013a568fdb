import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { Connection, type ConnectionTimes, type ConnectionSocket } from './connection.ts'

export interface ConnectionsOptions {
  clock: Clock
  times: ConnectionTimes
  onMessage: (message: Uint8Array, from: Flow) => void
  onClosed: (connection: number, flow: Flow) => void
}

/** All connections of all kinds, found by their number or by their remote address. */
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

  /** `flow` has no number yet. */
  add(flow: Flow, socket: ConnectionSocket): Connection {
    const id = ++this.#lastId
    const { clock, times } = this.#options
    const connection = new Connection({ ...flow, connection: id }, socket, clock, times)
    this.#byId.set(id, connection)
    this.#byPeer.set(peerKey(flow), connection)
    return connection
  }

  /** A flow with a number means that connection and no other. */
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

  /** Resolves when the last one is gone. */
  async destroyAll(): Promise<void> {
    if (this.size === 0) return
    const empty = new Promise<void>((resolve) => (this.#whenEmpty = resolve))
    for (const connection of this.#byId.values()) connection.destroy()
    await empty
  }
}

/** With the name that the certificate was checked for: a connection to one name is not one to another at the same address. */
const peerKey = ({ kind, address, port, serverName = '' }: Flow): string => `${kind} ${address} ${port} ${serverName}`
