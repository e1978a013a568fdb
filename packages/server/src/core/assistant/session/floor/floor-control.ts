import type { Emitter, ConversationEvents, Stall } from '../conversation.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { HeardTurn, Hearing } from '../listening/hearing.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import type { Audio } from '#core/kernel/ports/telephony.ts'
import type { SpeechPlayout } from '../speaking/speech-playout.ts'
import type { SessionLanguage } from '../session-language.ts'
import { BargeInControl, isHello, isOutdated, mustWait, newTurn, outcomeOf, voiceMsOf, type CallerTurn } from './barge-in-control.ts'

/** Milliseconds in which callees say hello: after the answer, and after the assistant began to speak, which a busy machine does late. */
const openingMs = { answer: 3_500, speech: 3_000 }
/** Maximum queued speeches: an endpoint can send them faster than they can be spoken. */
const maxQueued = 64

interface FloorDeps {
  clock: Clock
  audio: Pick<Audio, 'duck'>
  hearing: Pick<Hearing, 'voiced' | 'follow'>
  /** Without recognition: a voice is enough to end a speech. */
  byVoice: boolean
  /** The assistant has called: a hello is no turn while its greeting is still to be heard. */
  callsOut: boolean
  language: SessionLanguage
  events: Emitter<ConversationEvents>
  problem: (eventId: string, message: string) => void
}

/**
 * Decides whether the assistant or the caller has the floor: speeches play one after the other, wait while the caller speaks, and end when the
 * caller barges in.
 */
export class FloorControl {
  readonly #deps: FloorDeps
  readonly #bargeIn: BargeInControl
  readonly #stalls: StallWatch
  #turn: CallerTurn | undefined
  /** End of the last speech with the strategy `none`. */
  #unheardUntil = -Infinity
  /** The last turn had no words. */
  #wordless = false
  #current: SpeechPlayout | undefined
  #waiting: SpeechPlayout[] = []
  /** Unfinished speeches; stopped ones still release their resources. */
  readonly #unfinished = new Set<SpeechPlayout>()
  #closed = false
  /** No speech was heard to its end. */
  #isOpening: boolean
  /** A callee who begins to speak until then may only say hello. */
  #opensUntil: number

