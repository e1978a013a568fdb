import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { ScenarioReport, Scenario } from '@offhook/contract/assistant/scenario.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readScenarios } from '#core/account/scenarios/read-scenarios.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { ScenarioRunner, TestedFlow } from '#core/kernel/ports/assistant.ts'
import type { StoredScenario, StoredTestRun } from '#core/kernel/ports/store/session.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { callersSteps } from '@offhook/contract/recording/call-scenario.ts'
import { firstDifference } from '@offhook/contract/recording/call-difference.ts'
import { recordedCall } from '@offhook/contract/recording/recorded-call.ts'
import type { WholeTimeline } from '#core/telephone/timeline/read-timeline.ts'
import { withAssistant } from '#core/account/assistants/assistant-flow.ts'

interface TestRunnerDeps {
  store: Store
  clock: Clock
  runner: ScenarioRunner
  onError: (error: unknown) => void
}

/** Maximum concurrent runs of an account. */
const maxRuns = 2
/** Maximum concurrent conversations of a run. */
const maxConcurrent = 8
/** Milliseconds after which a run is stopped; a run of a dead process counts no longer than that. */
const maxRunMs = 15 * 60_000
const graceMs = 60_000
/** Reports per read; they take a few milliseconds. */
const reportsPerSlice = 20
const retentionMs = 24 * 60 * 60_000

/** Runs tests of flows in the background. Stores the results, so that every process finds them. */
export class TestRunner {
  readonly #deps: TestRunnerDeps
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()

  constructor(deps: TestRunnerDeps) {
    this.#deps = deps
  }

  /** Starts a run; its conversations follow in the background. */
  async start(caller: UserCaller, flowId: string, input: EndpointInput, conversations: readonly Conversation[]): Promise<StoredTestRun> {
    const { store, clock } = this.#deps
    const { accountId } = caller
    const ordered = conversations.toSorted((a, b) => a.scenario.name.localeCompare(b.scenario.name))
    const { tested, run } = await store.write(async (tables) => {
      await tables.accounts.lock(accountId)
      const { tested, choice } = await testedFlow(tables, accountId, flowId, input)
      const now = clock.now()
      await tables.testRuns.removeBefore(now - retentionMs)
      if ((await tables.testRuns.countRunning(accountId, now - maxRunMs)) >= maxRuns) throw new Problem('test_run_limit_reached')
      const run: StoredTestRun = { id: randomUUID(), flowId, state: 'running', choice, total: ordered.length, startedAt: now }
      await tables.testRuns.insert(accountId, run)
      await auditByUser(tables, clock, caller, 'test-run.start', flowId, { runId: run.id, total: run.total })
      return { tested, run }
    })
    const running = this.#run(tested, run, ordered).catch((error: unknown) => this.#deps.onError(error))
    this.#running.add(running)
    void running.then(() => this.#running.delete(running))
    return run
  }

  /** State of a run with its reports so far. Its process may have died. */
  async read(accountId: string, run: StoredTestRun, breathe: () => Promise<void>): Promise<StoredTestRun & { reports: ScenarioReport[] }> {
    const { store, clock } = this.#deps
    const isLost = run.state === 'running' && run.startedAt < clock.now() - maxRunMs - graceMs
    const reports: ScenarioReport[] = []
    for (let from = 0; from < run.total; from += reportsPerSlice) {
      reports.push(...(await store.read.testRuns.reports(accountId, run.id, { from, count: reportsPerSlice })))
      await breathe()
    }
    return { ...run, ...(isLost && { state: 'failed' }), reports }
  }

  /** Checks a draft before it becomes a version: throws if a required scenario fails. Stores no result. */
  async demandRequired(accountId: string, flowId: string, breathe: () => Promise<void>): Promise<void> {
    const { read } = this.#deps.store
    const required: StoredScenario[] = []
    for await (const slice of readScenarios(read, { accountId, flowId }, breathe)) required.push(...slice.filter((kept) => kept.required))
    if (required.length === 0) return
    const { tested } = await testedFlow(read, accountId, flowId, { draft: true })
    const conversations = ofScenarios(required.map(({ scenario }) => scenario))
    const reports = await this.#hold(tested, conversations, () => Promise.resolve())
    const failed = reports.flatMap((report, nth) =>
      report?.state === 'passed' ? [] : [{ report, name: conversations[nth]?.scenario.name }],
    )
    const [first] = failed
    if (!first) return
    const why = first.report?.failures[0]?.message ?? 'it was stopped'
    throw new Problem('conflict', `${failed.length} of ${required.length} required scenarios fail. The first, ${first.name}: ${why}`)
  }

  /** Ends running tests as they are. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running)
  }

  async #run(tested: TestedFlow, { id }: StoredTestRun, conversations: readonly Conversation[]): Promise<void> {
    const { store } = this.#deps
    const { accountId } = tested
    const reports = await this.#hold(tested, conversations, (nth, report) =>
      store.write(({ testRuns }) => testRuns.addReport(accountId, id, nth, report)),
    )
    const state = reports.every((report) => report?.state === 'passed') ? 'passed' : 'failed'
    await store.write(({ testRuns }) => testRuns.setState(accountId, id, state))
  }

  /** Runs some concurrently; reports them in the order in which they end. Conversations not reached have no report. */
  async #hold(
    tested: TestedFlow,
    conversations: readonly Conversation[],
    notifications: (nth: number, report: ScenarioReport) => Promise<void>,
  ): Promise<readonly (ScenarioReport | undefined)[]> {
    const { clock, runner } = this.#deps
    const late = new AbortController()
    const cancel = clock.after(maxRunMs, () => late.abort())
    const signal = AbortSignal.any([this.#closing.signal, late.signal])
    const reports: (ScenarioReport | undefined)[] = conversations.map(() => undefined)
    const waiting = [...conversations.entries()]
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
        const [nth, { scenario, judge, impossible }] = next
        const report = impossible === undefined ? judge(await runner.run(tested, scenario, signal)) : refusal(scenario.name, impossible)
        reports[nth] = report
        await notifications(nth, report)
      }
    }
    try {
      await Promise.all(Array.from({ length: maxConcurrent }, work))
    } finally {
      cancel()
    }
    return reports
  }
}

