import { writeFile } from 'node:fs/promises'
import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { endpointAt } from '@offhook/sdk/endpoints/endpoint-at.ts'
import { Unreachable } from '@offhook/sdk/endpoints/unreachable.ts'
import type { Endpoint } from '@offhook/sdk/simulate/endpoint-line.ts'
import { callerAt, judgeAt, ModelFailed } from '@offhook/sdk/simulate/models.ts'
import { runScenario, type Helpers } from '@offhook/sdk/simulate/run-scenario.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { chooseFlow, type Flow } from './connection/choose-flow.ts'
import { findScenarios, type FoundScenario } from './test/find-scenarios.ts'
import { junitOf } from './test/junit.ts'
import { LiveRunner } from './test/live-runner.ts'
import { openModule, type OpenEndpoint } from './test/open-module.ts'
import { inParallel, outcomeOf, type Outcome } from './test/outcomes.ts'
import { linesOf, summaryOf } from './test/report.ts'
import { openVoice } from './test/voice.ts'
import { keptScenarios, runInService } from './test/service-runner.ts'
import { Mistake } from './terminal/mistake.ts'

export interface TestOptions extends ConnectionOptions {
  endpoint?: string
  module?: string
  flow?: string
  version?: number
  draft?: boolean
  live?: boolean
  voice?: boolean
  fast?: boolean
  secret?: string
  key?: string
  jobs: number
  repeat: number
  minPass: number
  judge?: string
  judgeModel?: string
  junit?: string
  json?: boolean
}

/** Holds conversations with an assistant and says what came of them. The exit code: 1 some failed, 3 nobody there, 4 no judge. */
export const test = async (files: string[], options: TestOptions): Promise<void> => {
  check(options)
  const found = await findScenarios(files.length > 0 ? files : ['.'])
  const outcomes = options.flow === undefined ? await runHere(found, options) : await runElsewhere(found, files.length === 0, options)
  if (outcomes.length === 0) throw new Mistake(2, 'There is no scenario: *.scenario.yaml, *.scenario.json below this folder, or name some.')
  if (options.junit !== undefined) await writeFile(options.junit, junitOf(outcomes))
  if (options.json) console.log(JSON.stringify({ passed: outcomes.every(({ state }) => state === 'passed'), outcomes }, undefined, 2))
  else for (const line of [...outcomes.map(linesOf), summaryOf(outcomes)]) console.log(line)
  process.exit(outcomes.every(({ state }) => state === 'passed') ? 0 : 1) // whatever the module has open
}

const check = ({ endpoint, module, flow, live, voice, fast, draft, version, judge, judgeModel }: TestOptions): void => {
  if ([endpoint, module, flow].filter((one) => one !== undefined).length !== 1)
    throw new Mistake(2, 'What is to be tested? One of --endpoint <address>, --module <file>, --flow <name>')
  if (flow === undefined && (live || voice || draft || version !== undefined))
    throw new Mistake(2, '--live, --voice, --draft and --version are about a flow: --flow')
  if (voice && !live) throw new Mistake(2, 'With --voice words are said in a call: --live')
  if (voice && fast) throw new Mistake(2, '--voice or --fast, and not both: what is said aloud takes its time')
  if (draft && version !== undefined) throw new Mistake(2, '--draft or --version, and not both')
  if (live && version !== undefined) throw new Mistake(2, 'A call reaches the published version, or the draft with --draft')
  if ((judge === undefined) !== (judgeModel === undefined)) throw new Mistake(2, '--judge and --judge-model belong together')
}

const runHere = async (found: FoundScenario[], options: TestOptions): Promise<Outcome[]> => {
  const open = await opener(options)
  const helpers = helpersOf(options)
  return repeated(found, options, options.jobs, async (scenario) => {
    const reach = watched(await open(scenario))
    const report = await runScenario(scenario, reach.endpoint, helpers)
    if (reach.error()) throw new Mistake(3, reach.error()?.message ?? '')
    return report
  })
}

const opener = async ({ endpoint, module, secret, key }: TestOptions): Promise<OpenEndpoint> => {
  if (module !== undefined) return openModule(module)
  try {
    const at = endpointAt(endpoint ?? '', { secret, apiKey: key })
    return async () => at
  } catch (error) {
    throw new Mistake(2, `--endpoint: ${(error as Error).message}`)
  }
}

/** Remembers whether there was somebody. */
const watched = (inner: Endpoint<unknown>) => {
  let found: Unreachable | undefined
  const endpoint: Endpoint<unknown> = {
    connect: (send, given, leave = () => {}) =>
      inner.connect(send, given, (error) => {
        if (error instanceof Unreachable) found = error
        leave(error)
      }),
  }
  return { endpoint, error: () => found }
}

/** With files: those. Without: those below the folder, and those that are kept with the flow. */
const runElsewhere = async (found: FoundScenario[], withKept: boolean, options: TestOptions): Promise<Outcome[]> => {
  const connection = await connect(options)
  try {
    const flow = await chooseFlow(connection, options.flow)
    const all = [...found, ...(withKept ? await keptScenarios(connection, flow.id) : [])]
    if (options.live) return await runLive(connection, flow, all, options)
    if (options.judge !== undefined) throw new Mistake(2, 'In the service nobody judges: --live, --endpoint or --module')
    return await runInService(connection, flow.id, all, options)
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const runLive = async (connection: Connection, flow: Flow, found: FoundScenario[], options: TestOptions): Promise<Outcome[]> => {
  const voice = options.voice ? await openVoice() : undefined
  try {
    const runner = new LiveRunner(connection, flow, options, voice)
    return await repeated(found, options, Math.min(options.jobs, runner.maxConcurrent), (scenario) => runner.run(scenario, helpersOf(options)))
  } finally {
    await voice?.close()
  }
}

const repeated = async (
  found: FoundScenario[],
  { repeat, minPass }: TestOptions,
  jobs: number,
  run: (scenario: Scenario) => Promise<ScenarioReport>,
): Promise<Outcome[]> => {
  const runs = found.flatMap((one) => Array.from({ length: repeat }, () => one))
  const reports = await inParallel(runs, jobs, ({ scenario }) => run(scenario))
  return found.map((one, place) => outcomeOf(one, reports.slice(place * repeat, (place + 1) * repeat), minPass))
}

/** The model that judges plays the caller, too. */
const helpersOf = ({ judge: url, judgeModel: model }: TestOptions): Helpers => {
  if (url === undefined || model === undefined) return {}
  const address = { url, model, apiKey: process.env['OFFHOOK_JUDGE_KEY'] }
  const orLeave = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw error instanceof ModelFailed ? new Mistake(4, error.message) : error
    })
  const judge = judgeAt(address)
  const playCaller = callerAt(address)
  return { judge: (...call) => orLeave(judge(...call)), playCaller: (...call) => orLeave(playCaller(...call)) }
}
