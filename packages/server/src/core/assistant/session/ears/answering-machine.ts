import type { AnsweredBy } from '../conversation/conversation.ts'

/** "Hello?", "Meier." and then waiting for an answer. */
const humanGreetingMs = 1800
const humanWaitsMs = 600
/** Nobody introduces himself for so long without a pause, but every announcement does. */
const machineGreetingMs = 3000
/** Longer nobody waits for the first word of the assistant, unless the greeting still goes on. */
const undecidedMs = 4000
/** After a greeting that could be either's: its words, or a beep, decide if they come so soon. */
const doubtfulMs = 2500

/** What only machines say. */
const announcements = [
  /leave (?:me |us )?(?:a|your) (?:message|name)|after the (?:tone|beep)|at the tone|voice ?mail/i,
  /(?:not|nobody is|no one is) (?:\w+ )?available|\bunavailable\b|you(?: ha|')ve reached/i,
  /(?:can ?not|can't|unable to) (?:come to|take your|answer)/i,
  /nach dem (?:ton|signalton|piep)|hinterlassen sie|nachricht (?:hinterlassen|auf)|mailbox|anrufbeantworter|sprachbox/i,
  /(?:nicht|niemand|niemanden) (?:\p{L}+ )?(?:erreichbar|zu erreichen|erreichen|persönlich)/iu,
]

/** Who answered, from how the first seconds sound. Told in milliseconds since the answer; knows no clock. */
export class AnsweringMachine {
  #result: AnsweredBy | undefined
  /** Of the greeting: pauses in it are shorter than a person waits. */
  #began: number | undefined
  /** Since then nobody speaks. */
  #paused: number | undefined

  get result(): AnsweredBy | undefined {
    return this.#result
  }

  /** When it has to be looked at again if nothing happens before. */
  get due(): number | undefined {
    if (this.#result) return undefined
    if (this.#began === undefined) return undecidedMs
    if (this.#paused === undefined) return this.#began + machineGreetingMs
    return this.#paused + (this.#greetsLikeAPerson(this.#began, this.#paused) ? humanWaitsMs : doubtfulMs)
  }

  started(at: number): void {
    this.#began ??= at
    this.#paused = undefined
    this.reached(at)
  }

  stopped(at: number): void {
    if (this.#began !== undefined) this.#paused ??= at
    this.reached(at)
  }

  /** What was understood until now. */
  understood(text: string): void {
    if (announcements.some((words) => words.test(text))) this.#result ??= 'machine'
  }

  beep(): void {
    this.#result ??= 'machine'
  }

  /** It is this late. */
  reached(now: number): void {
    this.#result ??= this.#judge(now)
  }

  #judge(now: number): AnsweredBy | undefined {
    const began = this.#began
    if (began === undefined) return now >= undecidedMs ? 'unknown' : undefined
    if ((this.#paused ?? now) - began >= machineGreetingMs) return 'machine'
    if (this.#paused === undefined) return undefined
    if (this.#greetsLikeAPerson(began, this.#paused)) return now - this.#paused >= humanWaitsMs ? 'human' : undefined
    return now - this.#paused >= doubtfulMs ? 'unknown' : undefined
  }

  #greetsLikeAPerson(began: number, paused: number): boolean {
    return paused - began <= humanGreetingMs
  }
}
