import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Said } from './conversation.ts'

/** Where the time of one turn went; milliseconds since the caller's last sound. */
export interface TurnTimes {
  turn: number
  vadEndMs: number
  endpointMs: number
  sttFinalMs: number
  /** The session was told. */
  decidedMs: number
  sentMs?: number
  answeredMs?: number
  firstSoundMs?: number
}

/** Measures one turn after the other. What did not happen is missing. */
export class TurnStopwatch {
  readonly #clock: Clock
  readonly #notify: (times: TurnTimes, said: Said) => void
  #startedAt = 0
  #times: TurnTimes | undefined
  #said: Said | undefined

  constructor(clock: Clock, notify: (times: TurnTimes, said: Said) => void) {
    this.#clock = clock
    this.#notify = notify
  }

  said(turn: number, said: Said): void {
    const { speechEndedAt, vadEndMs, endpointMs, sttFinalMs } = said.timing
    this.stop()
    this.#said = said
    this.#startedAt = speechEndedAt
    this.#times = { turn, vadEndMs, endpointMs, sttFinalMs, decidedMs: this.#clock.now() - speechEndedAt }
  }

  sent(): void {
    if (this.#times) this.#times.sentMs = this.#clock.now() - this.#startedAt
  }

  answered(): void {
    if (this.#times) this.#times.answeredMs ??= this.#clock.now() - this.#startedAt
  }

  /** Something began to sound at this time. What began before there was an answer is not the answer. */
  sounded(at: number): void {
    const soundMs = at - this.#startedAt
    if (this.#times?.answeredMs === undefined || soundMs < this.#times.answeredMs) return
    this.#times.firstSoundMs = soundMs
    this.stop()
  }

  /** Nothing more of this turn is to be measured. */
  stop(): void {
    if (this.#times && this.#said) this.#notify(this.#times, this.#said)
    this.#times = undefined
  }
}
