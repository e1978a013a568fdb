import { once } from 'node:events'
import type { TalkFrame, TalkNews } from '@offhook/contract/v3/talks.ts'
import { WebSocket, type ClientOptions } from 'ws'
import type { Scope } from '../machine/temporary-folder.ts'

/** WebSocket side of a page that talks to a flow. */
export class TalkClient {
  readonly news: TalkNews[] = []
  readonly socket: WebSocket
  /** Close code of the connection. */
  readonly closed: Promise<number>
  onSound: (frame: Int16Array) => void = () => {}
  #poll: () => void = () => {}

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer, binary) => {
      if (binary) return this.onSound(new Int16Array(Uint8Array.from(data).buffer))
      this.news.push(JSON.parse(data.toString()) as TalkNews)
      this.#poll()
    })
    this.closed = new Promise((resolve) => void socket.once('close', resolve))
  }

  /** Rejects with the status if the service rejects the upgrade. */
  static async open(t: Scope, url: string, options: ClientOptions = {}): Promise<TalkClient> {
    const socket = new WebSocket(url, options)
    t.after(() => socket.terminate())
    const client = new TalkClient(socket)
    await once(socket, 'open')
    return client
  }

  /** Resolves with the first event of this type. */
  async onEvent<T extends TalkNews['type']>(type: T): Promise<TalkNews & { type: T }> {
    for (;;) {
      const found = this.news.find((one): one is TalkNews & { type: T } => one.type === type)
      if (found) return found
      const changed = new Promise<'news'>((resolve) => (this.#poll = () => resolve('news')))
      const what = await Promise.race([changed, this.closed])
      if (what !== 'news' && !this.news.some((one) => one.type === type)) throw new Error(`closed (${what}) without ${type}`)
    }
  }

  send(frame: TalkFrame): void {
    this.socket.send(JSON.stringify(frame))
  }

  sendSound(frame: Int16Array): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength))
  }
}
