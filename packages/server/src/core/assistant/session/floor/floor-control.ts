import type { Clock } from '#core/kernel/ports/clock.ts'
import type { HeardTurn } from '../listening/hearing-parts.ts'
import type { Hearing } from '../listening/hearing.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import type { Audio } from '#core/kernel/ports/telephony.ts'
import type { SpeechPlayout } from '../speaking/speech-playout.ts'
import type { ConversationObserver } from '../conversation/conversation.ts'
import type { SessionLanguage } from '../language/session-language.ts'
import { BargeInControl } from './barge-in-control.ts'
import { isOutdated, mustWait, newTurn, outcomeOf, voiceMsOf, type CallerTurn } from './caller-turn.ts'
import { StallWatch } from './stall-watch.ts'

/** Limit of waiting speeches: an endpoint can send them faster than they can be spoken. */
const maxQueued = 64

export interface FloorDeps {
  clock: Clock
  audio: Pick<Audio, 'duck'>
  hearing: Pick<Hearing, 'voiced' | 'follow'>
  /** Nothing is recognised: a voice is enough to end a speech. */
  byVoice: boolean
  language: SessionLanguage
  observer: ConversationObserver
  problem: (eventId: string, message: string) => void
}

/**
 * Decides whether the assistant or the caller has the floor: speeches are played one after the other, wait while the caller speaks, and
 * end when the caller barges in.
 */
export class FloorControl {
  readonly #deps: FloorDeps
  readonly #bargeIn: BargeInControl
  readonly #stalls: StallWatch
  #turn: CallerTurn | undefined
  /** When the last speech with the strategy `none` ended. */
  #unheardUntil = -Infinity
  /** There were no words in the last turn. */
  #wordless = false
  #current: SpeechPlayout | undefined
  #waiting: SpeechPlayout[] = []
  /** Not done yet; those that were stopped still release what they use. */
  readonly #unfinished = new Set<SpeechPlayout>()
  #closed = false

