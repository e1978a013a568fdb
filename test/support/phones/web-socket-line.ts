import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Flow, Transport } from '@offhook/sip/transport/transport.ts'

/** SIP over one WebSocket, like a browser (RFC 7118): it accepts no connections, so its Contact names no address. */
export class WebSocketLine implements Transport {
  readonly #socket: WebSocket
  readonly #host = `${randomBytes(6).toString('hex')}.invalid`

  private constructor(socket: WebSocket, receive: (message: Uint8Array, from: Flow) => void) {
    this.#socket = socket
    const { hostname, port } = new URL(socket.url)
    const from: Flow = { kind: 'ws', address: hostname, port: Number(port) }
    socket.on('message', (data: Buffer) => receive(data, from))
  }

  static async open(url: string, receive: (message: Uint8Array, from: Flow) => void): Promise<WebSocketLine> {
    const socket = new WebSocket(url, 'sip', { rejectUnauthorized: false })
    await once(socket, 'open')
    socket.on('error', () => {})
    return new WebSocketLine(socket, receive)
  }

  port(): number | undefined {
    return undefined
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  send(message: Uint8Array, _to: Flow, failed: (error: Error) => void): void {
    this.#socket.send(message, (error) => {
      if (error) failed(error)
    })
  }

  localAddress(): { host: string; port: number } {
    return { host: this.#host, port: 5060 }
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    this.#socket.terminate()
    await once(this.#socket, 'close')
  }
}
