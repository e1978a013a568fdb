import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Scope } from '../machine/temporary-folder.ts'

/** Network between a process and its database, with injectable faults. */
export interface DatabaseProxy {
  /** URL of the database through the proxy. */
  readonly url: string
  /** Number of open connections. */
  readonly connections: number
  /** Half-open: connections stay and new ones are accepted, but no byte arrives, as behind a router that was switched off. */
  swallow(): void
  /** Simulates a stopped database: closes every connection, including new ones. */
  refuse(): void
  /** Delays everything sent to the database. */
  slow(ms: number): void
  /** New connections work again, and so do slow ones. Swallowed data stays lost, with its connection. */
  heal(): void
}

type State = 'passes' | 'swallows' | 'refuses'

/** Proxy for the database at `url` on a free port, until the end of the test. */
export const startDatabaseProxy = async (t: Scope, url: string): Promise<DatabaseProxy> => {
  const { hostname, port: target } = new URL(url)
  const lines = new Set<Line>()
  let state: State = 'passes'
  let delayMs = 0
  const server = createServer((near) => {
    if (state === 'refuses') {
      near.destroy()
      return
    }
    const line = new Line(near, { port: Number(target), host: hostname }, () => delayMs)
    if (state === 'swallows') line.swallow()
    lines.add(line)
    void line.closed.then(() => lines.delete(line))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closeAll = (): void => {
    for (const line of lines) line.close()
  }
  t.after(async () => {
    const closed = once(server, 'close')
    server.close()
    closeAll()
    await closed
  })
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    get connections() {
      return lines.size
    },
    swallow() {
      state = 'swallows'
      for (const line of lines) line.swallow()
    },
    refuse() {
      state = 'refuses'
      closeAll()
    },
    slow(ms) {
      delayMs = ms
    },
    heal() {
      state = 'passes'
      delayMs = 0
    },
  }
}

/** One connection through the proxy. */
class Line {
  readonly closed: Promise<void>
  readonly #near: Socket
  readonly #far: Socket
  readonly #delayed = new Set<NodeJS.Timeout>()
  #swallows = false

  constructor(near: Socket, target: { port: number; host: string }, delayMs: () => number) {
    this.#near = near
    this.#far = connect(target)
    const ends = [this.#near, this.#far].map((socket) => {
      socket.setNoDelay().on('error', () => {})
      return new Promise<void>((resolve) => void socket.once('close', () => (this.#hangUp(socket), resolve())))
    })
    this.closed = Promise.all(ends).then(() => {})
    near.on('data', (piece) => this.#after(delayMs(), () => this.#far.write(piece)))
    this.#far.on('data', (piece) => this.#after(0, () => near.write(piece)))
  }

  swallow(): void {
    this.#swallows = true
  }

  close(): void {
    this.#swallows = false
    this.#near.destroy()
    this.#far.destroy()
  }

  #after(ms: number, pass: () => void): void {
    if (this.#swallows) return
    if (ms === 0 && this.#delayed.size === 0) return pass()
    const timer = setTimeout(() => {
      this.#delayed.delete(timer)
      if (!this.#swallows) pass()
    }, ms)
    this.#delayed.add(timer)
  }

  /** Closes the other side, except that the service keeps its connection while everything is swallowed. */
  #hangUp(socket: Socket): void {
    for (const timer of this.#delayed) clearTimeout(timer)
    if (socket === this.#near) this.#far.destroy() // the database may close; its data is no longer read
    else if (!this.#swallows) this.#near.destroy()
  }
}
