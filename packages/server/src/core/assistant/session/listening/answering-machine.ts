import type { AnsweredBy } from '../conversation.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'

/** "Hello?", "Meier." and then waiting for an answer. */
const humanGreetingMs = 1800
const humanWaitsMs = 600
/** Minimum length of a greeting without a pause that counts as an announcement. */
const machineGreetingMs = 3000
/** Milliseconds to wait for a greeting. */
const undecidedMs = 4000
/** Milliseconds to wait for words or a beep after an ambiguous greeting. */
const doubtfulMs = 2500

/** Phrases that only machines say. */
const announcements = [
  /leave (?:me |us )?(?:a|your) (?:message|name)|after the (?:tone|beep)|at the tone|voice ?mail/i,
  /(?:not|nobody is|no one is) (?:\w+ )?available|\bunavailable\b|you(?: ha|')ve reached/i,
  /(?:can ?not|can't|unable to) (?:come to|take your|answer)/i,
  /nach dem (?:ton|signalton|piep)|hinterlassen sie|nachricht (?:hinterlassen|auf)|mailbox|anrufbeantworter|sprachbox/i,
  /(?:nicht|niemand|niemanden) (?:\p{L}+ )?(?:erreichbar|zu erreichen|erreichen|persönlich)/iu,
]

/** Rules of answering-machine detection. Times are milliseconds since the answer; the class has no clock. */
export class AnsweringMachine {
  #result: AnsweredBy | undefined
  /** Start of the greeting; pauses in it are shorter than a person waits. */
  #started: number | undefined
  /** Start of the current pause in the greeting. */
  #paused: number | undefined

  get result(): AnsweredBy | undefined {
    return this.#result
  }

  /** Time of the next evaluation if no event comes before. */
  get due(): number | undefined {
    if (this.#result) return undefined
    if (this.#started === undefined) return undecidedMs
    if (this.#paused === undefined) return this.#started + machineGreetingMs
    return this.#paused + (this.#greetsLikeAPerson(this.#started, this.#paused) ? humanWaitsMs : doubtfulMs)
  }

  started(at: number): void {
    this.#started ??= at
    this.#paused = undefined
    this.reached(at)
  }

  stopped(at: number): void {
    if (this.#started !== undefined) this.#paused ??= at
    this.reached(at)
  }

  /** Text recognised so far. */
  understood(text: string): void {
    if (announcements.some((words) => words.test(text))) this.#result ??= 'machine'
  }

  beep(): void {
    this.#result ??= 'machine'
  }

  /** Evaluates at the time `now`. */
  reached(now: number): void {
    this.#result ??= this.#judge(now)
  }

  #judge(now: number): AnsweredBy | undefined {
    const startedAt = this.#started
    if (startedAt === undefined) return now >= undecidedMs ? 'unknown' : undefined
    if ((this.#paused ?? now) - startedAt >= machineGreetingMs) return 'machine'
    if (this.#paused === undefined) return undefined
    if (this.#greetsLikeAPerson(startedAt, this.#paused)) return now - this.#paused >= humanWaitsMs ? 'human' : undefined
    return now - this.#paused >= doubtfulMs ? 'unknown' : undefined
  }

  #greetsLikeAPerson(startedAt: number, paused: number): boolean {
    return paused - startedAt <= humanGreetingMs
  }
}

/** Answering-machine detection on one call, from the audio since its start. */
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

  /** Returns true for the first beep. */
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

/** Milliseconds to wait for answering-machine detection before the session starts. */
const detectionMs = 10_000

export const answeredBeforeStart = (
  clock: Clock,
  conversation: { detectMachine(): Promise<AnsweredBy> },
  over: Promise<unknown>,
): Promise<AnsweredBy> =>
  atMost(clock, detectionMs, Promise.race([conversation.detectMachine(), over.then((): AnsweredBy => 'unknown')]), 'unknown')
