import type { EndReason } from '#core/kernel/ports/call-end.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'

const defaultSilenceSeconds = 300

export interface SessionTimeoutsObserver {
  /** The caller is silent for longer than the assistant wanted to wait; `asked`: the speech itself said how long. */
  inputMissing(asked: boolean): void
  /** The call has to end. */
  timeUp(reason: EndReason): void
}

/** How long an assistant waits: for an answer to what it said, for any word at all, and for the end of the call. */
export class SessionTimeouts {
  readonly #clock: Clock
  readonly #settings: NonNullable<FlowSettings['timeouts']>
  readonly #observer: SessionTimeoutsObserver
  /** What the speech that was asked for last said about it. */
  #wish: number | undefined
  #callerSpeaks = false
  /** The time for an answer was over while the caller spoke: perhaps it was one. */
  #overdue = false
  /** How often it was asked to pause. */
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

  /** Something is going to be said; when it is over the caller has so many seconds to begin. Zero: as long as it takes. */
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

  /** There is a caller: words or keys came. */
  callerActs(): void {
    this.#callerSpeaks = false
    this.#forgetInput()
    this.#waitForAnyWord()
  }

  /** There is nobody to wait for: somebody else is looked for, who shall talk to the caller, or the caller is on hold. */
  pause(): void {
    this.#pauses += 1
    this.#cancelInput()
    this.#cancelSilence()
  }

  /** As often as it was paused; what was waited for before is waited for from the beginning. */
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
