import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { LiveSocket } from './live/live.ts'

/** `live()`, or `assistant()`. */
export interface Attachable<Given> {
  attach(socket: LiveSocket, given: Given): void
  close?(): void
}

export type Refused = '401 Unauthorized' | '404 Not Found'

/** The assistant that takes a call, and the value passed to it. */
export interface Admitted<Given> {
  bot: Attachable<Given>
  given: Given
}

export interface LiveServerDeps<Given> {
  /** Chooses the assistant for a connection, or the status to reject it with. */
  admit: (request: IncomingMessage) => Promise<Admitted<Given> | Refused>
  /** Runs the task after `ms` milliseconds; returns a function that cancels it. */
  after?: (ms: number, task: () => void) => () => void
}

const maxBytes = 1_000_000

const wait = (ms: number, task: () => void): (() => void) => {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

/** Accepts the service's calls: one WebSocket each. */
export class LiveServer<Given = void> {
  readonly #deps: LiveServerDeps<Given>
  readonly #server: Server = createServer((_, response) => void response.writeHead(426).end())
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: maxBytes })
  readonly #bots = new Set<Attachable<Given>>()
  #stopping = false

  constructor(deps: LiveServerDeps<Given>) {
    this.#deps = deps
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      void this.#take(request, socket, head)
    })
  }

  /** The default host is reachable from this machine only. Returns the port. */
  async listen(port = 0, host = '127.0.0.1'): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Accepts no new calls. Active calls may finish within `withinMs`, then they are ended. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true
    this.#server.close()
    if (this.#sockets.clients.size > 0) await this.#callsOver(withinMs)
    for (const socket of this.#sockets.clients) socket.terminate()
    for (const bot of this.#bots) bot.close?.()
  }

  #callsOver(withinMs: number): Promise<void> {
    const { after = wait } = this.#deps
    return new Promise((resolve) => {
      const cancel = after(withinMs, resolve)
      for (const socket of this.#sockets.clients)
        socket.once('close', () => {
          if (this.#sockets.clients.size > 0) return
          cancel()
          resolve()
        })
    })
  }

  async #take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (this.#stopping) return refuse(socket, '503 Service Unavailable')
    const admitted = await this.#deps.admit(request)
    if (typeof admitted === 'string') return refuse(socket, admitted)
    if (socket.destroyed) return
    const { bot, given } = admitted
    this.#bots.add(bot)
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate())
      bot.attach(opened, given)
    })
  }
}

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

/** Whether the request has the flow's key. Compares hashes, because timingSafeEqual needs equal lengths. */
export const hasKey = ({ headers }: Pick<IncomingMessage, 'headers'>, key: string): boolean => {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  const given = headers['x-api-key']
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(key))
}

export interface ServeOptions {
  /** Default 3001; 0: a free one. */
  port?: number
  /** Default 127.0.0.1: reachable from this machine only. */
  host?: string
  /** The flow's `apiKey`, for all flows. Without one every client that reaches the port is trusted. */
  apiKey?: string | undefined
}

export interface ServedFlow {
  bot: Attachable<void>
  /** API key of this flow. */
  apiKey?: string
}

export interface Served {
  url: string
  /** Rejects new calls; resolves when active calls have ended, at the latest after `withinMs` (default: a minute), when they are cut. */
  close: (withinMs?: number) => Promise<void>
}

const maxFarewellMs = 60_000

/** Accepts calls over WebSockets: for one assistant at every path, or for several, each at its own. */
export const serve = async (
  flows: Attachable<void> | Readonly<Record<`/${string}`, Attachable<void> | ServedFlow>>,
  { port = 3001, host = '127.0.0.1', apiKey }: ServeOptions = {},
): Promise<Served> => {
  const flowAt = (path: string): ServedFlow | undefined => {
    if (isAttachable(flows)) return { bot: flows }
    const found = Object.hasOwn(flows, path) ? flows[path as `/${string}`] : undefined
    return found && isAttachable(found) ? { bot: found } : found
  }
  const server = new LiveServer<void>({
    admit: async (request) => {
      const flow = flowAt(new URL(request.url ?? '/', 'http://here').pathname)
      if (!flow) return '404 Not Found'
      const key = flow.apiKey ?? apiKey
      return key === undefined || hasKey(request, key) ? { bot: flow.bot, given: undefined } : '401 Unauthorized'
    },
  })
  const taken = await server.listen(port, host)
  return { url: `ws://${host}:${taken}/`, close: (withinMs = maxFarewellMs) => server.stop(withinMs) }
}

const isAttachable = (value: object): value is Attachable<void> => 'attach' in value
