import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import type { Audio } from '#core/kernel/ports/telephony.ts'
import type { Cut } from '../conversation/barge-in.ts'
import type { SessionLanguage } from '../language/session-language.ts'
import type { Hearing } from '../listening/hearing.ts'
import { answersAhead, asks, freesCapacity, type CallerTurn, type SoundingSpeech } from './caller-turn.ts'
import { DuckingControl } from './ducking-control.ts'
import { cutBy } from './interruption.ts'

/** How long a speech that was suspended by the caller's voice waits for words before it continues. */
const falseAlarmMs = 1500

export interface BargeInDeps {
  clock: Clock
  audio: Pick<Audio, 'duck'>
  hearing: Pick<Hearing, 'voiced' | 'follow'>
  language: SessionLanguage
  /** Nothing is recognised: a voice is enough to end a speech. */
  byVoice?: boolean
  /** What is playing or about to. */
  current: () => SoundingSpeech | undefined
  /** The caller takes the floor: everything that plays or waits ends. */
  interrupt: () => void
  /** What was suspended goes on. */
  release: () => void
  ducked: (ducked: boolean) => void
}

/** Whether the caller's voice and words make what plays softer, suspend it, or end it. */
export class BargeInControl {
  readonly #deps: BargeInDeps
  readonly #ducking: DuckingControl

  constructor(deps: BargeInDeps) {
    const { clock, audio, current, ducked } = deps
    this.#deps = deps
    this.#ducking = new DuckingControl({ clock, audio, makesRoom: () => freesCapacity(current()), changed: ducked })
  }

  /** Perhaps the caller's voice: not worth more than making room for it. */
  noticed(at: number): void {
    this.#ducking.noticed(at)
  }

  /** What the voice detector says, and of when. */
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

  /** Something else plays, or nothing any more. */
  attend(): void {
    this.#ducking.attend()
  }

  /** During a noise speeches do not wait, so words in it may interrupt them. */
  listenIntoNoise(turn: CallerTurn | undefined): void {
    if (turn?.noise && !turn.cut) this.follow(true)
  }

  /** Whether partial transcripts are needed, because words may end a speech. */
  follow(wanted: boolean): void {
    this.#deps.hearing.follow('barge-in', wanted)
  }

  /** Whether these words end what the assistant says; `agoMs`: how long ago the last of them was said. */
  weigh(turn: CallerTurn, heard: Transcript, { agoMs, final }: { agoMs: number; final: boolean }): void {
    const speech = this.#deps.current()
    if (turn.cut || !speech || !(speech.suspended || speech.sounding) || answersAhead(speech, turn)) return
    const { rule } = speech.order
    // A voice that is made too slowly plays less than the time that passes.
    if (Math.max(0, speech.playedMs - (speech.suspended ? 0 : agoMs)) < rule.allowAfterMs) return
    turn.answers ||= asks(speech, agoMs)
    const language = this.#deps.language.now
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
