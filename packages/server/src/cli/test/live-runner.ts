import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { holdScenario, type Helpers } from '@offhook/sdk/simulate/run-scenario.ts'
import type { Connection } from '../connection/connection.ts'
import { LiveCall } from './live-call.ts'

export interface LiveRunOptions {
  draft?: boolean
  fast?: boolean
}

/** Holds conversations in typed calls through the running service. */
export class LiveRunner {
  /** One user may have five talks. */
  readonly mostAtOnce = 4
  readonly #connection: Connection
  readonly #flowId: string
  readonly #options: LiveRunOptions

  constructor(connection: Connection, flowId: string, options: LiveRunOptions) {
    this.#connection = connection
    this.#flowId = flowId
    this.#options = options
  }

  async run(scenario: Scenario, helpers: Helpers): Promise<ScenarioReport> {
    const { draft, fast } = this.#options
    const { from, to } = scenario
    const wish = { ...(from && { from }), ...(to && { to }), ...(draft && { draft }), ...(fast && { fast }) }
    const call = new LiveCall(this.#connection, this.#flowId, wish)
    try {
      return await holdScenario(scenario, () => call, helpers)
    } finally {
      call.close()
    }
  }
}
