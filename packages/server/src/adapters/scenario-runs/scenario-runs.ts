import { randomUUID } from 'node:crypto'
import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { runScenario } from '@offhook/sdk'
import type { Rehearsals } from '#core/assistant/agent/agent-requests.ts'
import type { Endpoints, ScenarioRunner, TestedFlow } from '#core/kernel/ports/assistant.ts'
import { assistantAddress, readAssistantAddress } from '#core/kernel/webhook/web-address.ts'
import { limitedSearch } from './limited-search.ts'
import { testedEndpoint } from './tested-endpoint.ts'

export interface ScenarioRunsDeps {
  endpoints: Pick<Endpoints, 'open'>
  rehearsals: Rehearsals
}

/** This prefix identifies sessions of tests. */
const newSessionId = (): string => `test-${randomUUID()}`

/** Conversations with the endpoints of flows, on the conversation's clock. */
export const scenarioRuns = ({ endpoints, rehearsals }: ScenarioRunsDeps): ScenarioRunner => ({
  async run(tested, scenario, signal) {
    const sessionId = newSessionId()
    const problems = new Set<string>()
    const { flow, end } = rehearse(rehearsals, tested, scenario, sessionId)
    const parts = { ...tested, flow, endpoints, sessionId, signal, problem: (message: string) => void problems.add(message) }
    const { bargeIn, timeouts, variables } = flow.settings
    try {
      const report = await runScenario(scenario, testedEndpoint(parts), {
        sessionId,
        search: limitedSearch(),
        ...(bargeIn && { bargeIn }),
        ...(variables && { variables }),
        ...(timeouts?.userInputSeconds !== undefined && { userInputSeconds: timeouts.userInputSeconds }),
      })
      return withProblems(report, problems)
    } finally {
      end()
    }
  },
})

/** A built-in assistant knows that it is being tested, and with which tool results. */
const rehearse = (rehearsals: Rehearsals, { accountId, flow }: TestedFlow, { tools = [] }: Scenario, sessionId: string) => {
  const { websocketUrl = '' } = flow.settings
  const address = readAssistantAddress(websocketUrl)
  if (!address) return { flow, end: () => {} }
  const { flowId, choice } = address
  const end = rehearsals.begin(sessionId, { accountId, flowId, choice, tools })
  const settings = { ...flow.settings, websocketUrl: assistantAddress({ ...address, test: sessionId }) }
  return { flow: { ...flow, settings }, end }
}

/** A problem that a call would only record fails a test. */
const withProblems = (report: ScenarioReport, problems: ReadonlySet<string>): ScenarioReport => {
  if (problems.size === 0) return report
  const failures = [...problems].map((message) => ({ step: 0, turn: 0, message }))
  return { ...report, state: report.state === 'passed' ? 'failed' : report.state, failures: [...report.failures, ...failures] }
}
