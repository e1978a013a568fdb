import type { Followed, CallGuidance, DescribableCall, Verb } from '#core/kernel/ports/call-guide.ts'
import type { Cause, Playback } from '#core/kernel/ports/telephony.ts'
import type { Identities } from '../inbound/caller-identity.ts'
import type { Plan } from '../plan/plan.ts'
import { Keys } from './guided-keys.ts'
import type { Search } from '../search/search.ts'

export type DialVerb = Verb & { kind: 'dial' }

/** What becomes of a call. */
export type Steering = { kind: 'go_on' } | { kind: 'reject'; cause: Cause } | { kind: 'dial'; verb: DialVerb }

/** What is done for a caller after the account's software was asked. */
export interface Guided {
  plan: Plan
  /** How the caller is seen meanwhile, if not as before. */
  seenAs?: Identities | undefined
}

/** A menu that leads nowhere is left in the end. */
const maxRounds = 50

const resume: Steering = { kind: 'go_on' }

export interface GuideQuestion {
  accountId: string
  direction: DescribableCall['direction']
  /** What is told, found out only if the account wants to hear of it. Nothing is asked when that fails. */
  tellable: () => Promise<DescribableCall>
  /** It wants to know how the call goes on. */
  onFollowed: (followed: Followed) => void
}

/** Asks the account's own software, and does what it says until the call goes on in one way or the other. Whatever fails lets it go on. */
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

  /** Later answers may add to what the first one wanted to know. */
  #follow({ onAnswer, onHangup }: CallGuidance): void {
    if (onAnswer === undefined && onHangup === undefined) return
    if (!this.#followed) {
      this.#followed = { call: this.#describable, onAnswer: undefined, onHangup: undefined, answered: undefined }
      this.#onFollowed(this.#followed)
    }
    this.#followed.onAnswer = onAnswer ?? this.#followed.onAnswer
    this.#followed.onHangup = onHangup ?? this.#followed.onHangup
    // Whatever becomes of this process, the end is told.
    this.#search.call.books.open()
  }

  /** Heard before the call is answered, so that it can go on as if nothing had been: it costs the caller nothing, and busy is busy. */
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

  /** What cannot be played is not heard, and that is all. */
  #sounds(wav: Uint8Array): Playback | undefined {
    const { call, waiting, context, ringback } = this.#search
    if (call.end) return undefined
    try {
      // A caller who was answered already hears it instead of the ringing.
      ringback.stop()
      return waiting?.leg.audio.play({ wav })
    } catch (error) {
      context.onFailure(error, call.id)
      return undefined
    }
  }

  /** Undefined as soon as the call is over. */
  #unlessOver<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { call } = this.#search
    if (call.end) return Promise.resolve(undefined)
    return Promise.race([work(this.#abort.signal), call.over.then(() => undefined)])
  }
}
