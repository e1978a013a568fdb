import { exceeded, unmeasured, type CallFigures } from '@offhook/contract/assistant/call-figures.ts'
import type { Scenario, ScenarioMoment, ScenarioReport, ScenarioStep, Sentence } from '@offhook/contract/assistant/scenario.ts'
import type { Problem } from './call-record.ts'
import type { Endpoint } from './endpoint-line.ts'
import { failuresOf, type Observed, type Search } from './expectations.ts'
import { mergeVariables } from '@offhook/contract/assistant/variables.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { VirtualCall, type VirtualCallOptions } from './virtual-call.ts'

/** Checks a claim about a conversation; `why` if it does not hold. */
export type Judge = (claim: string, transcript: readonly ScenarioMoment[]) => Promise<{ holds: boolean; why?: string }>

/** Next move of a played caller. */
export type CallersMove = { say: string } | { press: string } | { hang_up: true }
export type PlayCaller = (role: { persona: string; goal: string }, transcript: readonly ScenarioMoment[]) => Promise<CallersMove>

export interface Helpers {
  /** Without one, judge steps are skipped; the transcript says so. */
  judge?: Judge
  /** Without one, a scenario with a played caller is an error. */
  playCaller?: PlayCaller
  /** Pattern search with a time limit, for untrusted patterns. */
  search?: Search
}

export interface RunOptions<Given = void> extends Omit<VirtualCallOptions<Given>, 'from' | 'to' | 'language'>, Helpers {}

/** A call in which a caller follows a scenario, with its result. */
export interface ScenarioCall {
  readonly turn: number
  readonly ended: SessionEndReason | undefined
  /** Milliseconds in conversation time. */
  readonly lastedMs: number
  readonly transcript: ScenarioMoment[]
  /** Since the caller's last step. */
  readonly observed: Observed
  /** Protocol violations of the endpoint. */
  readonly problems: readonly Problem[]
  readonly figures: CallFigures
  start(): Promise<void>
  /** `step`: how it is said. */
  say(text: string, step?: Sentence): Promise<void>
  press(keys: string): Promise<void>
  wait(seconds: number): Promise<void>
  hangUp(): Promise<void>
  /** Waits until `maxMs` of the answer were heard, or all of it. */
  listen(maxMs?: number): Promise<void>
}

type Failure = ScenarioReport['failures'][number]
type StepOf<K extends string> = Extract<ScenarioStep, Record<K, unknown>>

const defaultTurns = 10
const notJudged = 'not judged'
const notMeasured = 'not measured'

/** Number of claims without a judge. */
export const unjudgedIn = ({ transcript }: Pick<ScenarioReport, 'transcript'>): number => countOf(notJudged, transcript)

/** Number of limits whose figure only a spoken call has. */
export const unmeasuredIn = ({ transcript }: Pick<ScenarioReport, 'transcript'>): number => countOf(notMeasured, transcript)

const countOf = (what: string, transcript: readonly ScenarioMoment[]): number =>
  transcript.filter(({ by, action }) => by === 'service' && action?.startsWith(`${what} (`)).length

/** Runs a scenario against an endpoint, without audio or waiting, and returns the report. */
export const runScenario = <Given = void>(
  scenario: Scenario,
  endpoint: Endpoint<Given>,
  options: RunOptions<Given> = {},
): Promise<ScenarioReport> => {
  const { from, to, language } = scenario
  const variables = mergeVariables(options.variables, scenario.variables)
  const who = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(language !== undefined && { language }) }
  return holdScenario(scenario, () => new VirtualCall(endpoint, { ...options, ...who, variables }), options)
}

/** Runs a scenario in any kind of call. */
export const holdScenario = (scenario: Scenario, open: () => ScenarioCall, helpers: Helpers = {}): Promise<ScenarioReport> =>
  new ScenarioRun(scenario, open(), helpers).run()

class ScenarioRun {
  readonly #scenario: Scenario
  readonly #helpers: Helpers
  readonly #call: ScenarioCall
  readonly #failures: Failure[] = []
  #step = 0

  constructor(scenario: Scenario, call: ScenarioCall, helpers: Helpers) {
    this.#scenario = scenario
    this.#helpers = helpers
    this.#call = call
  }

