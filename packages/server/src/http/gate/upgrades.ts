import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '@offhook/contract/problem.ts'
import type { Log } from '#log/log-events.ts'
import { WebSocketServer, type WebSocket } from 'ws'
import { addressBlock } from '#core/kernel/network/address-block.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { endWithProblem, knownProblem } from '../reply/errors.ts'
import type { RateLimit } from '../limits/rate-limit.ts'

/** A path that accepts WebSockets: `/v3/ai-flows/{aiFlowId}/listen`. */
export interface UpgradeRoute {
  path: string
  /** Maximum bytes per message. */
  maxBytes?: number
  /** Accepts, or throws a Problem that is sent to the client. */
  enter(upgrade: Upgrade): void | Promise<void>
}

/** A client's request for a WebSocket. */
export interface Upgrade {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** Client address; behind a trusted proxy, the one that the proxy names. */
  ip: string
  /** Completes the handshake; rejects when the client is gone or the handshake is invalid. */
  accept: () => Promise<WebSocket>
}

interface UpgradesDeps {
  clock: Clock
  rateLimit: RateLimit
  trustProxy: boolean
  log: Log
}

interface MountedRoute extends UpgradeRoute {
  pattern: RegExp
  server: WebSocketServer
}

const defaultBytes = 64 * 1024
const pingIntervalMs = 20_000
const maxMissedPongs = 2
const farewellMs = 1_000

/** The only place where HTTP connections become WebSockets. Requests without a matching route stay ordinary requests. */
export class Upgrades {
  readonly #deps: UpgradesDeps
  readonly #routes: MountedRoute[] = []
  readonly #open = new Map<Duplex, WebSocket | undefined>()
  #closing = false

  constructor(deps: UpgradesDeps) {
    this.#deps = deps
  }

  add(route: UpgradeRoute): void {
    const { path, maxBytes: maxPayload = defaultBytes } = route
    const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload, perMessageDeflate: false })
    this.#routes.push({ ...route, pattern, server })
  }

  /** Whether this request is for a route; the HTTP server asks before it hands over the connection. */
  wants(request: IncomingMessage): boolean {
    return request.headers.upgrade?.toLowerCase() === 'websocket' && this.#routeOf(request) !== undefined
  }

  serve(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      this.#open.set(socket, undefined)
      socket.once('close', () => this.#open.delete(socket))
      void this.#enter(request, socket, head)
    })
  }

  /** Closes all WebSockets with a short timeout for their clients. */
  async close(): Promise<void> {
    this.#closing = true
    const gone = [...this.#open.keys()].map((socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())))
    for (const [socket, client] of this.#open) {
      if (client) client.close(1001)
      else socket.destroy()
    }
    const cancel = setTimeout(() => {
      for (const socket of this.#open.keys()) socket.destroy()
    }, farewellMs)
    await Promise.all(gone)
    clearTimeout(cancel)
  }

  async #enter(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const route = this.#routeOf(request)
      if (!route) throw new Problem('route_not_found')
      if (this.#closing) throw new Problem('unavailable')
      const ip = this.#deps.trustProxy ? lastForwarded(request) : ownAddress(request)
      this.#deps.rateLimit.take(addressBlock(ip))
      const [path = '', query] = sameAddress(request.url ?? '').split('?')
      const accept = (): Promise<WebSocket> => this.#accept(route, request, socket, head)
      await route.enter({ request, socket, head, params: paramsOf(route, path), query: new URLSearchParams(query), ip, accept })
    } catch (error) {
      const problem = knownProblem(error)
      if (!problem) this.#deps.log('websocket_failed', { err: error })
      endWithProblem(socket, problem ?? new Problem('internal_error'))
    }
  }

  #accept({ server }: MountedRoute, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Problem('request_malformed'))
      if (socket.destroyed) return gone()
      socket.once('close', gone)
      server.handleUpgrade(request, socket, head, (client) => {
        this.#open.set(socket, client)
        client.on('error', () => client.terminate())
        keepAlive(client, this.#deps.clock)
        resolve(client)
      })
    })
  }

  #routeOf(request: IncomingMessage): MountedRoute | undefined {
    const [path = ''] = sameAddress(request.url ?? '').split('?')
    return this.#routes.find(({ pattern }) => pattern.test(path))
  }
}

/** Detects clients that vanished without closing their connection. */
const keepAlive = (client: WebSocket, clock: Clock): void => {
  let missed = 0
  const ping = (): void => {
    if (missed++ >= maxMissedPongs) return client.terminate()
    client.ping()
    stop = clock.after(pingIntervalMs, ping)
  }
  let stop = clock.after(pingIntervalMs, ping)
  client.on('pong', () => (missed = 0))
  client.once('close', () => stop())
}

const paramsOf = ({ pattern }: MountedRoute, path: string): Record<string, string> => {
  try {
    const found = Object.entries(pattern.exec(path)?.groups ?? {})
    return Object.fromEntries(found.map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw new Problem('request_malformed')
  }
}

const ownAddress = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''

/** The entry that the proxy in front of us added. */
const lastForwarded = (request: IncomingMessage): string =>
  String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim() || ownAddress(request)

/** Pages with relative links; the service redirects to the address with a slash. */
const pages = /^\/(console|docs)\//

/** Ignores a trailing slash: `/v1/users/?a=b` is `/v1/users?a=b`. Only the index of an area keeps its slash. */
export const sameAddress = (url: string): string => {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  if (path === '/v1') return `/v1/${url.slice(path.length)}`
  if (!path.endsWith('/') || path === '/' || path === '/v1/' || pages.test(path)) return url
  return path.slice(0, -1) + url.slice(path.length)
}
