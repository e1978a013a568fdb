import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Stall } from '../conversation.ts'

const firstMs = 1_200
/** Milliseconds after the end of the turn; with the flow's own delay, at least `gapMs` after the previous filler. */
const laterMs = [4_000, 7_000, 10_000, 13_000] as const
const gapMs = 2_800
/** Longer interval after 15 s, the usual limit: the caller knows by then that it takes long. */
const repeatIntervalMs = 6_000
/** The longest time that a flow may wait for its webhook. Over a WebSocket nobody knows whether an answer comes. */
const maxMs = { webhook: 60_000, webSocket: 30_000 }
/** Minimum delay after any wait, because an answer may arrive immediately. */
const soonestMs = 200
/** Delay before a retry while the caller speaks or audio plays. */
const retryDelayMs = 300
/** Over a WebSocket an endpoint without an answer looks like a slow one. */
const maxUnsolicited = 2

interface FillersDeps {
  clock: Clock
  settings: FlowSettings['fillers']
  /** True if the endpoint need not answer every event. */
  duplex: () => boolean
  /** No audio plays, and the caller is present, silent and not being transferred. `stalled`: a speech without audio counts as silence. */
  isSilent: (stalled: boolean) => boolean
  /** System phrases in the current language. */
  ownTexts: () => readonly string[]
  /** `plainly`: with the embedded voice, because another one is slow. Returns a function that cancels it before it sounds. */
  say: (text: string, plainly: boolean) => () => void
}

/** Plays short fillers while the endpoint is slow, until an answer arrives. */
export class Fillers {
  readonly #deps: FillersDeps
  /** Start of the caller's wait. */
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

  /** The caller waits from now on. */
  awaits(since = this.#deps.clock.now()): void {
    const { clock, settings } = this.#deps
    this.#since = since // set before the last filler is cancelled: the `quiet` that follows does not end the wait
    this.#stop()
    this.#said = 0
    this.#waits += 1
    if (this.wanted) this.#wait(Math.max(soonestMs, since + (settings?.afterMs ?? firstMs) - clock.now()))
  }

  /** An answer, or an overdue filler, has the floor without audio. */
  stalled(stall: Stall): void {
    if (this.#stall) return
    this.awaits(this.#since ?? stall.since)
    this.#stall = stall
  }

  /** It was played or given up. */
  stallOver(): void {
    if (this.#stall) this.settled()
  }

  /** The answer arrived, or none will. */
  settled(): void {
    this.#since = undefined
    this.#stop()
  }

  /** A flow without fillers wants silence. */
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
    if (waitedMs > (duplex() ? maxMs.webSocket : maxMs.webhook) || (unasked && this.#said >= maxUnsolicited)) return
    if (!isSilent(this.#stall !== undefined)) return this.#stall ? this.settled() : this.#wait(retryDelayMs)
    const text = this.#next()
    this.#withdraw = say(text, this.#stall?.lacks === 'sound')
    this.#last = text
    const due = laterMs[this.#said++]
    this.#wait(due === undefined ? repeatIntervalMs : Math.max(due - waitedMs, gapMs))
  }

  /** Varies the text. The first two system phrases ask for patience, the others confirm the wait. */
  #next(): string {
    const own = this.#deps.ownTexts()
    const { texts = own } = this.#deps.settings ?? {}
    const all = texts.length > 1 ? texts : [...texts, ...own]
    const place = this.#said === 0 ? this.#waits % 2 : this.#said + 1
    const text = all[place % all.length] ?? ''
    return text === this.#last ? (all[(place + 1) % all.length] ?? '') : text
  }
}
