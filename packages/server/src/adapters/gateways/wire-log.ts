import type { GatewayClock } from '@offhook/gateway/gateway.ts'

type Direction = 'sent' | 'received'

/** Messages in one direction within this time are one entry: words come one by one. */
const gatherMs = 500
/** Including its envelope, and as JSON, below the limit of a note. */
const maxCharacters = 7_000

interface WireLogDeps {
  clock: Pick<GatewayClock, 'after'>
  keep: (entry: { direction: Direction; body: string; cut?: true }) => void
}

/** Wire messages to a customer's server, for the timeline: one line per message. */
export class WireLog {
  readonly #deps: WireLogDeps
  #direction: Direction = 'sent'
  #lines: string[] = []
  #characters = 0
  #cancel: () => void = () => {}

  constructor(deps: WireLogDeps) {
    this.#deps = deps
  }

  note(direction: Direction, body: string): void {
    if (direction !== this.#direction || this.#characters + body.length > maxCharacters) this.flush()
    if (this.#lines.length === 0) this.#cancel = this.#deps.clock.after(gatherMs, () => this.flush())
    this.#direction = direction
    this.#characters += body.length + 1
    this.#lines.push(body)
  }

  /** Writes the collected messages now. */
  flush(): void {
    this.#cancel()
    if (this.#lines.length === 0) return
    const body = this.#lines.join('\n')
    const cut = body.length > maxCharacters
    this.#deps.keep({ direction: this.#direction, body: body.slice(0, maxCharacters), ...(cut && { cut }) })
    this.#lines = []
    this.#characters = 0
  }
}
