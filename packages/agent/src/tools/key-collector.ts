import type { AgentClock } from '../clock.ts'

export interface Collecting {
  most: number
  endKey: string
  /** After the question, and after each key. */
  seconds: number
  signal: AbortSignal
  spoken: () => Promise<void>
}

/** Takes the keys of a call while somebody collects them. */
export class KeyCollector {
  readonly #clock: AgentClock
  #press: ((digit: string) => number) | undefined

  constructor(clock: AgentClock) {
    this.#clock = clock
  }

  /** How many there are now; undefined: nobody waits for keys. */
  pressed(digit: string): number | undefined {
    return this.#press?.(digit)
  }

  /** What was pressed until the end key, the last digit, a pause, or the end of the turn. */
  collect({ most: max, endKey, seconds, signal, spoken }: Collecting): Promise<string> {
    return new Promise((resolve) => {
      let digits = ''
      let cancel = (): void => {}
      const done = (): void => {
        cancel()
        signal.removeEventListener('abort', done)
        if (this.#press === press) this.#press = undefined
        resolve(digits)
      }
      const waitLonger = (): void => {
        cancel()
        cancel = this.#clock.after(seconds * 1000, done)
      }
      const press = (digit: string): number => {
        if (digit !== endKey) digits += digit
        if (digit === endKey || digits.length >= max) done()
        else waitLonger()
        return digits.length
      }
      this.#press = press
      if (signal.aborted) return done()
      signal.addEventListener('abort', done)
      void spoken().then(() => {
        if (this.#press === press && digits === '') waitLonger()
      })
    })
  }
}
