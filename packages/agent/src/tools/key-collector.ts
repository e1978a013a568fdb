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
  #press: ((digit: string) => void) | undefined

  constructor(clock: AgentClock) {
    this.#clock = clock
  }

  /** False: nobody waits for keys. */
  pressed(digit: string): boolean {
    const press = this.#press
    press?.(digit)
    return press !== undefined
  }

  /** What was pressed until the end key, the last digit, a pause, or the end of the turn. */
  collect({ most, endKey, seconds, signal, spoken }: Collecting): Promise<string> {
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
      const press = (digit: string): void => {
        if (digit === endKey) return done()
        digits += digit
        if (digits.length >= most) done()
        else waitLonger()
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
