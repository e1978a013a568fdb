import { hasEnoughCharacters, hasWords, type BargeInRule, type BargeInWish } from '@offhook/contract/assistant/barge-in.ts'
import { charactersPerSecond as usualRate } from '@offhook/contract/recording/recorded-call.ts'
import type { ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { CallRecord, Problem } from './call-record.ts'
import type { Endpoint, SentEvent } from './endpoint-line.ts'
import type { Observed } from './expectations.ts'
import { VirtualClock } from './virtual-clock.ts'
import { VirtualSession } from './virtual-session.ts'

export interface VirtualCallOptions<Given = void> {
  /** Handed to the endpoint with the connection. */
  given?: Given
  /** The time of the assistant, too: then an answer takes as long as that says. Otherwise it takes as long as it really does. */
  clock?: VirtualClock
  /** An assistant answers a call that is over no more: not the same twice. Default: one of its own. */
  sessionId?: string
  /** Who calls. */
  from?: string
  /** Which number is called. */
  to?: string
  /** BCP 47: in which the caller speaks. */
  language?: string
  /** How fast people and voices speak. Default: 15. */
  charactersPerSecond?: number
  /** As the flow has it set. */
  bargeIn?: BargeInWish
  /** As the flow has it set: after so much silence the assistant is told. */
  userInputSeconds?: number
  /** Why nobody can be reached there; undefined: the call is taken. */
  transfer?: (target: string) => string | undefined
  /** How long something is waited for that does not come, in real time. Default: 10 seconds. */
  patienceMs?: number
  /** An answer whose end nobody tells is complete after so much silence, in real time. Default: 300 ms. */
  quietMs?: number
}

/** Between two keys. */
const keyMs = 100
/** So long after a question the caller answers it. */
const reactionMs = 1_000
/** Nobody listens to one answer for longer. */
const maxMs = 600_000

/** A call without a service, sound or waiting: what a caller can do in it. */
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

  /** Why it is over. */
  get ended(): SessionEndReason | undefined {
    return this.#session.ended
  }

  /** Since its beginning, in the time of the conversation. */
  get lastedMs(): number {
    return this.#session.lastedMs
  }

  /** What the assistant has said since the caller did something, speech by speech, as far as it was heard. */
  get said(): string[] {
    return this.#session.said
  }

  get transcript(): ScenarioMoment[] {
    return this.record.moments
  }

  get problems(): readonly Problem[] {
    return this.record.problems
  }

  /** What expectations are about: everything since the caller did something. */
  get observed(): Observed {
    const { question, recent, firstWordsMs } = this.record
    return { question, said: this.said, actions: recent.actions, ended: this.ended, firstWordsMs }
  }

  /** Any event, at once. */
  async notify(event: SentEvent): Promise<void> {
    this.#session.ask(event)
    await this.#clock.settle()
  }

  start(): Promise<void> {
    return this.notify({ type: 'session_start' })
  }

  /** The caller speaks. What sounds is interrupted, if it can be. */
  async say(text: string, { language = this.#options.language }: { language?: string | undefined } = {}): Promise<void> {
    const { playout } = this.#session
    const { sounding, playedMs, heardText } = playout
    this.#asked({ text }, this.turn + 1)
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

  /** The caller says nothing; the assistant is told when its patience is over, or the caller’s. */
  async wait(seconds: number): Promise<void> {
    this.#asked({ action: `wait (${seconds} s)` })
    const end = this.#clock.elapsed() + seconds * 1000
    while (this.ended === undefined) {
      const left = Math.max(0, end - this.#clock.elapsed())
      const limit = this.#session.inputSeconds ?? this.#options.userInputSeconds
      const limitMs = limit === undefined ? left : limit * 1000
      if (limit === 0 || limitMs > left) return this.#clock.advance(left)
      await this.#clock.advance(limitMs)
      this.#session.inputSeconds = 0 // it is not told again before something is said
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

  /** Until the answer is complete, heard or not. False: it is not. */
  answered(limitMs = maxMs): Promise<boolean> {
    return this.#until(() => this.#session.line.rests, limitMs)
  }

  /** Until so much of the answer was heard, or all of it. Who was asked something does not wait for what else may come. */
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

  /** Time passes: at once what the clock knows of, else really. */
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

  #asked(what: Pick<ScenarioMoment, 'text' | 'action'>, turn = this.turn): void {
    this.record.asked({ atMs: this.lastedMs, turn, by: 'caller', ...what })
    this.#session.playout.countAnew()
  }

  /** What sounds is said whatever happens, and nobody listens meanwhile. */
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
}: VirtualCallOptions<unknown>): Session => ({
  id: sessionId,
  account_id: '0000000',
  phone_number: to,
  direction: 'inbound',
  from_phone_number: from,
  to_phone_number: to,
})

/** Whether these words end a speech of which so much was heard. */
const endsSpeech = (rule: BargeInRule, words: string, playedMs: number): boolean => {
  if (playedMs < rule.allowAfterMs) return false
  return rule.strategy === 'words' ? hasWords(words) : hasEnoughCharacters(rule, words)
}
