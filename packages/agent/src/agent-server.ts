import { timingSafeEqual, createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Live } from '@offhook/sdk'
import type { AgentClock } from './clock.ts'
import type { AgentSettings, Version } from './host.ts'
import type { SettingsCache } from './settings-cache.ts'

export interface AgentServerParts {
  bot: Live<AgentSettings>
  settings: SettingsCache
  clock: AgentClock
  key: string
}

const mostBytes = 1_000_000
const place = /^\/([\w-]{1,100})\/(draft|[1-9]\d{0,8})$/

/** Takes the calls that the service brings, on this machine only. */
export class AgentServer {
  readonly #parts: AgentServerParts
  readonly #server: Server = createServer((_, response) => void response.writeHead(426).end())
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: mostBytes })
  #stopping = false

  constructor(parts: AgentServerParts) {
    this.#parts = parts
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      void this.#take(request, socket, head)
    })
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** No new calls; those that are here may say what came of them. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true
    this.#server.close()
    if (this.#sockets.clients.size > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#parts.clock.after(withinMs, resolve)
        for (const socket of this.#sockets.clients)
          socket.once('close', () => {
            if (this.#sockets.clients.size > 0) return
            cancel()
            resolve()
          })
      })
    }
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#parts.bot.close()
  }

  async #take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const [, flowId, version] = place.exec(request.url ?? '') ?? []
    if (!isSame(request.headers['x-api-key'], this.#parts.key)) return refuse(socket, '401 Unauthorized')
    if (flowId === undefined || version === undefined) return refuse(socket, '404 Not Found')
    if (this.#stopping) return refuse(socket, '503 Service Unavailable')
    const wanted: Version = version === 'draft' ? version : Number(version)
    const settings = await this.#parts.settings.get(flowId, wanted).catch(() => undefined)
    if (!settings) return refuse(socket, '404 Not Found')
    if (socket.destroyed) return
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate())
      this.#parts.bot.attach(opened, settings)
    })
  }
}

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

/** Hashes have the same length, whatever was given. */
const isSame = (given: string | string[] | undefined, key: string): boolean => {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(key))
}
