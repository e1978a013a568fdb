import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Answer, SpeechFields } from '@offhook/sdk/index.ts'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { ToolDescription } from '../model/messages.ts'
import type { AgentClock } from '../clock.ts'

export interface ToolContext {
  signal: AbortSignal
  session: Session
  turn: number
  /** Id of this tool call. */
  callId: string
  /** Speaks immediately, as a separate speech. */
  say: (text: string, fields: SpeechFields) => void
  /** The assistant now waits for the caller. */
  listens: () => void
  /** Resolves when everything has sounded. */
  spoken: () => Promise<void>
  /** The recording pauses while it runs, and nothing of what the caller says or presses is noted. */
  confidential: (work: () => Promise<ToolRun>) => Promise<ToolRun>
}

export interface ToolRun {
  status: 'ok' | 'refused' | 'failed'
  /** Content for the model. */
  content: unknown
  /** Performed after all tools called together have run; ends the assistant's turn. */
  end?: Answer
  /** Request and response as sent over the wire. */
  request?: string
  response?: string
  passages?: readonly Passage[]
}

/** A tool the model may call. Forbidden calls are rejected here and again by the service. */
export interface Tool extends ToolDescription {
  /** Spoken before the tool runs. */
  beforeText?: string
  /** It only reads: its success does not show that something was done. */
  reads?: boolean
  /** `args` match the parameters. */
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolRun>
}

export const objectOf = (properties: Record<string, unknown>, required: readonly string[] = []): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const refused = (why: string): ToolRun => ({ status: 'refused', content: { error: why } })

interface Collecting {
  most: number
  endKey: string
  /** Seconds to wait after the question and after each key. */
  seconds: number
  signal: AbortSignal
  spoken: () => Promise<void>
}

/** Consumes key presses while a tool collects digits. */
export class KeyCollector {
  readonly #clock: AgentClock
  #press: ((digit: string) => number) | undefined

  constructor(clock: AgentClock) {
    this.#clock = clock
  }

  /** Number of collected digits; undefined if no tool is collecting. */
  pressed(digit: string): number | undefined {
    return this.#press?.(digit)
  }

  /** Digits up to the end key, the last digit, a pause, or the end of the turn. */
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
