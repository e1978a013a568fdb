import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'

const firstMs = 1_200
/** After the end of the turn; with a silence of this flow's own, at least this much after the one before. */
const laterMs = [4_000, 7_000] as const
const apartMs = 2_800
/** Whoever was told three times knows that it takes long. */
const thenEveryMs = 6_000
const longestMs = 30_000
/** Not now, because the caller speaks or something sounds: perhaps then. */
const tryAgainMs = 300
/** Over a WebSocket an endpoint that has nothing to say cannot be told from one that is slow. */
const mostUnasked = 2

export interface FillersParts {
  clock: Clock
  settings: FlowSettings['fillers']
  /** The endpoint need not answer everything. */
  duplex: () => boolean
  /** Nothing sounds, and the caller is there, silent and not being connected with somebody else. */
  isSilent: () => boolean
  /** Our own words, in the language in force. */
  ownTexts: () => readonly string[]
  /** Gives how to take it back, as long as it has not begun to sound. */
  say: (text: string) => () => void
}

/** What the caller hears while the endpoint takes its time: a few words, now and then, until there is an answer. */
export class Fillers {
  readonly #parts: FillersParts
  /** When the caller began to wait. */
  #since: number | undefined
  #said = 0
  #waits = 0
  #last: string | undefined
  #cancel: () => void = () => {}
  #takeBack: () => void = () => {}

  constructor(parts: FillersParts) {
    this.#parts = parts
  }

  /** The caller waits for an answer. */
  get waiting(): boolean {
    return this.#since !== undefined
  }

  /** From now on the caller waits. */
  awaits(): void {
    this.settled()
    this.#since = this.#parts.clock.now()
    this.#said = 0
    this.#waits += 1
    if (this.wanted) this.#wait(this.#parts.settings?.afterMs ?? firstMs)
  }

  /** The answer is there, or none will come. */
  settled(): void {
    this.#since = undefined
    this.#cancel()
    this.#takeBack()
    this.#takeBack = () => {}
  }

  /** Whoever wants none wants silence. */
  get wanted(): boolean {
    return this.#parts.settings?.off !== true
  }

  #wait(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => this.#due())
  }

  #due(): void {
    const { clock, settings, duplex, isSilent, say } = this.#parts
    const waitedMs = clock.now() - (this.#since ?? clock.now())
    if (waitedMs > longestMs || (duplex() && settings === undefined && this.#said >= mostUnasked)) return
    if (!isSilent()) return this.#wait(tryAgainMs)
    const text = this.#next()
    this.#takeBack = say(text)
    this.#last = text
    const due = laterMs[this.#said++]
    this.#wait(due === undefined ? thenEveryMs : Math.max(due - waitedMs, apartMs))
  }

  /** Other words than the last time. The first two of our own ask for patience, the others say that it is not forgotten. */
  #next(): string {
    const own = this.#parts.ownTexts()
    const { texts = own } = this.#parts.settings ?? {}
    const all = texts.length > 1 ? texts : [...texts, ...own]
    const place = this.#said === 0 ? this.#waits % 2 : this.#said + 1
    const text = all[place % all.length] ?? ''
    return text === this.#last ? (all[(place + 1) % all.length] ?? '') : text
  }
}
