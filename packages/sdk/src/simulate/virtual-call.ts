import { hasEnoughCharacters, hasWords, type BargeInRule, type BargeInWish } from '@offhook/contract/assistant/barge-in.ts'
import { charactersPerSecond as usualRate } from '@offhook/contract/recording/recorded-call.ts'
import type { CallFigures } from '@offhook/contract/assistant/call-figures.ts'
import type { ScenarioMoment, Sentence } from '@offhook/contract/assistant/scenario.ts'
import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { givenVariables, type Variables } from '@offhook/contract/assistant/variables.ts'
import type { CallRecord, Problem } from './call-record.ts'
import type { Endpoint, SentEvent } from './endpoint-line.ts'
import type { Observed } from './expectations.ts'
import { VirtualClock } from './virtual-clock.ts'
import { VirtualSession } from './virtual-session.ts'

export interface VirtualCallOptions<Given = void> {
  /** Value passed to the endpoint with the connection. */
  given?: Given
  /** Also the assistant's clock, so that its answers take virtual time. Default: answers take real time. */
  clock?: VirtualClock
  /** Must be unique: an assistant ignores calls that have ended. Default: a new id. */
  sessionId?: string
  /** Number of the caller. */
  from?: string
  /** Dialled number. */
  to?: string
  /** BCP 47 language of the caller. */
  language?: string
  /** Variables of the call. */
  variables?: Variables
  /** Speaking rate of people and voices. Default: 15. */
  charactersPerSecond?: number
  /** Barge-in setting of the flow. */
  bargeIn?: BargeInWish
  /** Setting of the flow: seconds of silence before user_input_timeout. */
  userInputSeconds?: number
  /** Reason why the transfer fails; undefined: it succeeds. */
  transfer?: (target: string) => string | undefined
  /** Real milliseconds to wait for an answer. Default: 10 seconds. */
  patienceMs?: number
  /** Real milliseconds of silence that complete an answer without `done`. Default: 300 ms. */
  quietMs?: number
}

/** Milliseconds between two keys. */
const keyMs = 100
/** Milliseconds until the caller answers a question. */
const reactionMs = 1_000
/** Maximum milliseconds to listen to one answer. */
const maxMs = 600_000

/** A call without service, audio or waiting: the caller's side. */
export class VirtualCall<Given = void> {
  readonly #options: VirtualCallOptions<Given>
  readonly #clock: VirtualClock
  readonly #session: VirtualSession
  readonly #msPerCharacter: number

