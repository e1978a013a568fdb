import type { ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { Connection } from '../connection/connection.ts'
import type { FoundScenario } from './find-scenarios.ts'
import { outcomeOf, type Outcome } from './junit.ts'

interface ServiceRunOptions {
  version?: number
  draft?: boolean
  repeat: number
  minPass: number
}

type TestRunRequest = Parameters<Connection['api']['startTestRun']>[1]

/** Maximum scenarios of one test run. */
export const maxConcurrent = 200
const pollIntervalMs = 250

/** Scenarios stored with the flow, in the form of files. */
export const keptScenarios = async ({ api }: Pick<Connection, 'api'>, flowId: string): Promise<FoundScenario[]> => {
  const { items } = await api.listScenarios({ aiFlowId: flowId })
  return items.map(({ required: _required, updatedAt: _updatedAt, ...scenario }) => ({ scenario }))
}

/** The service runs the conversations with the endpoint of the flow. */
export const runInService = async (
  { api }: Pick<Connection, 'api'>,
  flowId: string,
  found: readonly FoundScenario[],
  options: ServiceRunOptions,
): Promise<Outcome[]> => {
  const { version, draft, repeat, minPass } = options
  const choice = { ...(version !== undefined && { version }), ...(draft && { draft }) }
  const reports = new Map<FoundScenario, ScenarioReport[]>(found.map((one) => [one, []]))
  for (let time = 0; time < repeat; time++)
    for (let place = 0; place < found.length; place += maxConcurrent) {
      const part = found.slice(place, place + maxConcurrent)
      const run = await finished(api, flowId, { scenarios: part.map(({ scenario }) => scenario), ...choice })
      const left = [...run]
      for (const one of part) {
        const index = left.findIndex(({ name }) => name === one.scenario.name)
        const [report] = index < 0 ? [] : left.splice(index, 1)
        if (report) reports.get(one)?.push(report)
      }
    }
  return found.map((one) => outcomeOf(one, reports.get(one) ?? [], minPass))
}

/** Polls a test run and returns its reports when it is finished. */
export const finished = async (api: Connection['api'], aiFlowId: string, input: TestRunRequest): Promise<readonly ScenarioReport[]> => {
  let run = await api.startTestRun({ aiFlowId }, input)
  while (run.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
    run = await api.getTestRun({ aiFlowId, runId: run.runId })
  }
  return run.reports
}
