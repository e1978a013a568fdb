import { Problem } from '@offhook/contract/problem.ts'
import type { ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { scenarioOperations } from '@offhook/contract/v3/scenarios.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { impossible, keptConversations, ofScenarios, replayOf, type Conversation } from '#core/assistant/test-runs/test-runner.ts'
import type { StoredTestRun } from '#core/kernel/ports/store/session.ts'
import { readWhole } from '#core/telephone/timeline/read-timeline.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { TimelineReaders } from '../v2/explanation.ts'

type TestRunOperations = Pick<typeof scenarioOperations, 'startTestRun' | 'listTestRuns' | 'getTestRun'>

const maxListed = 20

export const testRunHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines' | 'testRunner'>,
): Handlers<TestRunOperations> => {
  const { store, testRunner } = deps
  const readers = new TimelineReaders(deps)
  const replays = async (caller: UserCaller, calls: readonly string[]): Promise<Conversation[]> => {
    const reader = await readers.of(caller, 'en')
    const found: Conversation[] = []
    for (const callId of new Set(calls)) {
      try {
        found.push(replayOf(await readWhole(deps, reader, callId)))
        await readers.note(caller, 'timeline.read', callId)
      } catch (error) {
        if (!(error instanceof Problem) || calls.length === 1) throw error
        found.push(impossible(callId, error.message))
      }
    }
    return found
  }
  return {
    startTestRun: async ({ caller, params: { aiFlowId }, body: { draft, version, names, scenarios, calls }, breathe }) => {
      if ([names, scenarios, calls].filter((one) => one !== undefined).length > 1)
        throw Problem.field('scenarios', 'does not go with names or calls: one of them says what is run')
      const conversations = calls
        ? await replays(caller, calls)
        : scenarios
          ? ofScenarios(scenarios)
          : await keptConversations(store.read, caller.accountId, aiFlowId, names, breathe)
      const input = { ...(draft !== undefined && { draft }), ...(version !== undefined && { version }) }
      const run = await testRunner.start(caller, aiFlowId, input, conversations)
      return toElement({ ...run, reports: [] })
    },

    listTestRuns: async ({ caller: { accountId }, params: { aiFlowId }, breathe }) => {
      if (!(await store.read.flows.find(accountId, aiFlowId))) throw new Problem('flow_not_found')
      const runs = await store.read.testRuns.list(accountId, aiFlowId, maxListed)
      const items: ReturnType<typeof toElement>[] = []
      for (const run of runs) {
        const { reports, ...read } = await testRunner.read(accountId, run, breathe)
        items.push(toElement({ ...read, reports: reports.map(inShort) }))
      }
      return { items }
    },

    getTestRun: async ({ caller: { accountId }, params: { aiFlowId, runId }, breathe }) => {
      if (!(await store.read.flows.find(accountId, aiFlowId))) throw new Problem('flow_not_found')
      const run = await store.read.testRuns.find(accountId, aiFlowId, runId)
      if (!run) throw new Problem('test_run_not_found')
      return toElement(await testRunner.read(accountId, run, breathe))
    },
  }
}

/** In a list, transcripts matter only for failures. */
const inShort = (report: ScenarioReport): ScenarioReport => (report.state === 'passed' ? { ...report, transcript: [] } : report)

const toElement = ({ id, state, choice, startedAt, total, reports }: StoredTestRun & { reports: ScenarioReport[] }) => ({
  runId: id,
  state,
  startedAt: new Date(startedAt).toISOString(),
  ...(choice === 'draft' && { draft: true }),
  ...(typeof choice === 'number' && { version: choice }),
  total,
  reports,
})
