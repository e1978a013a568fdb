import { extendFax } from '#core/money/reservations.ts'
import type { Fax } from '#core/kernel/ports/store/message/faxes.ts'
import type { SendingDeps } from './sending-parts.ts'

/** How long before the end of what is paid more is asked for: a page, at the lowest speed. */
const aheadSeconds = 90
const sliceSeconds = 60

type PurseDeps = Pick<SendingDeps, 'store' | 'clock' | 'tasks' | 'onFailure'>

/**
 * The money of a fax that is being sent. A slow line takes longer than was reserved for; when there is no more, the fax is cut off between
 * two pages rather than in one, because half a page is wasted.
 */
export class FaxBilling {
  readonly #deps: PurseDeps
  readonly #fax: Fax
  readonly #startedAt: number
  readonly #empty: () => void
  #paid: number
  #exhausted = false
  #asking = false
  #closed = false
  #cancelEnd: () => void = () => {}

  /** `paid`: seconds, of all tries together. */
  constructor(deps: PurseDeps, fax: Fax, paid: number, empty: () => void) {
    this.#deps = deps
    this.#fax = fax
    this.#startedAt = deps.clock.now()
    this.#paid = paid
    this.#empty = empty
  }

  /** To be called at an interval. */
  look(): void {
    if (this.#asking || this.#left > aheadSeconds) return
    this.#asking = true
    const asked = this.#ask()
      .catch((error: unknown) => this.#deps.onFailure(error, this.#fax.id))
      .finally(() => (this.#asking = false))
    void this.#deps.tasks.track(asked)
  }

  /** `pages`: of all tries together. The next one is only begun when it can be paid to its end, as far as can be told. */
  pageDone(pages: number): void {
    const perPage = this.#elapsed / Math.max(pages - this.#fax.pagesDone, 1)
    if (this.#exhausted && pages < this.#fax.pages && this.#left < perPage) this.#empty()
  }

  close(): void {
    this.#closed = true
    this.#cancelEnd()
  }

  get #elapsed(): number {
    return (this.#deps.clock.now() - this.#startedAt) / 1000
  }

  get #left(): number {
    return this.#paid - this.#fax.talkSeconds - this.#elapsed
  }

  async #ask(): Promise<void> {
    const { store, clock } = this.#deps
    const { accountId, id: sessionId, pages, talkSeconds } = this.#fax
    const seconds = Math.ceil(talkSeconds + this.#elapsed + aheadSeconds + sliceSeconds)
    this.#paid = await store.write((tables) => extendFax(tables, clock, { accountId, sessionId, seconds, pages }))
    if (this.#closed) return
    this.#cancelEnd()
    this.#exhausted = this.#left <= aheadSeconds
    if (this.#exhausted) this.#cancelEnd = clock.after(this.#left * 1000, this.#empty)
  }
}
