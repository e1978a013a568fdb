import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { ScenarioRunner, TestedFlow } from '#core/kernel/ports/assistant/scenario-runner.ts'
import type { StoredTestRun } from '#core/kernel/ports/store/assistant/scenarios.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { ofScenarios, type Conversation } from './conversations.ts'
import { testedFlow, type EndpointInput } from './tested-flow.ts'

export interface TestRunnerDeps {
  store: Store
  clock: Clock
  runner: ScenarioRunner
  onError: (error: unknown) => void
}

/** Of an account. */
const maxRuns = 2
/** Of a run. */
const maxConcurrent = 8
/** A run that takes longer is stopped; what a process that died had begun counts no longer than that. */
const maxRunMs = 15 * 60_000
const graceMs = 60_000
const retentionMs = 24 * 60 * 60_000

/** Runs tests of flows beside everything else. What came of them is written, so that every process finds it. */
export class TestRunner {
  readonly #deps: TestRunnerDeps
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()

  constructor(deps: TestRunnerDeps) {
    this.#deps = deps
  }

  /** Begins; the conversations are held afterwards. */
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

  /** As it is, with what came of it until now. Whoever held it may have died. */
  async read(accountId: string, run: StoredTestRun): Promise<StoredTestRun & { reports: ScenarioReport[] }> {
    const { store, clock } = this.#deps
    const isLost = run.state === 'running' && run.startedAt < clock.now() - maxRunMs - graceMs
    const reports = await store.read.testRuns.reports(accountId, run.id)
    return { ...run, ...(isLost && { state: 'failed' }), reports }
  }

  /** What is being written may become a version: throws when a scenario fails that must not. Nothing is kept of it. */
  async demandRequired(accountId: string, flowId: string): Promise<void> {
    const { read } = this.#deps.store
    const required = (await read.scenarios.list(accountId, flowId)).filter((kept) => kept.required)
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

  /** What is being run ends as it is. */
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

  /** Some at once; `told` in the order in which they end. Those that it did not come to have no report. */
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
