import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import type { Audio } from '#core/kernel/ports/telephony.ts'
import type { Cut } from '../conversation.ts'
import type { SessionLanguage } from '../session-language.ts'
import type { Hearing, HeardTurn } from '../listening/hearing.ts'
import { isGreeting } from './greeting.ts'
import { cutBy, isBackChannel } from './interruption.ts'
import type { BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { SpeechOrder, SpeechPlayout } from '../speaking/speech-playout.ts'

/** Milliseconds a speech suspended by the caller's voice waits for words before it resumes. */
const falseAlarmMs = 1500
/** Milliseconds of voice in which a callee's first words may still become a hello, as partial transcripts are. */
const greetingMs = 1200

interface BargeInDeps {
  clock: Clock
  audio: Pick<Audio, 'duck'>
  hearing: Pick<Hearing, 'voiced' | 'follow'>
  language: SessionLanguage
  /** Without recognition: a voice is enough to end a speech. */
  byVoice?: boolean
  /** Speech that is playing or next. */
  current: () => SoundingSpeech | undefined
  /** The caller takes the floor: ends playback and clears the queue, except protected speech. */
  interrupt: () => void
  /** Resumes suspended speech. */
  release: () => void
  ducked: (ducked: boolean) => void
}

/** Decides whether the caller's voice and words duck, suspend, or end the current speech. */
export class BargeInControl {
  readonly #deps: BargeInDeps
  readonly #ducking: DuckingControl

  constructor(deps: BargeInDeps) {
    const { clock, audio, current, ducked } = deps
    this.#deps = deps
    this.#ducking = new DuckingControl({ clock, audio, makesRoom: () => freesCapacity(current()), changed: ducked })
  }

  /** A possible voice: only enough for ducking. */
  noticed(at: number): void {
    this.#ducking.noticed(at)
  }

  /** VAD result and its time. */
  voice(turn: CallerTurn | undefined, speaks: boolean, at: number): void {
    this.#ducking.voice(speaks, at)
    if (turn) turn.answers ||= asks(this.#deps.current(), this.#deps.clock.now() - at)
    if (turn && speaks && this.#deps.byVoice) this.#considerStopping(turn)
  }

  /** A turn begins. */
  began(turn: CallerTurn): void {
    this.#ducking.began()
    this.#considerStopping(turn)
  }

  /** The current speech has changed or ended. */
  attend(): void {
    this.#ducking.attend()
  }

  /** Speeches do not wait during a noise, so words in it may interrupt them. */
  listenIntoNoise(turn: CallerTurn | undefined): void {
    if (turn?.noise && !turn.cut) this.follow(true)
  }

  /** Requests partial transcripts, because words may end a speech. */
  follow(wanted: boolean): void {
    this.#deps.hearing.follow('barge-in', wanted)
  }

  /** Decides whether these words end the assistant's speech; `agoMs`: age of the last word. */
  weigh(turn: CallerTurn, heard: Transcript, { agoMs, final }: { agoMs: number; final: boolean }): void {
    const speech = this.#deps.current()
    if (turn.cut || !speech || !(speech.suspended || speech.sounding) || answersAhead(speech, turn)) return
    const { rule } = speech.order
    // A slow voice plays less than the elapsed time.
    if (Math.max(0, speech.playedMs - (speech.suspended ? 0 : agoMs)) < rule.allowAfterMs) return
    turn.answers ||= asks(speech, agoMs)
    const language = this.#deps.language.now
    if (turn.opens && (final ? isGreeting(heard.text, { language, answers: turn.answers }) : this.#ducking.voicedMs < greetingMs)) return
    const by = cutBy(rule, { language, ...heard, voicedMs: this.#ducking.voicedMs, answers: turn.answers, final })
    if (by) this.#cut(turn, speech, by)
  }

  close(): void {
    this.#ducking.close()
  }

  #considerStopping(turn: CallerTurn): void {
    const speech = this.#deps.current()
    if (!speech?.sounding || turn.cut) return
    const { strategy, allowAfterMs } = speech.order.rule
    if (strategy === 'none' || strategy === 'manual') return
    const protectedMs = allowAfterMs - speech.playedMs
    if (protectedMs > 0) {
      turn.cancelTimer = this.#deps.clock.after(protectedMs, () => this.#considerStopping(turn))
      return
    }
    this.#ducking.attend()
    if (this.#deps.byVoice) return this.#deps.hearing.voiced ? this.#cut(turn, speech, { reason: 'voice', text: '' }) : undefined
    if (strategy === 'immediate' && this.#deps.hearing.voiced) this.#suspend(turn, speech)
    this.follow(true)
  }

  #suspend(turn: CallerTurn, speech: SoundingSpeech): void {
    speech.hold()
    turn.cancelTimer = this.#deps.clock.after(falseAlarmMs, () => this.#deps.release())
  }

  #cut(turn: CallerTurn, speech: SoundingSpeech, by: Cut): void {
    turn.cancelTimer()
    turn.cut = { words: by.text, ...speech.heard() }
    speech.cut(by)
    this.follow(false)
    this.#deps.interrupt()
  }
}

/**
 * Milliseconds of voice before ducking. VAD needs about as long to be sure; it is too early for words, but shows the caller that the assistant
 * listens.
 */
const voicedForMs = 60
/** Milliseconds of silence before the volume is restored. */
const silentForMs = 400
/** Milliseconds after which a voice that has not stopped the assistant counts as noise or other people, and is talked over until it pauses. */
const maxMs = 2000

interface DuckingDeps {
  clock: Clock
  audio: Pick<Audio, 'duck'>
  /** True if the current speech may be ducked. */
  makesRoom: () => boolean
  /** Called when the level has changed. */
  changed: (ducked: boolean) => void
}

/** Ducks the assistant while the caller's voice may be an interruption. */
class DuckingControl {
  readonly #deps: DuckingDeps
  /** Undefined without a voice. */
  #voicedSince: number | undefined
  /** A possible voice that VAD has not confirmed. */
  #noticed = false
  #silentSince = -Infinity
  /** Start of the voice, ignoring short silences. */
  #since = 0
  /** Voiced milliseconds of the caller's turn before the last silence. */
  #voicedMs = 0
  #ducked = false
  #cancelTimer: () => void = () => {}

  constructor(deps: DuckingDeps) {
    this.#deps = deps
  }

  /** Voiced milliseconds of this turn so far. */
  get voicedMs(): number {
    return this.#voicedMs + (this.#voicedSince === undefined ? 0 : this.#deps.clock.now() - this.#voicedSince)
  }

  /** A possible voice. If none follows, it counts as one that has just ended. */
  noticed(at: number): void {
    if (this.#voicedSince !== undefined) return
    this.#heard(at)
    this.#noticed = true
    this.#silentSince = at
    this.attend()
  }

  /** VAD result and its time. */
  voice(speaks: boolean, at: number): void {
    if (speaks && this.#voicedSince === undefined) {
      this.#heard(at)
      this.#noticed = false
      this.#voicedSince = at
    } else if (!speaks && this.#voicedSince !== undefined) {
      this.#voicedMs += Math.max(0, at - this.#voicedSince)
      this.#voicedSince = undefined
      this.#silentSince = at
    }
    this.attend()
  }

  /** The voice belongs to a new turn. */
  began(): void {
    this.#voicedMs = 0
  }

  /** Re-evaluates after a change of speech, voice, or time. */
  attend(): void {
    this.#cancelTimer()
    const { ducked, forMs } = this.#wanted()
    if (ducked !== this.#ducked) {
      this.#ducked = ducked
      this.#duck(ducked)
      this.#deps.changed(ducked)
    }
    if (forMs < Infinity) this.#cancelTimer = this.#deps.clock.after(forMs, () => this.attend())
  }

  close(): void {
    this.#cancelTimer()
    if (this.#ducked) this.#duck(false)
    this.#ducked = false
  }

  #heard(at: number): void {
    if (at - this.#silentSince >= silentForMs) this.#since = at
  }

  /** Ignores failures: a leg that cannot duck is gone or reports that itself. */
  #duck(ducked: boolean): void {
    try {
      this.#deps.audio.duck(ducked)
    } catch {}
  }

  /** `forMs`: validity of the result without further changes. */
  #wanted(): { ducked: boolean; forMs: number } {
    const asBefore = { ducked: false, forMs: Infinity }
    if (!this.#deps.makesRoom()) return asBefore
    const now = this.#deps.clock.now()
    const age = now - this.#since
    if (this.#voicedSince === undefined) {
      const left = Math.min(this.#silentSince + silentForMs - now, this.#noticed ? maxMs - age : Infinity)
      return (this.#ducked || this.#noticed) && left > 0 ? { ducked: true, forMs: left } : asBefore
    }
    if (age < voicedForMs && !this.#ducked) return { ducked: false, forMs: voicedForMs - age }
    return age < maxMs ? { ducked: true, forMs: maxMs - age } : asBefore
  }
}

/** Speech against which the caller's voice and words are weighed. */
export type SoundingSpeech = Pick<SpeechPlayout, 'sounding' | 'suspended' | 'playedMs' | 'asked' | 'heard' | 'hold' | 'cut'> & {
  readonly startedAt?: number | undefined
  readonly order: Pick<SpeechOrder, 'rule' | 'protect' | 'live'>
}

/** A caller turn in progress. */
export interface CallerTurn {
  since: number
  /** It began during a speech with the barge-in strategy `none`. */
  unheard: boolean
  announced: boolean
  /** The first words of a callee, before the assistant's greeting was heard. */
  opens: boolean
  /** Continues a noise: the previous turn reached the maximum length without words, so speeches do not wait for this one. */
  noise: boolean
  /** It began during a speech that back-channels do not stop. */
  mayBeBackChannel: boolean
  /** It began while the assistant spoke or was about to. */
  overSpeech: boolean
  /** Its voice was heard in the last clause of a question, which even a back-channel answers. */
  answers: boolean
  /** Words that ended a speech, and the heard part of that speech. */
  cut?: { words: string; heardMs: number; heardText: string }
  cancelTimer: () => void
}

/** Milliseconds from its first to its last voiced sample. */
export const voiceMsOf = ({ since }: CallerTurn, { timing }: Pick<HeardTurn, 'timing'>): number =>
  Math.max(0, Math.round(timing.speechEndedAt - since))

/** Starts a turn during this speech, which is playing or next. */
export const newTurn = (speech: SoundingSpeech | undefined, since: number, noise: boolean, opens = false): CallerTurn => {
  const unheard = sounds(speech, 'none')
  const [mayBeBackChannel, answers, overSpeech] = [toleratesBackChannels(speech), asks(speech, 0), speech !== undefined]
  return { since, unheard, announced: !unheard, opens, noise, mayBeBackChannel, overSpeech, answers, cancelTimer: () => {} }
}

/** Outcome of a turn: to be answered, a back-channel, not understood, or not to be heard. */
type TurnOutcome = 'told' | 'backchannel' | 'no_words' | 'unheard'

/** `speech`: playing or next at that time; `unheardUntil`: end of the last speech with the strategy `none`. */
export const outcomeOf = (
  turn: CallerTurn,
  { text, typed, language, timing }: HeardTurn,
  { speech, unheardUntil, languageNow }: { speech: SoundingSpeech | undefined; unheardUntil: number; languageNow: string },
): TurnOutcome => {
  // Only with more speech to come: else the caller would wait for an answer, and the assistant for the caller.
  const mayBe = turn.mayBeBackChannel && !turn.answers && !turn.cut && typed !== true && speech !== undefined
  if (mayBe && isBackChannel(text, language ?? languageNow)) return 'backchannel'
  if (text === '') return 'no_words'
  return turn.unheard && (sounds(speech, 'none') || timing.speechEndedAt <= unheardUntil) ? 'unheard' : 'told'
}

/** True if the turn is only a callee's hello. */
export const isHello = (turn: CallerTurn, { text, typed, language }: HeardTurn, languageNow: string): boolean =>
  turn.opens && !turn.unheard && !turn.cut && !typed && isGreeting(text, { language: language ?? languageNow, answers: turn.answers })

/** True if it is audible and has this barge-in strategy. */
const sounds = (speech: Pick<SoundingSpeech, 'sounding' | 'order'> | undefined, strategy: BargeInRule['strategy']): boolean =>
  speech?.sounding === true && speech.order.rule.strategy === strategy

/** True if it is audible and back-channels need no answer. */
const toleratesBackChannels = (speech: SoundingSpeech | undefined): boolean =>
  sounds(speech, 'words') || (speech?.sounding === true && speech.order.protect)

/** True if it is ducked under the caller's voice. */
const freesCapacity = (speech: SoundingSpeech | undefined): boolean =>
  speech !== undefined && sounds(speech, 'words') && speech.playedMs >= speech.order.rule.allowAfterMs

/** True if the last clause of a question was playing when the caller's voice was heard, `agoMs` ago. */
const asks = (speech: SoundingSpeech | undefined, agoMs: number): boolean =>
  speech !== undefined && sounds(speech, 'words') && speech.asked(speech.playedMs - agoMs)

/** Endpoint audio that began in this turn answers it: the endpoint took the turn for over earlier. The turn's words do not interrupt it. */
const answersAhead = ({ order, startedAt = Infinity }: SoundingSpeech, turn: CallerTurn): boolean =>
  order.live === true && startedAt >= turn.since

/**
 * No speech begins while the caller speaks, except with the strategy `none`, with `manual` if it arrived before the turn, endpoint audio, and
 * during a noise.
 */
export const mustWait = (
  { order, arrivedAt }: Pick<SoundingSpeech, 'order'> & { arrivedAt: number },
  turn: CallerTurn | undefined,
): boolean => {
  const { strategy } = order.rule
  if (!turn || turn.noise || strategy === 'none' || order.live) return false
  return strategy !== 'manual' || arrivedAt >= turn.since
}

/**
 * True if the speech has not begun and replies to an earlier caller turn. Speeches queued behind an audible one are kept, unless they arrived
 * while the caller spoke.
 */
export const isOutdated = ({ order, arrivedAt }: SpeechPlayout, turn: CallerTurn, stillSounds: boolean): boolean => {
  if (order.rule.strategy === 'none' || order.protect || order.live) return false
  return arrivedAt >= turn.since || (!stillSounds && order.rule.strategy !== 'manual')
}
