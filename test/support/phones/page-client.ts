import { once } from 'node:events'
import type { PageFrame, PhoneNews } from '@offhook/contract/v3/phone.ts'
import { WebSocket, type ClientOptions } from 'ws'
import type { Scope } from '../machine/temporary-folder.ts'

type Told<T extends PhoneNews['type']> = Extract<PhoneNews, { type: T }>

/** WebSocket side of a page that is a phone. */
export class PageClient {
  readonly socket: WebSocket
  /** Close code of the connection. */
  readonly closed: Promise<number>
  readonly #news: PhoneNews[] = []
  #poll: () => void = () => {}

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      this.#news.push(JSON.parse(data.toString()) as PhoneNews)
      this.#poll()
    })
    this.closed = new Promise((resolve) => void socket.once('close', resolve))
  }

  /** Rejects with the status if the service rejects the upgrade. */
  static async open(t: Scope, url: string, options: ClientOptions = {}): Promise<PageClient> {
    const socket = new WebSocket(url, options)
    t.after(() => socket.terminate())
    const client = new PageClient(socket)
    await once(socket, 'open')
    await client.onEvent('ready')
    return client
  }

  /** Resolves with the next event of this type. */
  async onEvent<T extends PhoneNews['type']>(type: T): Promise<Told<T>> {
    for (;;) {
      const at = this.#news.findIndex((one) => one.type === type)
      if (at >= 0) return this.#news.splice(at, 1)[0] as Told<T>
      const changed = new Promise<'news'>((resolve) => (this.#poll = () => resolve('news')))
      const what = await Promise.race([changed, this.closed])
      if (what !== 'news' && !this.#news.some((one) => one.type === type)) throw new Error(`closed (${what}) without ${type}`)
    }
  }

  send(frame: PageFrame): void {
    this.socket.send(JSON.stringify(frame))
  }
}
