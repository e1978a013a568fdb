import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound-http.ts'
import { PendingRequests, noAnswerText, overloaded } from './pending-requests.ts'
import { maxSilenceMs, heartbeatIntervalMs, type Ask, type NewsQuery, type Here, type Listener } from './listener-messages.ts'

export interface RemoteListenerDeps {
  clock: Clock
  /** To its process. False when that cannot be said now. */
  say: (message: Ask) => boolean
  /** It is gone. */
  onOver: () => void
}

/** A listener that is connected to another process of the installation. */
export class RemoteListener implements Listener {
  readonly since: number
  readonly #here: Here
  readonly #deps: RemoteListenerDeps
  readonly #pending: PendingRequests
  #heardAt: number
  #ended = false
  #cancelTimer: () => void = () => {}

  constructor(here: Here, deps: RemoteListenerDeps) {
    this.#here = here
    this.since = here.since
    this.#deps = deps
    this.#pending = new PendingRequests(deps.clock)
    this.#heardAt = deps.clock.elapsed()
  }

  get id(): string {
    return this.#here.id
  }

  get to(): string | undefined {
    return this.#here.to
  }

  get over(): boolean {
    return this.#ended
  }

  /** For how long its process has not announced it. */
  get silentMs(): number {
    return this.#deps.clock.elapsed() - this.#heardAt
  }

  async request(wanted: OutboundRequest): Promise<OutboundReply> {
    if (this.#ended) throw noAnswerText()
    if (this.#pending.size === 0) this.#expectSign()
    try {
      return await this.#pending.send(wanted, (id) => this.#transmit(id, wanted))
    } finally {
      if (this.#pending.size === 0) this.#cancelTimer()
    }
  }

  /** Its process says that it is there. */
  seen(): void {
    this.#heardAt = this.#deps.clock.elapsed()
    if (this.#pending.size > 0) this.#expectSign()
  }

  heard(news: NewsQuery): void {
    this.seen()
    const pending = this.#pending.of(news.flight)
    if (news.type === 'sign' && news.wired) pending?.request.onWire?.()
    if (news.type === 'reply') pending?.resolve({ status: news.status, headers: news.headers, body: Buffer.from(news.body, 'base64') })
    if (news.type === 'failure') pending?.fail(new OutboundFailure(news.kind, news.message, news.status))
    if (news.type === 'failure' && news.over) this.broke()
  }

  replaced(): void {
    this.broke()
  }

  /** It is gone: pending requests fail. */
  broke(): void {
    if (this.#ended) return
    this.#ended = true
    this.#cancelTimer()
    this.#deps.onOver()
    this.#pending.break()
  }

  /** In two steps: if this process itself was stalled, it receives in between what was sent meanwhile. */
  #expectSign(): void {
    const { clock } = this.#deps
    this.#cancelTimer()
    this.#cancelTimer = clock.after(maxSilenceMs - heartbeatIntervalMs, () => {
      this.#cancelTimer = clock.after(heartbeatIntervalMs, () => this.broke())
    })
  }

  #transmit(flight: string, { headers = {}, body = '', deadlineMs, maxBytes }: OutboundRequest): void {
    const { accountId, flowId, id } = this.#here
    const ask: Ask = { type: 'ask', accountId, flowId, id, flight, request: { headers, body, deadlineMs, maxBytes } }
    if (!this.#deps.say(ask)) throw overloaded()
  }
}
