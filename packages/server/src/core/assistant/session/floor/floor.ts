import type { Clock } from '#core/kernel/ports/clock.ts'
import { endsSpeech } from '../talk/barge-in.ts'
import type { HeardTurn } from '../ears/hearing.ts'
import type { SpeechRun } from '../mouth/speech-run.ts'
import type { TalkObserver } from '../talk/talk.ts'
import { Voice } from '../mouth/voice.ts'

/** So long a speech that the caller's voice stopped waits for words, before it goes on. */
const falseAlarmMs = 1500

/** A turn of the caller while it lasts. */
interface CallerTurn {
  since: number
  /** It began under a speech during which nobody listens. */
  unheard: boolean
  announced: boolean
  /** It only goes on with a sound in which nobody found words for a whole turn: nobody waits for its end. */
  noise: boolean
  /** The words that ended a speech, and what was heard of that. */
  cut?: { words: string; heardMs: number; heardText: string }
  cancelTimer: () => void
}

interface FloorParts {
  clock: Clock
  observer: Pick<TalkObserver, 'speechStarted' | 'said' | 'falseAlarm' | 'quiet'>
  /** A speech is over, whether it sounded or not. */
  ended: (run: SpeechRun) => void
  /** The caller's voice is heard at this moment. */
  voiced: () => boolean
  /** Whether the caller's words are of interest before the turn is over. */
  follow: (wanted: boolean) => void
}

/** Who of the two may speak: the assistant waits for the caller, and the caller may interrupt the assistant. */
export class Floor {
  readonly voice: Voice
  readonly #parts: FloorParts
  #turn: CallerTurn | undefined
  /** When the last speech during which nobody listens was over. */
  #unheardUntil = -Infinity
  /** There were no words in the last turn. */
  #wordless = false