  constructor(deps: FloorDeps) {
    this.#deps = deps
    this.#bargeIn = new BargeInControl({
      ...deps,
      current: () => this.#current,
      interrupt: () => this.interrupt(),
      release: () => this.#release(),
      ducked: (ducked) => deps.observer.ducked?.(ducked),
    })
    this.#stalls = new StallWatch(deps.clock, { current: () => this.#current, stalled: (stall) => deps.observer.stalled?.(stall) })
  }

  /** Something is playing or waiting to be played. */
  get speaking(): boolean {
    return this.#current !== undefined
  }

  /** Something is playing or waiting that has to be heard. */
  get protects(): boolean {
    return this.#current?.order.protect === true || this.#waiting.some(({ order }) => order.protect)
  }

  /** Something is to be said, and for a while nothing of it is there to be heard. */
  get stalled(): boolean {
    return this.#stalls.since !== undefined
  }

  /** What the caller says in the turn that goes on is an answer, as far as can be told before its end. */
  get listens(): boolean {
    return this.heeds && (!this.#current || this.#turn?.cut !== undefined)
  }

  /** Something is being said that is not drowned by a speech with the strategy `none`. */
  get heeds(): boolean {
    return this.#turn !== undefined && !this.#turn.unheard
  }

  /** Plays a speech after those that wait, as soon as the caller does not speak; a filler also in the middle of one that stalls. */
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

  /** Ends what plays, at once, and drops what waits. */
  interrupt(): void {
    this.#drop(() => true)
  }

  /** The endpoint wants the floor to be free: it is, but for what is protected. */
  bargeIn(): void {
    this.#drop(({ order }) => !order.protect)
  }

  /** Ends the sound that the endpoint sends itself. */
  dropSound(): void {
    this.#drop(({ order }) => order.live === true)
  }

  /** Drops it, unless it sounds already. */
  takeBack(speech: SpeechPlayout): void {
    if (speech.startedAt !== undefined) return
    speech.stop() // also if it only waits for its sound
    this.#drop((one) => one === speech)
  }

  /** Perhaps the caller's voice. */
  noticed(at: number): void {
    this.#bargeIn.noticed(at)
  }

  /** What the voice detector says, and of when. */
  voice(speaks: boolean, at: number): void {
    this.#bargeIn.voice(this.#turn, speaks, at)
  }

  /** The caller begins to speak, or goes on after a turn that was too long. */
  began(goesOn: boolean): void {
    this.#turn = newTurn(this.#current, this.#deps.clock.now(), goesOn && this.#wordless)
    this.#holdBack()
    if (this.#turn.announced) this.#deps.observer.speechStarted()
    this.#bargeIn.began(this.#turn)
    if (this.#current) this.#bargeIn.listenIntoNoise(this.#turn)
  }

  /** A partial transcript of the turn; `agoMs`: how long ago its last word was said. */
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

  /** The caller has typed something: a turn of its own, even in the middle of a spoken one. */
  typed(text: string): void {
    const turn = newTurn(this.#current, this.#deps.clock.now(), false)
    if (turn.announced) this.#deps.observer.speechStarted()
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
    const { observer, language } = this.#deps
    const outcome = outcomeOf(turn, heard, { speech: this.#current, unheardUntil: this.#unheardUntil, languageNow: language.now })
    if (outcome === 'backchannel') observer.backchannel(heard.text)
    else if (outcome === 'told') this.#notify(turn, heard)
    else if (turn.announced) observer.falseAlarm(turn.overSpeech || turn.unheard ? 0 : voiceMsOf(turn, heard))
  }

  #notify(turn: CallerTurn, { text, typed, language, confidence, words, recogniser, timing, end }: HeardTurn): void {
    const { observer } = this.#deps
    const stillSounds = this.#current?.sounding === true && !this.#current.order.aside
    this.#drop((speech) => (speech.startedAt === undefined ? isOutdated(speech, turn, stillSounds) : this.#isPostponed(speech)))
    if (!turn.announced) observer.speechStarted()
    observer.said({
      text,
      bargedIn: turn.cut !== undefined,
      ...(turn.cut && { heardText: turn.cut.heardText, heardMs: turn.cut.heardMs }),
      ...(language !== undefined && { language }),
      ...(confidence !== undefined && { confidence }),
      ...(words && { words }),
      ...(typed && { typed }),
      durationMs: voiceMsOf(turn, { timing }),
      ...(recogniser !== undefined && { recogniser }),
      timing,
      ...(end && { end }),
    })
  }

  /** What has not begun to sound waits, if it has to. */
  #holdBack(): void {
    const speech = this.#current
    if (speech && speech.startedAt === undefined && mustWait(speech, this.#turn)) speech.hold()
  }

  /** What was suspended goes on, and what was held begins, unless it still has to wait. */
  #release(): void {
    const speech = this.#current
    if (speech && (speech.startedAt !== undefined || !mustWait(speech, this.#turn))) speech.start()
    this.#stalls.watch()
  }

  /** What stalls goes on after it. Only once there is something to be heard: the voice may be what is at fault. */
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

  /** It stalled, a filler sounds in its place, and what the caller has said now would have ended it. */
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
    if (!this.#current) this.#deps.observer.quiet()
  }

  #begins({ order, making }: SpeechPlayout, startedAt: number): void {
    if (this.#closed) return
    this.#bargeIn.attend()
    if (order.aside) return order.aside()
    this.#deps.observer.sounds?.({ eventId: order.eventId, ...order.written(), startedAt }, making)
  }

  /** Reports what became of a speech: it was played, could not be played, or was dropped before. */
  #spoke(speech: SpeechPlayout): void {
    const { observer, problem, clock } = this.#deps
    const { eventId, action, rule } = speech.order
    if (rule.strategy === 'none') this.#unheardUntil = clock.now()
    this.#bargeIn.attend()
    this.#bargeIn.follow(false)
    if (this.#waiting.length > 0) this.#bargeIn.listenIntoNoise(this.#turn)
    if (speech.order.aside) return
    if (speech.failure) problem(eventId, `could not be played (${speech.failure.message})`)
    const spoken = speech.spoken()
    if (spoken) observer.spoke(spoken)
    else if (speech.dropped) observer.discarded({ eventId, action })
    else if (speech.order.unsaid()) observer.unsaid?.()
  }
}
