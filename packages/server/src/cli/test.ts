import { readFile, writeFile } from 'node:fs/promises'
import { limitNames, type Limits } from '@offhook/contract/assistant/call-figures.ts'
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
import { linesOf, summaryOf } from './test/report.ts'
import { LiveRunner, openVoices } from './test/live-runner.ts'
import { inParallel, outcomeOf, type Outcome } from './test/junit.ts'
import { keptScenarios, runInService } from './test/service-runner.ts'
import { Mistake } from './terminal/mistake.ts'
import { resolve } from 'node:path'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

export interface TestOptions extends ConnectionOptions {
  endpoint?: string
  module?: string
  flow?: string
  version?: number
  draft?: boolean
  live?: boolean
  voice?: boolean
  limit?: string[]
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

/** Runs conversations with an assistant and reports the results. Exit code: 1 some failed, 3 no endpoint, 4 no judge. */
export const test = async (files: string[], options: TestOptions): Promise<void> => {
  check(options)
  const limits = limitsOf(options.limit ?? [])
  const found = (await findScenarios(files.length > 0 ? files : ['.'])).map((one) => withLimits(one, limits))
  const outcomes = options.flow === undefined ? await runHere(found, options) : await runElsewhere(found, files.length === 0, options)
  if (outcomes.length === 0) throw new Mistake(2, 'There is no scenario: *.scenario.yaml, *.scenario.json below this folder, or name some.')
  if (options.junit !== undefined) await writeFile(options.junit, junitOf(outcomes))
  if (options.json) console.log(JSON.stringify({ passed: outcomes.every(({ state }) => state === 'passed'), outcomes }, undefined, 2))
  else for (const line of [...outcomes.map(linesOf), summaryOf(outcomes)]) console.log(line)
  process.exit(outcomes.every(({ state }) => state === 'passed') ? 0 : 1) // whatever the module keeps open
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

/** `response_p95_ms=2000`, for every scenario. */
const limitsOf = (given: readonly string[]): Limits =>
  Object.fromEntries(
    given.map((limit) => {
      const [name = '', value = ''] = limit.split('=')
      if (!limitNames.some((known) => known === name) || !/^\d{1,6}(\.\d)?$/.test(value))
        throw new Mistake(2, `--limit ${limit}? Such as response_p95_ms=2000; there are ${limitNames.join(', ')}`)
      return [name, Number(value)]
    }),
  )

/** Those of the file win. */
const withLimits = (found: FoundScenario, limits: Limits): FoundScenario =>
  Object.keys(limits).length === 0 ? found : { ...found, scenario: { ...found.scenario, limits: { ...limits, ...found.scenario.limits } } }

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

/** Records whether the endpoint answered. */
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

/** With files: those. Without: those below the folder, and those stored with the flow. */
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
  const voices = options.voice ? await openVoices() : undefined
  try {
    const runner = new LiveRunner(connection, flow, options, voices)
    return await repeated(found, options, Math.min(options.jobs, runner.maxConcurrent), (scenario) =>
      runner.run(scenario, helpersOf(options)),
    )
  } finally {
    await voices?.close()
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

/** The judging model also plays the caller. */
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

export type OpenEndpoint = (scenario: Scenario) => Promise<Endpoint<unknown>>

/** The assistant that a file exports: `live()` or `assistant()`, or a function that creates one per scenario. */
export const openModule = async (file: string): Promise<OpenEndpoint> => {
  const found = await importOf(file)
  const exported = found['default'] ?? found['bot'] ?? Object.values(found).find(isEndpoint)
  if (isEndpoint(exported)) return async () => exported
  if (typeof exported !== 'function')
    throw new Mistake(2, `${file} exports no assistant: live(…) or assistant(…) as default, or a function that gives one`)
  return async (scenario) => {
    const made: unknown = await (exported as (scenario: Scenario) => unknown)(scenario)
    if (!isEndpoint(made)) throw new Mistake(2, `What ${file} makes for “${scenario.name}” is no assistant: it has no connect()`)
    return made
  }
}

const importOf = async (file: string): Promise<Record<string, unknown>> => {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>
  } catch (error) {
    throw new Mistake(2, `${file} cannot be loaded: ${(error as Error).message}${await adviceOn(file, error)}`)
  }
}

/** `npm init` writes `"type": "commonjs"`, with which Node rejects the syntax of modules. */
const adviceOn = async (file: string, error: unknown): Promise<string> => {
  if (!(error instanceof SyntaxError) || !/\.[jt]s$/.test(file)) return ''
  const manifest = findPackageJSON(pathToFileURL(resolve(file)))
  if (manifest === undefined) return ''
  const { type } = JSON.parse(await readFile(manifest, 'utf8')) as { type?: string }
  return type === 'commonjs' ? `\n${manifest} says "type": "commonjs". Change it: npm pkg set type=module` : ''
}

const isEndpoint = (value: unknown): value is Endpoint<unknown> => typeof (value as Partial<Endpoint> | undefined)?.connect === 'function'
