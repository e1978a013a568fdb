import type { EndReason } from '#core/kernel/ports/call-end.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'

const defaultSilenceSeconds = 300

export interface SessionTimeoutsObserver {
  /** The caller did not answer in time; `asked`: the speak action set the limit. */
  inputMissing(asked: boolean): void
  /** The call has to end. */
  timeUp(reason: EndReason): void
}

/** The timeouts of a session: for the caller's answer to a speech, for silence, and for the length of the call. */
export class SessionTimeouts {
  readonly #clock: Clock
  readonly #settings: NonNullable<FlowSettings['timeouts']>
  readonly #observer: SessionTimeoutsObserver
  /** Seconds that the last speak action set for the caller's answer. */
  #wish: number | undefined
  #callerSpeaks = false
  /** The time for an answer ended while the caller spoke, perhaps to answer. */
  #overdue = false
  /** Pauses that were not resumed yet. */
  #pauses = 0
  /** Everything was said, and an answer is expected. */
  #awaitsInput = false
  #cancelInput: () => void = () => {}
  #cancelSilence: () => void = () => {}
  #cancelEnd: () => void = () => {}

  constructor(clock: Clock, { timeouts = {} }: FlowSettings, observer: SessionTimeoutsObserver) {
    this.#clock = clock
    this.#settings = timeouts
    this.#observer = observer
  }

  start(): void {
    const { maxCallSeconds } = this.#settings
    if (maxCallSeconds !== undefined) this.#cancelEnd = this.#in(maxCallSeconds, () => this.#observer.timeUp('max_duration'))
    this.#waitForAnyWord()
  }

  /** A speech was asked for; when it is over the caller has this many seconds to begin. Zero: no limit. */
  speaks(userInputSeconds: number | undefined): void {
    this.#forgetInput()
    this.#wish = userInputSeconds
  }

  /** Everything was said. */
  quiet(): void {
    this.#forgetInput()
    this.#awaitsInput = true
    this.#waitForInput()
  }

  callerBegins(): void {
    this.#callerSpeaks = true
  }

  /** It was only a noise. */
  falseAlarm(): void {
    this.#callerSpeaks = false
    if (this.#overdue) this.#inputMissing()
  }

  /** The caller has spoken or pressed a key. */
  callerActs(): void {
    this.#callerSpeaks = false
    this.#forgetInput()
    this.#waitForAnyWord()
  }

  /** Nothing is expected of the caller meanwhile: a transfer is under way, or the caller is on hold. */
  pause(): void {
    this.#pauses += 1
    this.#cancelInput()
    this.#cancelSilence()
  }

  /** Once for each pause; the timeouts start anew. */
  resume(): void {
    this.#pauses -= 1
    if (this.#pauses > 0) return
    this.#waitForInput()
    this.#waitForAnyWord()
  }

  stop(): void {
    this.pause()
    this.#cancelEnd()
  }

  #waitForInput(): void {
    this.#cancelInput()
    const seconds = this.#wish ?? this.#settings.userInputSeconds ?? 0
    if (this.#awaitsInput && this.#pauses === 0 && seconds > 0) this.#cancelInput = this.#in(seconds, () => this.#inputMissing())
  }

  #inputMissing(): void {
    this.#awaitsInput = false
    this.#overdue = this.#callerSpeaks
    if (!this.#overdue) this.#observer.inputMissing(this.#wish !== undefined)
  }

  #forgetInput(): void {
    this.#overdue = false
    this.#awaitsInput = false
    this.#cancelInput()
  }

  #waitForAnyWord(): void {
    this.#cancelSilence()
    if (this.#pauses > 0) return
    const seconds = this.#settings.silenceSeconds ?? defaultSilenceSeconds
    this.#cancelSilence = this.#in(seconds, () => this.#observer.timeUp('silence_timeout'))
  }

  #in(seconds: number, task: () => void): () => void {
    return this.#clock.after(seconds * 1000, task)
  }
}
