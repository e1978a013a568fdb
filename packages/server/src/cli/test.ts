import { readFile, writeFile } from 'node:fs/promises'
import type { Scenario, ScenarioReport, ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import { endpointAt } from '@offhook/sdk/endpoints/endpoint-at.ts'
import { Unreachable } from '@offhook/sdk/endpoints/unreachable.ts'
import type { Endpoint } from '@offhook/sdk/simulate/endpoint-line.ts'
import { callerAt, judgeAt, ModelFailed } from '@offhook/sdk/simulate/models.ts'
import { runScenario, type Helpers, unjudgedIn, holdScenario } from '@offhook/sdk/simulate/run-scenario.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { chooseFlow, type Flow } from './connection/choose-flow.ts'
import { findScenarios, type FoundScenario } from './test/find-scenarios.ts'
import { junitOf } from './test/junit.ts'
import { inParallel, outcomeOf, type Outcome, notifiedOf } from './test/junit.ts'
import { keptScenarios, runInService } from './test/service-runner.ts'
import { Mistake } from './terminal/mistake.ts'
import { resolve } from 'node:path'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { harmless, paint } from './terminal/paint.ts'
import { LiveCall, type SoundOf } from './test/live-call.ts'
import { talkSampleRate } from '@offhook/contract/v3/talks.ts'
import { modelsFolder } from '#adapters/speech/models/model-list.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import { openCallersVoice, type CallersVoice } from '#adapters/speech/synthesiser/callers-voice.ts'
import { settingsOf } from './start/settings.ts'

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

/** Runs conversations with an assistant and reports the results. Exit code: 1 some failed, 3 no endpoint, 4 no judge. */
export const test = async (files: string[], options: TestOptions): Promise<void> => {
  check(options)
  const found = await findScenarios(files.length > 0 ? files : ['.'])
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
  const voice = options.voice ? await openVoice() : undefined
  try {
    const runner = new LiveRunner(connection, flow, options, voice)
    return await repeated(found, options, Math.min(options.jobs, runner.maxConcurrent), (scenario) =>
      runner.run(scenario, helpersOf(options)),
    )
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

/** One line when it passed; otherwise the reason and the conversation. */
export const linesOf = (outcome: Outcome): string => {
  const { name, file, state, reports } = outcome
  const passed = reports.filter((report) => report.state === 'passed').length
  const times = reports.length > 1 ? ` ${passed} of ${reports.length}` : ''
  const report = notifiedOf(outcome)
  const took = paint('gray', ` ${report?.tookMs ?? 0} ms${file === undefined ? '' : `  ${file}`}`)
  if (state === 'passed') return `${paint('green', `✔ ${harmless(name)}`)}${times}${took}`
  return [
    `${paint('red', `✖ ${harmless(name)}`)}${times}${took}`,
    ...(report ? [...failureLines(report), ...transcriptLines(report)] : []),
  ].join('\n')
}

export const summaryOf = (outcomes: readonly Outcome[]): string => {
  const count = (state: Outcome['state']): number => outcomes.filter((one) => one.state === state).length
  const [passed, failed, broken] = [count('passed'), count('failed'), count('error')]
  const unjudged = outcomes.flatMap(({ reports }) => reports).reduce((sum, report) => sum + unjudgedIn(report), 0)
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(broken > 0 ? [`${broken} could not be run`] : []),
    ...(unjudged > 0 ? [`${unjudged} not judged`] : []),
  ]
  return paint(failed + broken > 0 ? 'red' : 'green', parts.join(', '))
}

const failureLines = ({ failures }: ScenarioReport): string[] =>
  failures.map(({ step, message }) => `  ${paint('red', `${step > 0 ? `step ${step}: ` : ''}${harmless(message)}`)}`)

const transcriptLines = ({ transcript }: ScenarioReport): string[] => transcript.map((moment) => `    ${momentLine(moment)}`)

const momentLine = ({ atMs, by, text = '', cut, action }: ScenarioMoment): string => {
  const time = paint('gray', `${(atMs / 1000).toFixed(1).padStart(6)} s`)
  const words = action === undefined ? `${harmless(text)}${cut ? '…' : ''}` : `[${harmless(action)}]`
  if (by === 'caller') return `${time} ${paint('green', `▶ ${words}`)}`
  return by === 'assistant' ? `${time} ${paint('blue', `◀ ${words}`)}` : `${time} ${paint('gray', `  ${words}`)}`
}

export interface LiveRunOptions {
  draft?: boolean
  fast?: boolean
}

/** Language of callers to a flow without one. */
const defaultLanguage = 'en-US'

/** Runs conversations in typed calls through the running service, or in spoken ones with a voice. */
export class LiveRunner {
  /** A user may have five concurrent talks; a voice that hears and speaks for several becomes late. */
  readonly maxConcurrent: number
  readonly #connection: Connection
  readonly #flow: Pick<Flow, 'id' | 'language'>
  readonly #options: LiveRunOptions
  readonly #voice: Voice | undefined

  constructor(connection: Connection, flow: Pick<Flow, 'id' | 'language'>, options: LiveRunOptions, voice?: Voice) {
    this.#connection = connection
    this.#flow = flow
    this.#options = options
    this.#voice = voice
    this.maxConcurrent = voice ? 1 : 4
  }

  async run(scenario: Scenario, helpers: Helpers): Promise<ScenarioReport> {
    const { draft, fast } = this.#options
    const { from, to } = scenario
    const input = { ...(from && { from }), ...(to && { to }), ...(draft && { draft }), ...(fast && { fast }) }
    const call = new LiveCall(this.#connection, this.#flow.id, input, await this.#prepared(scenario))
    try {
      return await holdScenario(scenario, () => call, helpers)
    } finally {
      call.close()
    }
  }

  /** Synthesized before the call: an interruption must be on time. */
  async #prepared({ steps, language = this.#flow.language ?? defaultLanguage }: Scenario): Promise<SoundOf | undefined> {
    const voice = this.#voice
    if (!voice) return undefined
    const soundOf: SoundOf = (text) => voice.soundOf(text, language)
    for (const step of steps) if ('say' in step) await soundOf(step.say)
    return soundOf
  }
}

export type Voice = CallersVoice

/** Voice of the callers, on this machine. Exit code 3 if there is none. */
export const openVoice = async (): Promise<Voice> => {
  const unusable = missingSpeechRuntime()
  if (unusable !== undefined) throw new Mistake(3, `There is no voice for --voice: ${unusable}`)
  const folder = modelsFolder(settingsOf(process.env).OFFHOOK_MODELS)
  if (folder === undefined)
    throw new Mistake(3, 'There is no voice for --voice: OFFHOOK_MODELS is off. Unset it and run `npx offhook models`.')
  const voice = await openCallersVoice(folder, talkSampleRate)
  const orLeave = (error: unknown): never => {
    throw new Mistake(3, `There is no voice for --voice: ${(error as Error).message}`)
  }
  return { soundOf: (text, language) => voice.soundOf(text, language).catch(orLeave), close: () => voice.close() }
}
