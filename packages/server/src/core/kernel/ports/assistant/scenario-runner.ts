import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { Flow } from '../store/assistant/flows.ts'

/** Who is asked: the flow as a session would have it. */
export interface TestedFlow {
  accountId: string
  flow: Flow
}

/** Holds conversations with endpoints without sound or telephone. */
export interface ScenarioRunner {
  /** Never rejects: what cannot be run is a report that says so. `signal`: nobody waits for it any more. */
  run(tested: TestedFlow, scenario: Scenario, signal: AbortSignal): Promise<ScenarioReport>
}