  constructor(deps: FloorDeps) {
    this.#deps = deps
    this.#isOpening = deps.callsOut
    this.#opensUntil = deps.clock.now() + openingMs.answer
    this.#bargeIn = new BargeInControl({
      ...deps,
      current: () => this.#current,
      interrupt: () => this.bargeIn(),
      release: () => this.#release(),
      ducked: (ducked) => deps.events.emit('ducked', ducked),
    })
    this.#stalls = new StallWatch(deps.clock, { current: () => this.#current, stalled: (stall) => deps.events.emit('stalled', stall) })
  }

  /** Speech is playing or queued. */
  get speaking(): boolean {
    return this.#current !== undefined
  }

  /** Protected speech is playing or queued. */
  get protects(): boolean {
    return this.#current?.order.protect === true || this.#waiting.some(({ order }) => order.protect)
  }

  /** The current speech has had no audio for a while. */
  get stalled(): boolean {
    return this.#stalls.since !== undefined
  }

  /** The current turn is probably an answer. */
  get listens(): boolean {
    return this.heeds && (!this.#current || this.#turn?.cut !== undefined)
  }

  /** The caller is speaking, and not during a speech with the strategy `none`. */
  get heeds(): boolean {
    return this.#turn !== undefined && !this.#turn.unheard
  }

  /** Queues a speech, to be played when the caller is silent; a filler may also play inside a stalled speech. */
  add(speech: SpeechPlayout): void {
    if (this.#waiting.length >= maxQueued) {
      speech.stop()
      return this.#deps.problem(speech.order.eventId, `not done: ${maxQueued} others wait to be heard already`)
    }
    this.#unfinished.add(speech)
    void speech.begun.then((startedAt) => this.#begins(speech, startedAt))
    void speech.done.then(() => this.#finished(speech))
    if (speech.order.aside && this.stalled) return this.#interject(speech)
    void speech.made.then(() => this.#waiting[0]?.prepare())
    this.#waiting.push(speech)
    this.#advance()
    this.#bargeIn.listenIntoNoise(this.#turn)
  }

  /** Stops playback and clears the queue immediately. */
  interrupt(): void {
    this.#drop(() => true)
  }

  /** The caller or the endpoint interrupts: clears everything except protected speech. */
  bargeIn(): void {
    this.#drop(({ order }) => !order.protect)
  }

  /** Ends the endpoint's own audio. */
  dropSound(): void {
    this.#drop(({ order }) => order.live === true)
  }

  /** Drops the speech unless it is already audible. */
  takeBack(speech: SpeechPlayout): void {
    if (speech.startedAt !== undefined) return
    speech.stop() // also if it only waits for its audio
    this.#drop((one) => one === speech)
  }

  /** A possible caller voice. */
  noticed(at: number): void {
    this.#bargeIn.noticed(at)
  }

  /** VAD result and its time. */
  voice(speaks: boolean, at: number): void {
    this.#bargeIn.voice(this.#turn, speaks, at)
  }

  /** The caller begins to speak, or continues after a turn of maximum length. */
  began(goesOn: boolean): void {
    const now = this.#deps.clock.now()
    this.#turn = newTurn(this.#current, now, goesOn && this.#wordless, this.#isOpening && now <= this.#opensUntil)
    this.#holdBack()
    if (this.#turn.announced) this.#deps.events.emit('speechStarted')
    this.#bargeIn.began(this.#turn)
    if (this.#current) this.#bargeIn.listenIntoNoise(this.#turn)
  }

  /** Partial transcript of the turn; `agoMs`: age of its last word. */
  understood(heard: Transcript, agoMs: number): void {
    if (this.#turn) this.#bargeIn.weigh(this.#turn, heard, { agoMs, final: false })
  }

  /** The caller's turn is over. */
  ended(heard: HeardTurn): void {
    const turn = this.#turn
    if (!turn) return
    this.#bargeIn.weigh(turn, heard, { agoMs: this.#deps.clock.now() - heard.timing.speechEndedAt, final: true })
    turn.cancelTimer()
    this.#turn = undefined
    this.#bargeIn.follow(false)
    // A caller whose words ended a speech gets a turn, even if the final transcript has no words.
    const text = heard.text === '' ? (turn.cut?.words ?? '') : heard.text
    this.#wordless = text === ''
    this.#conclude(turn, { ...heard, text })
    this.#release()
  }

  /** The caller has typed: a separate turn, even in the middle of a spoken one. */
  typed(text: string): void {
    const turn = newTurn(this.#current, this.#deps.clock.now(), false)
    if (turn.announced) this.#deps.events.emit('speechStarted')
    this.#bargeIn.weigh(turn, { text }, { agoMs: 0, final: true })
    const timing = { speechEndedAt: turn.since, vadEndMs: 0, endpointMs: 0, sttFinalMs: 0 }
    this.#conclude(turn, { text, typed: true, timing })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#bargeIn.close()
    this.#stalls.close()
    this.#turn?.cancelTimer()
    this.#turn = undefined
    this.#current = undefined
    this.#waiting = []
    const unfinished = [...this.#unfinished]
    for (const speech of unfinished) speech.stop()
    await Promise.all(unfinished.map(({ done }) => done))
  }

  #conclude(turn: CallerTurn, heard: HeardTurn): void {
    const { events, language } = this.#deps
    const outcome = outcomeOf(turn, heard, { speech: this.#current, unheardUntil: this.#unheardUntil, languageNow: language.now })
    const greets = isHello(turn, heard, language.now)
    if (outcome === 'backchannel' || (greets && this.#hasGreeting)) events.emit('backchannel', heard.text)
    else if (outcome === 'told') this.#notify(turn, heard, greets)
    else if (turn.announced) events.emit('falseAlarm', turn.overSpeech || turn.unheard ? 0 : voiceMsOf(turn, heard))
  }

  /** Speech of the endpoint is playing or queued. */
  get #hasGreeting(): boolean {
    return [this.#current, ...this.#waiting].some((speech) => speech !== undefined && !speech.order.aside)
  }

  #notify(
    turn: CallerTurn,
    { text, typed, language, confidence, snrDb, words, recogniser, timing, end }: HeardTurn,
    greets: boolean,
  ): void {
    const { events } = this.#deps
    const stillSounds = this.#current?.sounding === true && !this.#current.order.aside
    this.#drop((speech) => (speech.startedAt === undefined ? isOutdated(speech, turn, stillSounds) : this.#isPostponed(speech)))
    if (!turn.announced) events.emit('speechStarted')
    events.emit('said', {
      text,
      bargedIn: turn.cut !== undefined,
      ...(turn.cut && { heardText: turn.cut.heardText, heardMs: turn.cut.heardMs }),
      ...(language !== undefined && { language }),
      ...(confidence !== undefined && { confidence }),
      ...(snrDb !== undefined && { snrDb }),
      ...(words && { words }),
      ...(typed && { typed }),
      ...(greets && { greets: true }),
      durationMs: voiceMsOf(turn, { timing }),
      ...(recogniser !== undefined && { recogniser }),
      timing,
      ...(end && { end }),
    })
  }

  /** Holds a speech that is not yet audible, if it has to wait. */
  #holdBack(): void {
    const speech = this.#current
    if (speech && speech.startedAt === undefined && mustWait(speech, this.#turn)) speech.hold()
  }

  /** Resumes suspended speech and starts held speech, unless it still has to wait. */
  #release(): void {
    const speech = this.#current
    if (speech && (speech.startedAt !== undefined || !mustWait(speech, this.#turn))) speech.start()
    this.#stalls.watch()
  }

  /** Plays the filler once it has audio, because the voice may be the cause of the stall; the stalled speech resumes after it. */
  #interject(filler: SpeechPlayout): void {
    filler.prepare()
    void filler.ready.then(() => {
      const stalled = this.#current
      if (filler.dropped) return
      if (stalled?.silentSince === undefined || !filler.making || this.#turn) return filler.stop()
      stalled.hold()
      this.#waiting.unshift(stalled)
      this.#current = filler
      this.#release()
    })
  }

  /** It stalled, a filler plays in its place, and the caller's words would have ended it. */
  #isPostponed(speech: SpeechPlayout): boolean {
    const { strategy } = speech.order.rule
    return speech !== this.#current && strategy !== 'none' && strategy !== 'manual'
  }

  #advance(): void {
    if (this.#current) return
    const next = this.#waiting.shift()
    if (!next) return
    this.#current = next
    next.prepare()
    this.#release()
  }

  #drop(unwanted: (speech: SpeechPlayout) => boolean): void {
    const first = this.#current
    const dropped = [...(first ? [first] : []), ...this.#waiting].filter(unwanted)
    this.#waiting = this.#waiting.filter((speech) => !dropped.includes(speech))
    if (first && dropped.includes(first)) this.#current = undefined
    for (const speech of dropped) {
      speech.stop()
      this.#spoke(speech)
    }
    if (first && !this.#current) this.#resume()
  }

  #finished(speech: SpeechPlayout): void {
    this.#unfinished.delete(speech)
    if (this.#current !== speech) return
    this.#current = undefined
    this.#spoke(speech)
    this.#resume()
  }

  #resume(): void {
    this.#advance()
    if (!this.#current) this.#deps.events.emit('quiet')
  }

  #begins({ order, making }: SpeechPlayout, startedAt: number): void {
    if (this.#closed) return
    this.#bargeIn.attend()
    if (order.aside) return order.aside()
    this.#opensUntil = Math.max(this.#opensUntil, startedAt + openingMs.speech)
    this.#deps.events.emit('sounds', { eventId: order.eventId, ...order.written(), startedAt }, making)
  }

  /** Reports the outcome of a speech: played, failed, or dropped before. */
  #spoke(speech: SpeechPlayout): void {
    const { events, problem, clock } = this.#deps
    const { eventId, action, rule } = speech.order
    if (rule.strategy === 'none') this.#unheardUntil = clock.now()
    this.#bargeIn.attend()
    this.#bargeIn.follow(false)
    if (this.#waiting.length > 0) this.#bargeIn.listenIntoNoise(this.#turn)
    if (speech.order.aside) return
    if (speech.failure) problem(eventId, `could not be played (${speech.failure.message})`)
    const spoken = speech.spoken()
    if (spoken?.completed) this.#isOpening = false
    if (spoken) events.emit('spoke', spoken)
    else if (speech.dropped) events.emit('discarded', { eventId, action })
    else if (speech.order.unsaid()) events.emit('unsaid')
  }
}

/** Shorter pauses are negligible, and normal before the first sound. */
const stallMs = 1_000

interface StallWatchDeps {
  /** Speech that is playing or next. */
  current: () => SpeechPlayout | undefined
  stalled: (stall: Stall) => void
}

/** Detects a speech that has the floor without audio; reports it every second. */
class StallWatch {
  readonly #clock: Clock
  readonly #deps: StallWatchDeps
  #cancel: () => void = () => {}

  constructor(clock: Clock, deps: StallWatchDeps) {
    this.#clock = clock
    this.#deps = deps
  }

  /** Playback may have begun. */
  watch(): void {
    this.#cancel()
    const lastsMs = this.#deps.current()?.lastsMs
    if (lastsMs !== undefined) this.#cancel = this.#clock.after(lastsMs + stallMs, () => this.#poll())
  }

  close(): void {
    this.#cancel()
  }

  /** Undefined if the speech is audible, only briefly silent, or silent for a reason the caller knows. */
  get since(): number | undefined {
    const { silentSince, order } = this.#deps.current() ?? {}
    if (silentSince === undefined || order?.rests?.()) return undefined
    return this.#clock.now() - silentSince >= stallMs ? silentSince : undefined
  }

  #poll(): void {
    const { since } = this
    if (since !== undefined) this.#deps.stalled({ since, lacks: this.#deps.current()?.lacks ?? 'sound' })
    this.watch()
  }
}
