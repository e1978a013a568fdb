import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { holdScenario, type Helpers } from '@offhook/sdk/simulate/run-scenario.ts'
import type { Connection } from '../connection/connection.ts'
import type { Flow } from '../connection/choose-flow.ts'
import { LiveCall, type SoundOf } from './live-call.ts'
import type { Voice } from './voice.ts'

export interface LiveRunOptions {
  draft?: boolean
  fast?: boolean
}

/** Of callers to a flow that names none. */
const defaultLanguage = 'en-US'

/** Holds conversations in typed calls through the running service, or in spoken ones with a voice. */
export class LiveRunner {
  /** One user may have five talks; who has to hear and speak for several at once is late. */
  readonly maxConcurrent: number
  readonly #connection: Connection
  readonly #flow: Pick<Flow, 'id' | 'language'>
  readonly #options: LiveRunOptions
  readonly #voice: Voice | undefined

  constructor(connection: Connection, flow: Pick<Flow, 'id' | 'language'>, options: LiveRunOptions, voice?: Voice) {
    this.#connection = connection
    this.#flow = flow
    this.#options = options
    this.#voice = voice
    this.maxConcurrent = voice ? 1 : 4
  }

  async run(scenario: Scenario, helpers: Helpers): Promise<ScenarioReport> {
    const { draft, fast } = this.#options
    const { from, to } = scenario
    const input = { ...(from && { from }), ...(to && { to }), ...(draft && { draft }), ...(fast && { fast }) }
    const call = new LiveCall(this.#connection, this.#flow.id, input, await this.#prepared(scenario))
    try {
      return await holdScenario(scenario, () => call, helpers)
    } finally {
      call.close()
    }
  }

  /** Made before the call: who interrupts has to be in time. */
  async #prepared({ steps, language = this.#flow.language ?? defaultLanguage }: Scenario): Promise<SoundOf | undefined> {
    const voice = this.#voice
    if (!voice) return undefined
    const soundOf: SoundOf = (text) => voice.soundOf(text, language)
    for (const step of steps) if ('say' in step) await soundOf(step.say)
    return soundOf
  }
}
