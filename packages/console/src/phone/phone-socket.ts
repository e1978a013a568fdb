import type { PageFrame, PhoneNews } from '@offhook/contract/v3/phone.ts'
import { api, ApiError } from '#api/client.ts'
import type { LineState } from '#api/phone/phone-line.ts'

interface PhoneSocketDeps {
  onNews: (news: PhoneNews) => void
  onState: (state: LineState, failure?: unknown) => void
}

type Ticket = Awaited<ReturnType<typeof api.openPhone>>

/** TURN passwords are valid for an hour. */
const ticketsAreOldMs = 50 * 60_000
const firstWaitMs = 500
const maxWaitMs = 30_000

/** Milliseconds before the next attempt after `failures`, with jitter between pages. */
const waitBefore = (failures: number, chance: number): number =>
  Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures, 10)) * (0.5 + chance)

/** The service would reject it again; if it is down or busy, it may recover. */
const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429

/** The connection of this page to the service, reopened with a new ticket after each break while wanted. */
export class PhoneSocket {
  readonly #deps: PhoneSocketDeps
  #wanted = false
  #socket: WebSocket | undefined
  #ticket: { given: Ticket; at: number } | undefined
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #ready = Promise.withResolvers<void>()

  constructor(deps: PhoneSocketDeps) {
    this.#deps = deps
  }

  /** Resolves on the service's `ready`, rejects if it is refused. */
  open(): Promise<void> {
    if (!this.#wanted) {
      this.#wanted = true
      addEventListener('online', this.#hurry)
      addEventListener('pagehide', this.#sayGoodbye)
      document.addEventListener('visibilitychange', this.#sayVisible)
      void this.#connect()
    }
    return this.#ready.promise
  }

  close(): void {
    this.#wanted = false
    removeEventListener('online', this.#hurry)
    removeEventListener('pagehide', this.#sayGoodbye)
    document.removeEventListener('visibilitychange', this.#sayVisible)
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = undefined
    this.#renew()
    socket?.close()
    this.#deps.onState('off')
  }

  /** Returns false without a connection. */
  send(frame: PageFrame): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false
    this.#socket.send(JSON.stringify(frame))
    return true
  }

  /** For a call that starts now. */
  async iceServers(): Promise<RTCIceServer[]> {
    const ticket = this.#ticket
    if (ticket === undefined) return []
    if (ticket.given.iceServers.length > 0 && Date.now() - ticket.at > ticketsAreOldMs)
      this.#ticket = { given: await api.openPhone(), at: Date.now() }
    return (this.#ticket ?? ticket).given.iceServers
  }

  async #connect(): Promise<void> {
    this.#deps.onState('connecting')
    try {
      const given = await api.openPhone()
      this.#ticket = { given, at: Date.now() }
      if (this.#wanted) this.#listen(given.url)
    } catch (error) {
      if (!this.#wanted) return
      if (isFinal(error)) this.#giveUp(error)
      else this.#retry()
    }
  }

  #listen(url: string): void {
    const socket = ownSocketAt(url)
    this.#socket = socket
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (socket === this.#socket) this.#hear(JSON.parse(data) as PhoneNews)
    })
    socket.addEventListener('close', () => {
      if (socket !== this.#socket) return
      this.#socket = undefined
      this.#retry()
    })
  }

  #hear(news: PhoneNews): void {
    if (news.type === 'ready') {
      this.#failures = 0
      this.#sayVisible()
      this.#deps.onState('ready')
      this.#ready.resolve()
    }
    this.#deps.onNews(news)
  }

  #retry(): void {
    this.#renew()
    this.#deps.onState('away')
    this.#timer = setTimeout(() => void this.#connect(), waitBefore(this.#failures++, Math.random()))
  }

  #giveUp(error: unknown): void {
    const { reject, promise } = this.#ready
    promise.catch(() => undefined)
    reject(error)
    this.close()
    // After a logout the login page already says so.
    if (!(error instanceof ApiError && error.status === 401)) this.#deps.onState('off', error)
  }

  /** Later callers wait for the next connection. */
  #renew(): void {
    this.#ready.promise.catch(() => undefined)
    this.#ready.reject(new Error('the connection to the service broke'))
    this.#ready = Promise.withResolvers<void>()
  }

  readonly #hurry = (): void => {
    if (this.#socket !== undefined || !this.#wanted) return
    clearTimeout(this.#timer)
    void this.#connect()
  }

  /** Otherwise the service would wait for the page to return. */
  readonly #sayGoodbye = (): void => this.#socket?.close(1000)

  readonly #sayVisible = (): void => void this.send({ type: 'visible', value: document.visibilityState === 'visible' })
}

/** A WebSocket at this page's host, regardless of the service's own name: the page may access no other host. */
export const ownSocket = (path: string): WebSocket =>
  new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`)

/** The same for an address given by the service. */
export const ownSocketAt = (url: string): WebSocket => {
  const { pathname, search } = new URL(url)
  return ownSocket(`${pathname}${search}`)
}
