import type { Clock } from '#core/kernel/ports/clock.ts'
import { AnsweringMachine } from './answering-machine.ts'
import type { AnsweredBy } from '../conversation/conversation.ts'

/** Answering-machine detection on one call, from the sound since its start. */
export class AnsweringMachineDetection {
  readonly result: Promise<AnsweredBy>
  readonly #machine = new AnsweringMachine()
  readonly #clock: Clock
  readonly #since: number
  readonly #decided: (result: AnsweredBy) => void
  #cancelTimer: () => void = () => {}
  #beeped = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.now()
    const { promise, resolve } = Promise.withResolvers<AnsweredBy>()
    this.result = promise
    this.#decided = resolve
    this.#poll()
  }

  get decided(): boolean {
    return this.#machine.result !== undefined
  }

  /** `at`: milliseconds since the epoch. */
  voice(speaks: boolean, at: number): void {
    if (speaks) this.#machine.started(at - this.#since)
    else this.#machine.stopped(at - this.#since)
    this.#poll()
  }

  understood(text: string): void {
    this.#machine.understood(text)
    this.#poll()
  }

  /** Gives whether it is the first. */
  beep(): boolean {
    const first = !this.#beeped
    this.#beeped = true
    this.#machine.beep()
    this.#poll()
    return first
  }

  close(): void {
    this.#cancelTimer()
    this.#decided('unknown')
  }

  #poll(): void {
    this.#cancelTimer()
    const { result, due } = this.#machine
    if (result) return this.#decided(result)
    if (due === undefined) return
    const ms = this.#since + due - this.#clock.now()
    this.#cancelTimer = this.#clock.after(ms, () => {
      this.#machine.reached(Math.max(due, this.#clock.now() - this.#since))
      this.#poll()
    })
  }
}
