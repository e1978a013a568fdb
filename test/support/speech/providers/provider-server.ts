import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'

export const providerKey = 'sk-test-0123456789abcdef'

/**
 * Fault from now on. `silent`: no response. `drop`: closes the connection of the next request instead of a response.
 * `cut`: breaks after the first chunk. `stall`: sends nothing more after that.
 */
export type ProviderFault =
  | { status: number; retryAfter?: string; body?: string }
  | 'silent'
  | 'drop'
  | 'cut'
  | 'garbage'
  | 'stall'
  | 'endless'
  | { redirect: string }

export interface ProviderRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
}

/** Rejected as by the vendor. */
export class BadRequest extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body: unknown) {
    super(JSON.stringify(body))
    this.status = status
    this.body = JSON.stringify(body)
  }
}

export interface ProviderProtocol {
  /** Throws BadRequest. */
  answer?(request: ProviderRequest): Promise<{ contentType: string; pieces: Uint8Array[] }>
  /** Throws BadRequest before the connection is established. */
  accept?(request: ProviderRequest): (socket: WebSocket, server: ProviderServer) => void
}

/** Vendor on this machine, over HTTP and WebSocket. Keeps all requests. */
export class ProviderServer {
  readonly requests: ProviderRequest[] = []
  readonly live = new Set<WebSocket>()
  fault: ProviderFault | undefined
  readonly #protocol: ProviderProtocol
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #webSockets = new WebSocketServer({ noServer: true })

  constructor(protocol: ProviderProtocol) {
    this.#protocol = protocol
    this.#server = createServer((request, response) => void this.#serve(request, response))
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get connections(): number {
    return this.#sockets.size
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of message) pieces.push(piece as Buffer)
    const request = this.#remember(message, Buffer.concat(pieces))
    const { fault } = this
    if (fault === 'silent') return
    if (fault === 'drop') {
      this.fault = undefined
      response.destroy()
      return
    }
    if (typeof fault === 'object') {
      refuse(response, fault)
      return
    }
    try {
      const { contentType, pieces: sound } = (await this.#protocol.answer?.(request)) ?? { contentType: 'text/plain', pieces: [] }
      response.writeHead(200, { 'content-type': fault === 'garbage' ? 'application/json' : contentType })
      send(response, fault === 'garbage' ? [Buffer.from('{"text": ')] : sound, fault)
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error
      response.writeHead(error.status, { 'content-type': 'application/json' }).end(error.body)
    }
  }

  #upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void {
    const request = this.#remember(message, Buffer.alloc(0))
    const { fault } = this
    if (fault === 'silent') {
      socket.resume().on('end', () => socket.end())
      return
    }
    try {
      if (typeof fault === 'object') throw new BadRequest('status' in fault ? fault.status : 302, {})
      const talk = this.#protocol.accept?.(request)
      if (!talk) throw new BadRequest(404, {})
      this.#webSockets.handleUpgrade(message, socket, head, (webSocket) => {
        this.live.add(webSocket)
        webSocket.on('close', () => this.live.delete(webSocket))
        talk(webSocket, this)
      })
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error
      const retry = typeof fault === 'object' && 'retryAfter' in fault ? `Retry-After: ${fault.retryAfter}\r\n` : ''
      const place = typeof fault === 'object' && 'redirect' in fault ? `Location: ${fault.redirect}\r\n` : ''
      socket.end(
        `HTTP/1.1 ${error.status} No\r\n${retry}${place}Content-Length: ${error.body.length}\r\nConnection: close\r\n\r\n${error.body}`,
      )
    }
  }

  #remember({ method = '', url = '', headers }: IncomingMessage, body: Buffer): ProviderRequest {
    const { pathname: path, searchParams: query } = new URL(url, 'http://here')
    const request = { method, path, query, headers, body }
    this.requests.push(request)
    return request
  }
}

const refuse = (response: ServerResponse, fault: Exclude<ProviderFault, string>): void => {
  if ('redirect' in fault) {
    response.writeHead(302, { location: fault.redirect }).end()
    return
  }
  const { status, retryAfter, body = '{"error":{"code":"some_fault","message":"It is not to be."}}' } = fault
  response
    .writeHead(status, { 'content-type': 'application/json', ...(retryAfter !== undefined && { 'retry-after': retryAfter }) })
    .end(body)
}

const send = (response: ServerResponse, pieces: Uint8Array[], fault: ProviderFault | undefined): void => {
  const [first = new Uint8Array(0), ...rest] = pieces
  response.write(first)
  if (fault === 'stall') return
  if (fault === 'cut') setImmediate(() => response.destroy())
  else if (fault === 'endless') keepSending(response, first)
  else {
    for (const piece of rest) response.write(piece)
    response.end()
  }
}

const keepSending = (response: ServerResponse, piece: Uint8Array): void => {
  if (response.destroyed) return
  const more = (): void => keepSending(response, piece)
  if (response.write(piece)) setImmediate(more)
  else response.once('drain', more)
}

/** Chunks that end in the middle of a sample. */
export const inChunks = (samples: Int16Array, size = 1001): Uint8Array[] => {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

export const readJson = (body: Buffer, allowed: readonly string[]): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null) throw new BadRequest(400, { error: { code: 'not_json' } })
  const unknown = Object.keys(value).find((name) => !allowed.includes(name))
  if (unknown !== undefined) throw new BadRequest(400, { error: { code: 'unknown_field', message: unknown } })
  return value as Record<string, unknown>
}
