import type { GatewayClock } from '@offhook/gateway/gateway.ts'

export type Direction = 'sent' | 'received'

/** What is said in one direction within this time is one entry: words come one by one. */
const gatherMs = 500
/** With what surrounds it, and written as JSON, below what a note may have. */
const maxCharacters = 7_000

export interface WireLogDeps {
  clock: Pick<GatewayClock, 'after'>
  keep: (entry: { direction: Direction; body: string; cut?: true }) => void
}

/** What goes over the wire to a customer's server, for the timeline: a line for each message. */
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

  /** What was gathered is kept now. */
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