const refusal = (name: string, message: string): ScenarioReport => ({
  name,
  state: 'error',
  failures: [{ step: 0, turn: 0, message }],
  transcript: [],
  conversationMs: 0,
  tookMs: 0,
})

/** One conversation of a test run, and the evaluation of its report. */
export interface Conversation {
  scenario: Scenario
  /** Reason why it cannot be run. */
  impossible?: string
  judge: (report: ScenarioReport) => ScenarioReport
}

const verbatim = (report: ScenarioReport): ScenarioReport => report

export const ofScenarios = (scenarios: readonly Scenario[]): Conversation[] => scenarios.map((scenario) => ({ scenario, judge: verbatim }))

/** The flow's stored scenarios: all, or the named ones. */
export const keptConversations = async (
  tables: Tables,
  accountId: string,
  flowId: string,
  names: readonly string[] | undefined,
  breathe: () => Promise<void>,
): Promise<Conversation[]> => {
  const kept: Scenario[] = []
  for await (const slice of readScenarios(tables, { accountId, flowId }, breathe)) kept.push(...slice.map(({ scenario }) => scenario))
  const unknown = names?.find((name) => !kept.some((scenario) => scenario.name === name))
  if (unknown !== undefined) throw new Problem('scenario_not_found', `The flow has no scenario ${unknown}.`)
  return ofScenarios(names ? kept.filter(({ name }) => names.includes(name)) : kept)
}

/** A call that cannot be replayed does not block the others. */
export const impossible = (callId: string, why: string): Conversation => ({
  scenario: { name: callId, call: callId, steps: [] },
  impossible: why,
  judge: verbatim,
})

/** Replays a call and reports the first difference. */
export const replayOf = ({ callId, entries }: WholeTimeline): Conversation => {
  const recorded = recordedCall(entries)
  const steps = recorded ? callersSteps(recorded) : []
  if (!recorded || steps.length === 0) throw new Problem('call_not_repeatable')
  const { session, language, tools } = recorded
  const { from_phone_number: from, to_phone_number: to, variables } = session
  const who = {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(language !== undefined && { language }),
    ...(variables && { variables }),
  }
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

/** The scenario has no expectations: a failed step is better reported as a difference. */
const isProblem = ({ step }: ScenarioReport['failures'][number]): boolean => step === 0

/** Assistant under test: the live one, the draft, or a version. */
interface EndpointInput {
  draft?: boolean
  version?: number
}

/** The flow as used by test sessions. Throws if it has no endpoint to answer. */
const testedFlow = async (
  tables: Tables,
  accountId: string,
  flowId: string,
  { draft = false, version }: EndpointInput,
): Promise<{ tested: TestedFlow; choice: StoredTestRun['choice'] }> => {
  const flow = await tables.flows.find(accountId, flowId)
  if (!flow) throw new Problem('flow_not_found')
  if (draft && version !== undefined) throw Problem.field('version', 'does not go with draft: either of them is asked')
  const choice = draft ? 'draft' : (version ?? (await stableOf(tables, accountId, flowId, flow.settings.endpoint === 'assistant')))
  if (choice === undefined) {
    const { webhookUrl, websocketUrl } = flow.settings
    if (webhookUrl === undefined && websocketUrl === undefined) throw new Problem('endpoint_not_set')
  } else await requireVersion(tables, accountId, flowId, choice)
  return { tested: { accountId, flow: withAssistant(flow, accountId, choice) }, choice: draft ? 'draft' : version }
}

const stableOf = async ({ assistants }: Tables, accountId: string, flowId: string, isAssistant: boolean): Promise<number | undefined> => {
  if (!isAssistant) return undefined
  const rollout = await assistants.rollout(accountId, flowId)
  if (!rollout) throw new Problem('assistant_not_set')
  return rollout.stable
}

const requireVersion = async ({ assistants }: Tables, accountId: string, flowId: string, choice: 'draft' | number): Promise<void> => {
  if (choice === 'draft') {
    if (!(await assistants.draft(accountId, flowId))) throw new Problem('assistant_not_set')
  } else if (!(await assistants.version(accountId, flowId, choice))) throw new Problem('assistant_version_not_found')
}
