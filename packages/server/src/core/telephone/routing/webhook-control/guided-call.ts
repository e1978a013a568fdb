import type { Followed, CallGuidance, DescribableCall, Verb } from '#core/kernel/ports/calls.ts'
import type { Cause, Leg } from '#core/kernel/ports/telephony.ts'
import type { Playback } from '#core/kernel/ports/audio.ts'
import type { Identities } from '../inbound/request.ts'
import type { Plan } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'

export type DialVerb = Verb & { kind: 'dial' }

/** Decision on a call. */
type Steering = { kind: 'go_on' } | { kind: 'reject'; cause: Cause } | { kind: 'dial'; verb: DialVerb }

/** Plan for a caller after the webhook was asked. */
export interface Guided {
  plan: Plan
  /** Caller ID during the plan, if changed. */
  seenAs?: Identities | undefined
}

/** Ends menus that loop. */
const maxRounds = 50

const resume: Steering = { kind: 'go_on' }

interface GuideQuestion {
  accountId: string
  direction: DescribableCall['direction']
  /** Call data for the webhook, collected only if the account listens. A failure skips the webhook. */
  tellable: () => Promise<DescribableCall>
  /** Called when the webhook subscribes to the call's progress. */
  onFollowed: (followed: Followed) => void
}

/** Asks the account's webhook and follows its instructions until the call continues. Any failure lets the call continue. */
export const askGuide = async (search: Search, question: GuideQuestion): Promise<Steering> => {
  const { context, call } = search
  const { accountId, direction } = question
  try {
    if (!(await context.tasks.track(context.guide.listens(accountId, direction))) || call.end) return resume
    const tellable = await context.tasks.track(question.tellable())
    if (call.end) return resume
    return await search.apart(() => new GuideLoop(search, tellable, question.onFollowed).run())
  } catch (error) {
    context.onFailure(error, call.id)
    return resume
  }
}

class GuideLoop {
  readonly #search: Search
  readonly #describable: DescribableCall
  readonly #onFollowed: (followed: Followed) => void
  readonly #abort = new AbortController()
  #followed: Followed | undefined
  #keys: Keys | undefined

  constructor(search: Search, tellable: DescribableCall, onFollowed: (followed: Followed) => void) {
    this.#search = search
    this.#describable = tellable
    this.#onFollowed = onFollowed
    void search.call.over.then(() => this.#abort.abort())
  }

  async run(): Promise<Steering> {
    try {
      return await this.#converse()
    } finally {
      this.#keys?.stop()
    }
  }

  async #converse(): Promise<Steering> {
    const { guide } = this.#search.context
    let guidance = await this.#unlessOver((signal) => guide.begin(this.#describable, signal))
    if (guidance) this.#search.call.details.notified.add(this.#describable.accountId)
    for (let round = 0; guidance && round < maxRounds; round++) {
      this.#follow(guidance)
      const { verb } = guidance
      if (verb?.kind !== 'gather') return this.#execute(verb)
      guidance = await this.#gather(verb)
    }
    return resume
  }

