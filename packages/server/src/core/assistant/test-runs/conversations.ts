import { Problem } from '@offhook/contract/problem.ts'
import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { callersSteps } from '@offhook/contract/recording/call-scenario.ts'
import { firstDifference } from '@offhook/contract/recording/call-difference.ts'
import { recordedCall } from '@offhook/contract/recording/recorded-call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { WholeTimeline } from '#core/telephone/timeline/read-whole.ts'

/** What is held in a test run, and what its report is read as. */
export interface Conversation {
  scenario: Scenario
  /** Why it cannot be held. */
  impossible?: string
  judge: (report: ScenarioReport) => ScenarioReport
}

const verbatim = (report: ScenarioReport): ScenarioReport => report

export const ofScenarios = (scenarios: readonly Scenario[]): Conversation[] => scenarios.map((scenario) => ({ scenario, judge: verbatim }))

/** Those that are kept with the flow: all, or the named ones. */
export const keptConversations = async (
  tables: Tables,
  accountId: string,
  flowId: string,
  names: readonly string[] | undefined,
): Promise<Conversation[]> => {
  const kept = (await tables.scenarios.list(accountId, flowId)).map(({ scenario }) => scenario)
  const unknown = names?.find((name) => !kept.some((scenario) => scenario.name === name))
  if (unknown !== undefined) throw new Problem('scenario_not_found', `The flow has no scenario ${unknown}.`)
  return ofScenarios(names ? kept.filter(({ name }) => names.includes(name)) : kept)
}

/** One call among others that cannot be held again does not keep the others from it. */
export const impossible = (callId: string, why: string): Conversation => ({
  scenario: { name: callId, call: callId, steps: [] },
  impossible: why,
  judge: verbatim,
})

/** A call once more: what is different now is told, the first thing of it. */
export const replayOf = ({ callId, entries }: WholeTimeline): Conversation => {
  const recorded = recordedCall(entries)
  const steps = recorded ? callersSteps(recorded) : []
  if (!recorded || steps.length === 0) throw new Problem('call_not_repeatable')
  const { session, language, tools } = recorded
  const { from_phone_number: from, to_phone_number: to } = session
  const who = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(language !== undefined && { language }) }
  return {
    scenario: { name: callId, call: callId, ...who, ...(tools.length > 0 && { tools }), steps },
    judge: (report) => {
      if (report.state === 'error') return report
      const difference = firstDifference(recorded, report)
      if (!difference)
        return { ...report, state: report.failures.some(isProblem) ? 'failed' : 'passed', failures: report.failures.filter(isProblem) }
      return { ...report, state: 'failed', failures: [difference] }
    },
  }
}

/** The scenario itself expects nothing: what failed as a step is told better as a difference. */
const isProblem = ({ step }: ScenarioReport['failures'][number]): boolean => step === 0
