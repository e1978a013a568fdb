import type { AnsweredBy } from '../conversation/conversation.ts'

/** "Hello?", "Meier." and then waiting for an answer. */
const humanGreetingMs = 1800
const humanWaitsMs = 600
/** A greeting of this length without a pause is an announcement, not a person. */
const machineGreetingMs = 3000
/** How long to wait for a greeting at all. */
const undecidedMs = 4000
/** How long to wait for words or a beep after a greeting that could be either's. */
const doubtfulMs = 2500

/** What only machines say. */
const announcements = [
  /leave (?:me |us )?(?:a|your) (?:message|name)|after the (?:tone|beep)|at the tone|voice ?mail/i,
  /(?:not|nobody is|no one is) (?:\w+ )?available|\bunavailable\b|you(?: ha|')ve reached/i,
  /(?:can ?not|can't|unable to) (?:come to|take your|answer)/i,
  /nach dem (?:ton|signalton|piep)|hinterlassen sie|nachricht (?:hinterlassen|auf)|mailbox|anrufbeantworter|sprachbox/i,
  /(?:nicht|niemand|niemanden) (?:\p{L}+ )?(?:erreichbar|zu erreichen|erreichen|persönlich)/iu,
]

/** The rules of answering-machine detection. Times are milliseconds since the call was answered; it has no clock of its own. */
export class AnsweringMachine {
  #result: AnsweredBy | undefined
  /** Of the greeting: pauses in it are shorter than a person waits. */
  #started: number | undefined
  /** Since when the greeting pauses. */
  #paused: number | undefined

  get result(): AnsweredBy | undefined {
    return this.#result
  }

  /** When it has to be looked at again if nothing happens before. */
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

  /** What was understood until now. */
  understood(text: string): void {
    if (announcements.some((words) => words.test(text))) this.#result ??= 'machine'
  }

  beep(): void {
    this.#result ??= 'machine'
  }

  /** The time is `now`. */
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
