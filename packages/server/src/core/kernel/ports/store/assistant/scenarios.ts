import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { testRunStates } from '@offhook/contract/v3/scenarios.ts'

/** A conversation that is kept with a flow to test it. */
export interface StoredScenario {
  scenario: Scenario
  /** No version is published while it fails. */
  required: boolean
  updatedAt: number
}

/** All of it goes with the flow, or when the account is closed. */
export interface Scenarios {
  /** By name. */
  list(accountId: string, flowId: string): Promise<StoredScenario[]>
  /** In place of the one of the same name. */
  put(accountId: string, flowId: string, kept: StoredScenario): Promise<void>
  remove(accountId: string, flowId: string, name: string): Promise<boolean>
  removeOf(accountId: string): Promise<void>
}

export type TestRunState = (typeof testRunStates)[number]

export interface StoredTestRun {
  id: string
  flowId: string
  state: TestRunState
  /** Undefined: what answers calls. */
  choice: 'draft' | number | undefined
  total: number
  startedAt: number
}

export interface TestRuns {
  insert(accountId: string, run: StoredTestRun): Promise<void>
  find(accountId: string, flowId: string, id: string): Promise<StoredTestRun | undefined>
  /** The newest first. */
  list(accountId: string, flowId: string, limit: number): Promise<StoredTestRun[]>
  /** Of all flows, begun since. */
  countRunning(accountId: string, since: number): Promise<number>
  /** False: it is gone. */
  setState(accountId: string, id: string, state: TestRunState): Promise<boolean>
  /** In the order of what was run. */
  reports(accountId: string, id: string): Promise<ScenarioReport[]>
  /** `nth`: which of those that were run. */
  addReport(accountId: string, id: string, nth: number, report: ScenarioReport): Promise<void>
  /** Those that began before are forgotten. */
  removeBefore(before: number): Promise<void>
  removeOf(accountId: string): Promise<void>
}