  async #execute(verb: Exclude<Verb, { kind: 'gather' }> | undefined): Promise<Steering> {
    switch (verb?.kind) {
      case 'dial':
        return { kind: 'dial', verb }
      case 'reject':
        return { kind: 'reject', cause: verb.reason }
      case 'hangup':
        return { kind: 'reject', cause: 'normal' }
      case 'play':
        await this.#play(verb.url)
        return resume
      case undefined:
      default:
        return resume
    }
  }

  /** Later replies may add notification addresses to the first one. */
  #follow({ onAnswer, onHangup }: CallGuidance): void {
    if (onAnswer === undefined && onHangup === undefined) return
    if (!this.#followed) {
      this.#followed = { call: this.#describable, onAnswer: undefined, onHangup: undefined, answered: undefined }
      this.#onFollowed(this.#followed)
    }
    this.#followed.onAnswer = onAnswer ?? this.#followed.onAnswer
    this.#followed.onHangup = onHangup ?? this.#followed.onHangup
    // From now on the end is notified even if this process dies.
    this.#search.call.books.open()
  }

  /** Played as early media, so that the call can continue unchanged: no charge for the caller, and busy stays busy. */
  async #play(url: string): Promise<void> {
    const { ringback } = this.#search
    const wav = await this.#sound(url)
    if (!wav) return
    await this.#unlessOver(() => ringback.open())
    await this.#sounds(wav)?.done
  }

  /** A caller without a phone has no keys. */
  async #gather({ onData, maxDigits, timeoutMs, play }: Verb & { kind: 'gather' }): Promise<CallGuidance | undefined> {
    const { context, call, waiting } = this.#search
    if (!waiting) return undefined
    const keys = (this.#keys ??= new Keys(context.clock, waiting.leg))
    await this.#search.takenBySoftware(this.#describable.direction === 'in' ? 'callee' : 'caller')
    const wav = play === undefined ? undefined : await this.#sound(play)
    if (call.end) return undefined
    const playing = wav && !keys.waiting ? this.#sounds(wav) : undefined
    const digits = await keys.collect({ most: maxDigits, timeoutMs, playing }, call.over)
    return this.#unlessOver((signal) => context.guide.keys(this.#describable, { onData, digits }, signal))
  }

  #sound(url: string): Promise<Uint8Array | undefined> {
    return this.#unlessOver((signal) => this.#search.context.guide.sound(this.#describable, url, signal))
  }

  /** A sound that cannot be played is skipped. */
  #sounds(wav: Uint8Array): Playback | undefined {
    const { call, waiting, context, ringback } = this.#search
    if (call.end) return undefined
    try {
      // A caller who was already answered hears it instead of ringback.
      ringback.stop()
      return waiting?.leg.audio.play({ wav })
    } catch (error) {
      context.onFailure(error, call.id)
      return undefined
    }
  }

  /** Undefined as soon as the call ends. */
  #unlessOver<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { call } = this.#search
    if (call.end) return Promise.resolve(undefined)
    return Promise.race([work(this.#abort.signal), call.over.then(() => undefined)])
  }
}

const idle = (): void => {}

/** More than a caller types ahead. */
const maxRetained = 200

interface Collecting {
  most: number
  /** Milliseconds to wait for the first key, and for each later one. Starts when the sound ends. */
  timeoutMs: number
  /** Sound until the first key. */
  playing: Playback | undefined
}

/** Keys pressed by a caller. Keys pressed ahead are kept for the next question. */
export class Keys {
  readonly #clock: Clock
  readonly #stopObserving: () => void
  #pressed = ''
  #onKey: () => void = idle

  constructor(clock: Clock, leg: Leg) {
    this.#clock = clock
    this.#stopObserving = leg.observe({ dtmf: (digit) => this.#press(digit) })
  }

  get waiting(): boolean {
    return this.#pressed !== ''
  }

  /** Empty when no key was pressed. Ends early with `over`. */
  async collect({ most: max, timeoutMs, playing }: Collecting, over: Promise<unknown>): Promise<string> {
    const { promise: complete, resolve } = Promise.withResolvers<void>()
    let collecting = true
    let cancelTimer = (): void => {}
    const wait = (): void => {
      cancelTimer()
      if (this.#pressed.length >= max) resolve()
      else cancelTimer = this.#clock.after(timeoutMs, resolve)
    }
    this.#onKey = () => {
      playing?.stop()
      wait()
    }
    if (this.waiting) this.#onKey()
    // The first key, or the end, may come before the sound has finished.
    void Promise.resolve(playing?.done).then(() => collecting && !this.waiting && wait())
    await Promise.race([complete, over])
    collecting = false
    this.#onKey = idle
    cancelTimer()
    playing?.stop()
    return this.#take(max)
  }

  stop(): void {
    this.#stopObserving()
  }

  #press(digit: string): void {
    if (this.#pressed.length >= maxRetained) return
    this.#pressed += digit
    this.#onKey()
  }

  #take(max: number): string {
    const taken = this.#pressed.slice(0, max)
    this.#pressed = this.#pressed.slice(max)
    return taken
  }
}
