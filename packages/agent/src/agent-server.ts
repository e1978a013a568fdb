import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Live } from '@offhook/sdk'
import type { AgentClock } from './clock.ts'
import type { AgentSettings } from './host.ts'

export interface AgentServerParts {
  bot: Live<AgentSettings>
  clock: AgentClock
  /** The assistant that takes the call, or the status with which it is refused. */
  admit: (request: IncomingMessage) => Promise<AgentSettings | Refused>
}

export type Refused = '401 Unauthorized' | '404 Not Found'

const mostBytes = 1_000_000

/** Takes the calls that the service brings: one WebSocket for each. */
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

  /** Only this machine reaches the usual host. Gives the port. */
  async listen(port = 0, host = '127.0.0.1'): Promise<number> {
    this.#server.listen(port, host)
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
    if (this.#stopping) return refuse(socket, '503 Service Unavailable')
    const settings = await this.#parts.admit(request)
    if (typeof settings === 'string') return refuse(socket, settings)
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
