import { GatewayFailure, type Translator } from '@offhook/gateway/gateway.ts'
import { openGateway } from '@offhook/gateway/open-gateway.ts'
import type { Answer } from '@offhook/sdk/answering.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { OutboundSocket, SocketEnd, SocketObserver } from '#core/kernel/ports/outbound.ts'
import { ForeignWays, type ForeignWaysDeps } from './foreign-ways.ts'
import { WireLog } from './wire-log.ts'

interface GatewaySocketDeps extends Omit<ForeignWaysDeps, 'wire'> {
  onOver: () => void
}

/**
 * Acts as the WebSocket of an endpoint for a session; behind it a translator talks to the customer's server. It is open immediately, but
 * confirms no event before that server was reached: unconfirmed events are resent over the next connection.
 */
export class GatewaySocket implements OutboundSocket {
  readonly #deps: GatewaySocketDeps
  readonly #observer: SocketObserver
  readonly #ways: ForeignWays
  readonly #wire: WireLog
  #translator: Translator | undefined
  #sessionId = ''
  /** The customer's server was reached. */
  #ready = false
  #taking: Promise<void> = Promise.resolve()
  #ended = false

  constructor(deps: GatewaySocketDeps, observer: SocketObserver) {
    this.#deps = deps
    this.#observer = observer
    const { protocol } = deps.wish.gateway
    this.#wire = new WireLog({ clock: deps.clock, keep: (entry) => this.#note({ protocol, ...entry }) })
    this.#ways = new ForeignWays({ ...deps, wire: this.#wire })
    queueMicrotask(() => this.#open())
  }

  send(text: string): void {
    const event = JSON.parse(text) as LiveEvent
    this.#sessionId = event.session.id
    this.#taking = this.#taking.then(() => this.#take(event)).catch((error: unknown) => this.#failed(error))
  }

  sendBytes(bytes: Buffer): void {
    this.#translator?.takeBytes?.(bytes)
  }

  /** Answered when earlier messages have been accepted, by the customer's own server if it has a WebSocket. */
  ping(data: string): void {
    this.#taking = this.#taking.then(() => {
      if (this.#ready && !this.#ended) this.#ways.ping(data, () => this.#pong(data))
    })
  }

  pause(): void {
    this.#ways.pause()
  }

  resume(): void {
    this.#ways.resume()
  }

  close(): void {
    this.#close({ opened: true, left: true, message: 'The connection was closed' })
  }

  destroy(): void {
    this.#close({ opened: true, message: 'The connection was closed' })
  }

  #open(): void {
    if (this.#ended) return
    const { url, gateway } = this.#deps.wish
    try {
      this.#translator = openGateway({
        settings: { ...gateway, url },
        ways: this.#ways,
        service: {
          act: (action) => this.#act(action),
          play: (bytes) => this.#notify((to) => to.saidBytes(bytes)),
          problem: (message) => this.#note({ protocol: gateway.protocol, problem: message }),
          failed: (why) => this.#noAnswer(why),
          lost: (end) => this.#failed(new GatewayFailure({ opened: true, ...end })),
        },
      })
    } catch (error) {
      return this.#failed(error)
    }
    this.#observer.opened()
  }

  async #take(event: LiveEvent): Promise<void> {
    if (this.#ended) return
    await this.#translator?.take(event)
    if (event.type !== 'session_resume') this.#ready = true
    if (event.type === 'session_end') setImmediate(() => this.close()) // after its confirmation
  }

  #pong(data: string): void {
    this.#notify((to) => to.pong(data))
  }

  #act(action: Answer): void {
    const frame = JSON.stringify({ session_id: this.#sessionId, ...action })
    this.#notify((to) => to.said(Buffer.from(frame)))
  }

  /** Reports an unreadable message instead of an answer. */
  #noAnswer(why: string): void {
    this.#note({ protocol: this.#deps.wish.gateway.protocol, problem: why })
    this.#notify((to) => to.said(Buffer.from(why)))
  }

  #note(data: object): void {
    this.#act({ type: 'note', name: 'gateway', data })
  }

  #notify(what: (observer: SocketObserver) => void): void {
    if (!this.#ended) what(this.#observer)
  }

  #failed(error: unknown): void {
    if (!(error instanceof GatewayFailure))
      return this.#close({ opened: true, message: 'The gateway failed because of a fault in the service' })
    const { final, refused, ...end } = error.end
    this.#close({ ...end, opened: true, ...((final || refused) && { refused: true }) })
  }

  #close(end: SocketEnd): void {
    if (this.#ended) return
    this.#wire.flush()
    this.#ended = true
    this.#translator?.close()
    this.#ways.close()
    this.#deps.onOver()
    queueMicrotask(() => this.#observer.closed(end))
  }
}
