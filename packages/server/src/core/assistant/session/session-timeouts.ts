import type { EndReason } from '#core/kernel/ports/calls.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

const defaultSilenceSeconds = 300
/**
 * Seconds of silence before we ask if the caller is still there, and between repetitions. Applies if neither flow nor action sets an input
 * timeout.
 */
const stillThereSeconds = { first: 30, next: 60 }

interface SessionTimeoutsObserver {
  /** The caller did not answer in time; `asked`: the speak action set the limit. */
  inputMissing(asked: boolean): void
  /** Both sides have been silent for a while, and the flow sets no timeout. */
  stillThere(): void
  /** The call has to end. */
  timeUp(reason: EndReason): void
}

/** Expiry times in milliseconds since the epoch. */
export interface SavedTimeouts {
  silenceAt: number | undefined
  inputAt: number | undefined
  /** Seconds set by the last speak action. */
  wish: number | undefined
}

/** Timeouts of a session: for the caller's answer to a speech, for silence, and for the length of the call. */
export class SessionTimeouts {
  readonly #clock: Clock
  readonly #settings: NonNullable<FlowSettings['timeouts']>
  readonly #observer: SessionTimeoutsObserver
  /** Seconds set by the last speak action for the caller's answer. */
  #input: number | undefined
  #callerSpeaks = false
  /** The input timeout expired while the caller spoke, possibly to answer. */
  #overdue = false
  /** Active pauses. */
  #pauses = 0
  /** Number of "still there" questions so far. */
  #asked = 0
  /** All speech was played and an answer is expected. */
  #awaitsInput = false
  #silenceAt: number | undefined
  #inputAt: number | undefined
  #cancelInput: () => void = () => {}
  #cancelSilence: () => void = () => {}
  #cancelEnd: () => void = () => {}

  constructor(clock: Clock, { timeouts = {} }: FlowSettings, observer: SessionTimeoutsObserver) {
    this.#clock = clock
    this.#settings = timeouts
    this.#observer = observer
  }

  /** `before`: start time and timeouts from the process taken over from. */
  start(before?: { startedAt: number; saved: SavedTimeouts | undefined }): void {
    const now = this.#clock.now()
    const { maxCallSeconds } = this.#settings
    const lastedSeconds = before ? (now - before.startedAt) / 1000 : 0
    if (maxCallSeconds !== undefined)
      this.#cancelEnd = this.#in(Math.max(maxCallSeconds - lastedSeconds, 0), () => this.#observer.timeUp('max_duration'))
    const { silenceAt, inputAt, wish: input } = before?.saved ?? {}
    this.#waitForAnyWord(silenceAt === undefined ? undefined : (silenceAt - now) / 1000)
    if (inputAt === undefined) return
    this.#input = input
    this.#awaitsInput = true
    this.#waitForInput((inputAt - now) / 1000)
  }

  /** Current timeouts; those stopped by a pause start again. */
  get saved(): SavedTimeouts {
    const paused = this.#pauses > 0
    return {
      silenceAt: paused ? undefined : this.#silenceAt,
      inputAt: paused || !this.#awaitsInput ? undefined : this.#inputAt,
      wish: this.#input,
    }
  }

  /** A speech was requested; after its end the caller has this many seconds to begin. Zero means no limit. */
  speaks(userInputSeconds: number | undefined): void {
    this.#forgetInput()
    this.#input = userInputSeconds
  }

  /** All speech was played. */
  quiet(): void {
    this.#forgetInput()
    this.#awaitsInput = true
    this.#waitForInput()
  }

  /** The endpoint has no answer. */
  nothingSaid(): void {
    if (this.#limit === undefined && !this.#awaitsInput) this.quiet()
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
    this.#asked = 0
    this.#forgetInput()
    this.#waitForAnyWord()
  }

  /** Pauses while no answer is expected: during a transfer or hold. */
  pause(): void {
    this.#pauses += 1
    this.#cancelInput()
    this.#cancelSilence()
  }

  /** Call once for each pause; the timeouts start again. */
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

  #waitForInput(left?: number): void {
    this.#cancelInput()
    const seconds = this.#limit ?? (this.#asked === 0 ? stillThereSeconds.first : stillThereSeconds.next)
    if (!this.#awaitsInput || this.#pauses > 0 || seconds <= 0) return
    this.#inputAt = this.#clock.now() + (left ?? seconds) * 1000
    this.#cancelInput = this.#in(left ?? seconds, () => this.#inputMissing())
  }

  #inputMissing(): void {
    this.#awaitsInput = false
    this.#overdue = this.#callerSpeaks
    if (this.#overdue) return
    if (this.#limit !== undefined) return this.#observer.inputMissing(this.#input !== undefined)
    this.#asked += 1
    this.#observer.stillThere()
  }

  /** Seconds that the action or the flow sets for the caller's answer. */
  get #limit(): number | undefined {
    return this.#input ?? this.#settings.userInputSeconds
  }

  #forgetInput(): void {
    this.#overdue = false
    this.#awaitsInput = false
    this.#cancelInput()
  }

  #waitForAnyWord(left?: number): void {
    this.#cancelSilence()
    if (this.#pauses > 0) return
    const seconds = left ?? this.#settings.silenceSeconds ?? defaultSilenceSeconds
    this.#silenceAt = this.#clock.now() + seconds * 1000
    this.#cancelSilence = this.#in(seconds, () => this.#observer.timeUp('silence_timeout'))
  }

  #in(seconds: number, task: () => void): () => void {
    return this.#clock.after(seconds * 1000, task)
  }
}