  async run(): Promise<ScenarioReport> {
    const startedAt = performance.now()
    let isError = false
    try {
      await this.#hold()
      this.#measure()
    } catch (error) {
      isError = true
      this.#fail((error as Error).message)
    }
    for (const { turn, message } of this.#call.problems) this.#failures.push({ step: 0, turn, message })
    const { ended, lastedMs, transcript, figures } = this.#call
    return {
      name: this.#scenario.name,
      state: isError ? 'error' : this.#failures.length > 0 ? 'failed' : 'passed',
      failures: this.#failures,
      transcript,
      ...(ended !== undefined && { ended }),
      ...((this.#scenario.limits || figures.sentences !== undefined) && { figures }),
      conversationMs: lastedMs,
      tookMs: Math.round(performance.now() - startedAt),
    }
  }

  async #hold(): Promise<void> {
    await this.#call.start()
    await this.#listen()
    for (const step of this.#scenario.steps) {
      this.#step += 1
      if (!(await this.#take(step))) break
    }
    this.#step = 0
    await this.#call.hangUp()
  }

  /** False: the call has ended, and the remaining steps cannot run. */
  async #take(step: ScenarioStep): Promise<boolean> {
    if ('expect' in step) this.#expect(step)
    else if ('judge' in step) await this.#judge(step)
    else if ('hang_up' in step) await this.#call.hangUp()
    else if ('caller' in step) await this.#play(step)
    else if (this.#call.ended !== undefined) return this.#tooLate(step)
    else await this.#act(step)
    return true
  }

  async #act(step: StepOf<'say'> | StepOf<'press'> | StepOf<'wait_seconds'>): Promise<void> {
    if ('say' in step) await this.#call.say(step.say, step)
    else if ('press' in step) await this.#call.press(step.press)
    else await this.#call.wait(step.wait_seconds)
    await this.#listen()
  }

  /** Listens until the caller's next step interrupts. */
  async #listen(): Promise<void> {
    const next = this.#scenario.steps.slice(this.#step).find((step) => !('expect' in step || 'judge' in step))
    await this.#call.listen(next && 'say' in next ? next.into_ms : undefined)
  }

  #tooLate(step: ScenarioStep): false {
    const what = 'say' in step ? `say “${step.say}”` : 'press' in step ? `press ${step.press}` : 'wait'
    this.#fail(`The caller was to ${what}, but the call was over (${this.#call.ended}).`)
    return false
  }

  #expect({ expect }: StepOf<'expect'>): void {
    for (const failure of failuresOf(expect, this.#call.observed, this.#helpers.search)) this.#fail(failure)
  }

  async #judge({ judge: claim }: StepOf<'judge'>): Promise<void> {
    const { judge } = this.#helpers
    if (!judge) return this.#passOver(claim)
    const { holds, why } = await judge(claim, this.#call.transcript)
    if (!holds) this.#fail(`The judge does not find that “${claim}”${why === undefined ? '' : `: ${why}`}`)
  }

  #measure(): void {
    const { limits } = this.#scenario
    if (!limits) return
    for (const failure of exceeded(limits, this.#call.figures)) this.#fail(failure)
    for (const name of unmeasured(limits, this.#call.figures)) this.#note(`${notMeasured} (${name})`)
  }

  #passOver(claim: string): void {
    this.#note(`${notJudged} (${claim})`)
  }

  #note(action: string): void {
    const { lastedMs: atMs, turn, transcript } = this.#call
    transcript.push({ atMs, turn, by: 'service', action })
  }

  async #play({ caller }: StepOf<'caller'>): Promise<void> {
    const { playCaller } = this.#helpers
    if (!playCaller) throw new Error('A model has to play the caller, and there is none.')
    for (let turn = 0; turn < (caller.turns ?? defaultTurns) && this.#call.ended === undefined; turn++) {
      const move = await playCaller(caller, this.#call.transcript)
      if ('hang_up' in move) return this.#call.hangUp()
      if ('say' in move) await this.#call.say(move.say)
      else await this.#call.press(move.press)
      await this.#call.listen()
    }
  }

  #fail(message: string): void {
    this.#failures.push({ step: this.#step, turn: this.#call.turn, message })
  }
}
