import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Stall } from '../conversation/conversation.ts'

const firstMs = 1_200
/** After the end of the turn; with a silence of this flow's own, at least this much after the one before. */
const laterMs = [4_000, 7_000] as const
const gapMs = 2_800
/** A caller who was told three times knows that it takes long. */
const repeatIntervalMs = 6_000
const maxMs = 30_000
/** Whatever the caller has waited for before, an answer may come at once. */
const soonestMs = 200
/** Not now, because the caller speaks or something sounds: perhaps then. */
const retryDelayMs = 300
/** Over a WebSocket an endpoint that has nothing to say cannot be told from one that is slow. */
const maxUnsolicited = 2

export interface FillersDeps {
  clock: Clock
  settings: FlowSettings['fillers']
  /** The endpoint need not answer everything. */
  duplex: () => boolean
  /** Nothing sounds, and the caller is there, silent and not being transferred. `stalled`: what is to be said may be silent, too. */
  isSilent: (stalled: boolean) => boolean
  /** Our own words, in the language in force. */
  ownTexts: () => readonly string[]
  /** `plainly`: with the embedded voice, because another one takes long. Gives how to take it back, as long as it has not begun to sound. */
  say: (text: string, plainly: boolean) => () => void
}

/** What the caller hears while the endpoint takes its time: a few words, now and then, until there is an answer. */
export class Fillers {
  readonly #deps: FillersDeps
  /** When the caller began to wait. */
  #since: number | undefined
  /** The caller waits in the middle of an answer. */
  #stall: Stall | undefined
  #said = 0
  #waits = 0
  #last: string | undefined
  #cancel: () => void = () => {}
  #withdraw: () => void = () => {}

  constructor(deps: FillersDeps) {
    this.#deps = deps
  }

  /** The caller waits for an answer. */
  get waiting(): boolean {
    return this.#since !== undefined
  }

  /** From now on the caller waits. */
  awaits(since = this.#deps.clock.now()): void {
    const { clock, settings } = this.#deps
    this.#since = since // before what takes back the last one: that it is quiet then does not mean that the caller need not wait
    this.#stop()
    this.#said = 0
    this.#waits += 1
    if (this.wanted) this.#wait(Math.max(soonestMs, since + (settings?.afterMs ?? firstMs) - clock.now()))
  }

  /** An answer has the floor and is silent; or a filler, which is long due then. */
  stalled(stall: Stall): void {
    if (this.#stall) return
    this.awaits(this.#since ?? stall.since)
    this.#stall = stall
  }

  /** It was said, or given up. */
  stallOver(): void {
    if (this.#stall) this.settled()
  }

  /** The answer is there, or none will come. */
  settled(): void {
    this.#since = undefined
    this.#stop()
  }

  /** A flow that wants none wants silence. */
  get wanted(): boolean {
    return this.#deps.settings?.off !== true
  }

  #stop(): void {
    const takeBack = this.#withdraw
    this.#stall = undefined
    this.#withdraw = () => {}
    this.#cancel()
    takeBack()
  }

  #wait(ms: number): void {
    this.#cancel = this.#deps.clock.after(ms, () => this.#due())
  }

  #due(): void {
    const { clock, settings, duplex, isSilent, say } = this.#deps
    const waitedMs = clock.now() - (this.#since ?? clock.now())
    const unasked = duplex() && settings === undefined && !this.#stall
    if (waitedMs > maxMs || (unasked && this.#said >= maxUnsolicited)) return
    if (!isSilent(this.#stall !== undefined)) return this.#stall ? this.settled() : this.#wait(retryDelayMs)
    const text = this.#next()
    this.#withdraw = say(text, this.#stall?.lacks === 'sound')
    this.#last = text
    const due = laterMs[this.#said++]
    this.#wait(due === undefined ? repeatIntervalMs : Math.max(due - waitedMs, gapMs))
  }

  /** Other words than the last time. The first two of our own ask for patience, the others say that it is not forgotten. */
  #next(): string {
    const own = this.#deps.ownTexts()
    const { texts = own } = this.#deps.settings ?? {}
    const all = texts.length > 1 ? texts : [...texts, ...own]
    const place = this.#said === 0 ? this.#waits % 2 : this.#said + 1
    const text = all[place % all.length] ?? ''
    return text === this.#last ? (all[(place + 1) % all.length] ?? '') : text
  }
}