  constructor(parts: FloorParts) {
    this.#parts = parts
    this.voice = new Voice({ ended: (run) => this.#spoke(run), quiet: () => parts.observer.quiet() }, (run) => this.#mustWait(run))
  }

  /** Something more is to be said, as soon as the caller lets it. */
  add(run: SpeechRun): void {
    this.voice.add(run)
    this.#listenIntoNoise()
  }

  /** The caller begins to speak, or goes on after a turn that was too long. */
  began(goesOn: boolean): void {
    this.#turn = this.#newTurn(goesOn && this.#wordless)
    this.voice.holdBack()
    if (this.#turn.announced) this.#parts.observer.speechStarted()
    this.#considerStopping()
    if (this.voice.speaking) this.#listenIntoNoise()
  }

  /** What the caller has said, and how long ago. */
  understood(words: string, agoMs: number): void {
    if (this.#turn) this.#weigh(this.#turn, words, agoMs)
  }

  /** The caller has finished. */
  ended(heard: HeardTurn): void {
    const turn = this.#turn
    if (!turn) return
    this.understood(heard.text, this.#parts.clock.now() - heard.timing.speechEndedAt)
    turn.cancelTimer()
    this.#turn = undefined
    this.#parts.follow(false)
    // Whoever was interrupted by words is not left waiting, even when the recogniser thinks better of them.
    const text = heard.text === '' ? (turn.cut?.words ?? '') : heard.text
    this.#wordless = text === ''
    this.#conclude(turn, { ...heard, text })
    this.voice.release()
  }

  /** The caller wrote something: a turn that ends when it begins, also in the middle of a spoken one. */
  typed(text: string): void {
    const turn = this.#newTurn(false)
    if (turn.announced) this.#parts.observer.speechStarted()
    this.#weigh(turn, text, 0)
    const timing = { speechEndedAt: turn.since, vadEndMs: 0, endpointMs: 0, sttFinalMs: 0 }
    this.#conclude(turn, { text, typed: true, timing })
  }

  close(): Promise<void> {
    this.#turn?.cancelTimer()
    this.#turn = undefined
    return this.voice.close()
  }

  /** No speech begins while the caller speaks, but for those that do not listen, those that only the customer may interrupt, and in a noise. */
  #mustWait({ order, arrivedAt }: SpeechRun): boolean {
    const { strategy } = order.rule
    if (!this.#turn || this.#turn.noise || strategy === 'none') return false
    return strategy !== 'manual' || arrivedAt >= this.#turn.since
  }

  #newTurn(noise: boolean): CallerTurn {
    const unheard = strategyOf(this.voice.sounding) === 'none'
    return { since: this.#parts.clock.now(), unheard, announced: !unheard, noise, cancelTimer: () => {} }
  }

  /** Whether these words end what the assistant says. */
  #weigh(turn: CallerTurn, words: string, agoMs: number): void {
    const { suspended, sounding } = this.voice
    const run = suspended ?? sounding
    if (turn.cut || !run) return
    const playedThen = run.line.playedMs - (suspended ? 0 : agoMs)
    if (endsSpeech(run.order.rule, words, playedThen)) this.#cut(turn, run, words)
  }

  #conclude(turn: CallerTurn, heard: HeardTurn): void {
    if (heard.text !== '' && !this.#wasUnheard(turn, heard)) this.#tell(turn, heard)
    else if (turn.announced) this.#parts.observer.falseAlarm()
  }

  #considerStopping(): void {
    const run = this.voice.sounding
    const turn = this.#turn
    if (!turn || !run || turn.cut) return
    const { strategy, allowAfterMs } = run.order.rule
    if (strategy === 'none' || strategy === 'manual') return
    const protectedMs = allowAfterMs - run.line.playedMs
    if (protectedMs > 0) {
      turn.cancelTimer = this.#parts.clock.after(protectedMs, () => this.#considerStopping())
      return
    }
    if (strategy === 'immediate' && this.#parts.voiced()) this.#suspend(turn)
    this.#parts.follow(true)
  }

  /** Words in it interrupt what did not wait for them. */
  #listenIntoNoise(): void {
    if (this.#turn?.noise && !this.#turn.cut) this.#parts.follow(true)
  }

  #suspend(turn: CallerTurn): void {
    this.voice.suspend()
    turn.cancelTimer = this.#parts.clock.after(falseAlarmMs, () => this.voice.release())
  }

  #cut(turn: CallerTurn, run: SpeechRun, words: string): void {
    turn.cancelTimer()
    turn.cut = { words, ...run.heard() }
    this.#parts.follow(false)
    this.voice.interrupt()
  }

  #wasUnheard(turn: CallerTurn, { timing }: HeardTurn): boolean {
    return turn.unheard && (strategyOf(this.voice.sounding) === 'none' || timing.speechEndedAt <= this.#unheardUntil)
  }

  #tell(turn: CallerTurn, { text, typed, language, confidence, timing }: HeardTurn): void {
    const { observer } = this.#parts
    const stillSounds = this.voice.sounding !== undefined
    this.voice.discard((run) => isAnswered(run, turn, stillSounds))
    if (!turn.announced) observer.speechStarted()
    observer.said({
      text,
      bargedIn: turn.cut !== undefined,
      ...(turn.cut && { heardText: turn.cut.heardText, heardMs: turn.cut.heardMs }),
      ...(language !== undefined && { language }),
      ...(confidence !== undefined && { confidence }),
      ...(typed && { typed }),
      timing,
    })
  }

  #spoke(run: SpeechRun): void {
    if (run.order.rule.strategy === 'none') this.#unheardUntil = this.#parts.clock.now()
    this.#parts.follow(false)
    if (this.voice.waiting > 0) this.#listenIntoNoise()
    this.#parts.ended(run)
  }
}

const strategyOf = (run: SpeechRun | undefined): string | undefined => run?.order.rule.strategy

/**
 * The caller said something before it began: it answers what is no longer the question. What waits behind a speech that goes on all the
 * same is not meant, unless it came while the caller spoke.
 */
const isAnswered = ({ order, arrivedAt }: SpeechRun, turn: CallerTurn, stillSounds: boolean): boolean => {
  if (order.rule.strategy === 'none') return false
  return arrivedAt >= turn.since || (!stillSounds && order.rule.strategy !== 'manual')
}
