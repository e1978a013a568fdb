import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound-http.ts'
import { PendingRequests, nobodyThere, overloaded } from './pending-requests.ts'
import { mostSilenceMs, signEveryMs, type Ask, type AskNews, type Here, type Listener } from './listener-messages.ts'

export interface RemoteListenerParts {
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
  readonly #parts: RemoteListenerParts
  readonly #pending: PendingRequests
  #heardAt: number
  #over = false
  #cancelTimer: () => void = () => {}

  constructor(here: Here, parts: RemoteListenerParts) {
    this.#here = here
    this.since = here.since
    this.#parts = parts
    this.#pending = new PendingRequests(parts.clock)
    this.#heardAt = parts.clock.elapsed()
  }

  get id(): string {
    return this.#here.id
  }

  get to(): string | undefined {
    return this.#here.to
  }

  get over(): boolean {
    return this.#over
  }

  /** For how long its process has not announced it. */
  get silentMs(): number {
    return this.#parts.clock.elapsed() - this.#heardAt
  }

  async request(wanted: OutboundRequest): Promise<OutboundReply> {
    if (this.#over) throw nobodyThere()
    if (this.#pending.size === 0) this.#expectSign()
    try {
      return await this.#pending.send(wanted, (id) => this.#transmit(id, wanted))
    } finally {
      if (this.#pending.size === 0) this.#cancelTimer()
    }
  }

  /** Its process says that it is there. */
  seen(): void {
    this.#heardAt = this.#parts.clock.elapsed()
    if (this.#pending.size > 0) this.#expectSign()
  }

  heard(news: AskNews): void {
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
    if (this.#over) return
    this.#over = true
    this.#cancelTimer()
    this.#parts.onOver()
    this.#pending.break()
  }

  /** In two steps: if this process itself was stalled, it receives in between what was sent meanwhile. */
  #expectSign(): void {
    const { clock } = this.#parts
    this.#cancelTimer()
    this.#cancelTimer = clock.after(mostSilenceMs - signEveryMs, () => {
      this.#cancelTimer = clock.after(signEveryMs, () => this.broke())
    })
  }

  #transmit(flight: string, { headers = {}, body = '', deadlineMs, maxBytes }: OutboundRequest): void {
    const { accountId, flowId, id } = this.#here
    const ask: Ask = { type: 'ask', accountId, flowId, id, flight, request: { headers, body, deadlineMs, maxBytes } }
    if (!this.#parts.say(ask)) throw overloaded()
  }
}