  constructor(endpoint: Endpoint<Given>, options: VirtualCallOptions<Given> = {}) {
    const { clock = new VirtualClock(), charactersPerSecond = usualRate } = options
    this.#options = options
    this.#clock = clock
    this.#msPerCharacter = 1000 / charactersPerSecond
    this.#session = new VirtualSession({
      clock,
      session: sessionOf(options),
      msPerCharacter: this.#msPerCharacter,
      bargeIn: options.bargeIn,
      transfer: options.transfer ?? (() => undefined),
      timeoutMs: options.patienceMs ?? 10_000,
      silentMs: options.quietMs ?? 300,
      time: () => (options.clock ? clock.elapsed() : performance.now()),
      connect: (send, leave) => endpoint.connect(send, options.given as Given, leave),
    })
  }

  get record(): CallRecord {
    return this.#session.record
  }

  get turn(): number {
    return this.#session.turn
  }

  /** Reason of the end. */
  get ended(): SessionEndReason | undefined {
    return this.#session.ended
  }

  /** Milliseconds since the start, in conversation time. */
  get lastedMs(): number {
    return this.#session.lastedMs
  }

  /** Heard speeches of the assistant since the caller's last step. */
  get said(): string[] {
    return this.#session.said
  }

  get transcript(): ScenarioMoment[] {
    return this.record.moments
  }

  get problems(): readonly Problem[] {
    return this.record.problems
  }

  get figures(): CallFigures {
    return { responsesMs: this.record.responsesMs }
  }

  /** Everything since the caller's last step, for expectations. */
  get observed(): Observed {
    const { question, recent, firstWordsMs } = this.record
    return { question, said: this.said, actions: recent.actions, ended: this.ended, firstWordsMs }
  }

  /** Sends any event immediately. */
  async notify(event: SentEvent): Promise<void> {
    this.#session.ask(event)
    await this.#clock.settle()
  }

  start(): Promise<void> {
    return this.notify({ type: 'session_start' })
  }

  /** The caller speaks, and interrupts the current speech if allowed. */
  async say(
    text: string,
    { language = this.#options.language, interrupts = true }: { language?: string | undefined } & Sentence = {},
  ): Promise<void> {
    const { playout } = this.#session
    const { sounding, playedMs, heardText } = playout
    this.#asked({ text }, this.turn + 1, interrupts)
    if (sounding?.rule.strategy === 'none') return this.#sayInVain(text)
    const cuts = sounding !== undefined && endsSpeech(sounding.rule, text, playedMs)
    this.#session.notify({ type: 'user_speech_started' })
    playout.callerBegins()
    if (cuts) this.#session.cut(() => true)
    await this.#clock.advance(this.#lasts(text))
    if (this.ended !== undefined) return
    playout.callerEnds()
    this.#session.nextTurn()
    const heard = cuts && { heard_text: heardText, heard_ms: Math.round(playedMs) }
    await this.notify({ type: 'user_speak', text, barged_in: cuts, ...heard, ...(language !== undefined && { language }) })
  }

  async press(keys: string): Promise<void> {
    this.#asked({ action: `press (${keys})` })
    for (const digit of keys) {
      if (this.ended !== undefined) return
      this.#session.keyPressed()
      this.#session.ask({ type: 'dtmf_received', digit })
      await this.#clock.advance(keyMs)
    }
  }

  /** The caller stays silent; the assistant gets user_input_timeout when its limit passes or, without a limit, when the wait ends. */
  async wait(seconds: number): Promise<void> {
    this.#asked({ action: `wait (${seconds} s)` })
    const end = this.#clock.elapsed() + seconds * 1000
    while (this.ended === undefined) {
      const left = Math.max(0, end - this.#clock.elapsed())
      const limit = this.#session.inputSeconds ?? this.#options.userInputSeconds
      const limitMs = limit === undefined ? left : limit * 1000
      if (limit === 0 || limitMs > left) return this.#clock.advance(left)
      await this.#clock.advance(limitMs)
      this.#session.inputSeconds = 0 // not repeated before the next speech
      this.#session.note('service', { action: 'user_input_timeout' })
      await this.notify({ type: 'user_input_timeout' })
      await this.listen()
      if (limit === undefined) return
    }
  }

  async hangUp(): Promise<void> {
    if (this.ended === undefined) this.#asked({ action: 'hang_up' })
    this.#session.finish('caller_hangup')
    await this.listen()
  }

  /** Waits until the answer is complete, heard or not. False: it is not. */
  answered(limitMs = maxMs): Promise<boolean> {
    return this.#until(() => this.#session.line.rests, limitMs)
  }

  /** Waits until `limitMs` of the answer were heard, or all of it. After a question the caller does not wait for more. */
  async listen(limitMs = Infinity): Promise<void> {
    const { line, playout } = this.#session
    let askedAt: number | undefined
    const isOver = (): boolean => {
      if (playout.speaking || !this.#session.asks) askedAt = undefined
      else askedAt ??= this.#clock.elapsed()
      if (askedAt !== undefined && this.#clock.elapsed() - askedAt >= reactionMs) return true
      return playout.heardMs >= limitMs || (line.rests && !playout.speaking)
    }
    const leftMs = (): number => (askedAt === undefined ? limitMs - playout.heardMs : askedAt + reactionMs - this.#clock.elapsed())
    await this.#until(isOver, maxMs, leftMs)
    if (this.ended !== undefined) line.close()
  }

  /** Advances time: virtual if a timer is due, else real. */
  async #until(reached: () => boolean, limitMs: number, stepMs: () => number = () => Infinity): Promise<boolean> {
    const { line } = this.#session
    const end = this.#clock.elapsed() + limitMs
    await this.#clock.settle()
    while (!reached()) {
      const left = end - this.#clock.elapsed()
      if (left <= 0) return false
      if (this.#clock.pending() > 0) await this.#clock.step(Math.min(left, stepMs()))
      else if (line.rests) return false
      else {
        await line.wait(this.#session.asks ? reactionMs : Infinity)
        await this.#clock.settle()
      }
    }
    return true
  }

  #asked(what: Pick<ScenarioMoment, 'text' | 'action'>, turn = this.turn, awaitsAnswer = true): void {
    this.record.asked({ atMs: this.lastedMs, turn, by: 'caller', ...what })
    if (awaitsAnswer) this.#session.playout.countAnew()
  }

  /** The caller speaks during a speech with barge_in none and is not heard. */
  async #sayInVain(text: string): Promise<void> {
    this.#session.note('service', { action: 'not heard (barge_in: none)' })
    await this.#clock.advance(this.#lasts(text))
  }

  #lasts(text: string): number {
    return Math.round(text.length * this.#msPerCharacter)
  }
}

const sessionOf = ({
  sessionId = crypto.randomUUID(),
  from = '491570000001',
  to = '4930000000',
  variables = {},
}: VirtualCallOptions<unknown>): Session => ({
  id: sessionId,
  account_id: '0000000',
  phone_number: to,
  direction: 'inbound',
  from_phone_number: from,
  to_phone_number: to,
  ...givenVariables(variables),
})

/** Whether these words interrupt a speech after `playedMs`. */
const endsSpeech = (rule: BargeInRule, words: string, playedMs: number): boolean => {
  if (playedMs < rule.allowAfterMs) return false
  return rule.strategy === 'words' ? hasWords(words) : hasEnoughCharacters(rule, words)
}
