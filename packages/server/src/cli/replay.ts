import { chooseCall } from './connection/choose-call.ts'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'
import { harmless, paint } from './terminal/paint.ts'
import { firstDifference, type CallDifference } from '@offhook/contract/recording/call-difference.ts'
import { callersSteps } from '@offhook/contract/recording/call-scenario.ts'
import { recordedCall } from '@offhook/contract/recording/recorded-call.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { endpointAt, runScenario, type EndpointOptions } from '@offhook/sdk/index.ts'
import { finished, maxConcurrent } from './test/service-runner.ts'

export interface ReplayOptions extends ConnectionOptions {
  flow?: string
  draft?: boolean
  version?: number
  endpoint?: string
  secret?: string
  since?: string
  json?: boolean
}

/** Replays past calls, and prints the first difference of each. */
export const replay = async (calls: string[], options: ReplayOptions): Promise<void> => {
  const { endpoint, flow, draft, version, since, secret } = options
  if (calls.length === 0 && since === undefined) throw new Mistake(2, 'Which calls? Their ids, last, or --since 7d')
  if (endpoint !== undefined && (draft === true || version !== undefined))
    throw new Mistake(2, '--draft and --version are of a flow: leave out --endpoint')
  const connection = await connect(options)
  try {
    const flowId = flow === undefined && since === undefined ? undefined : (await chooseFlow(connection, flow)).id
    const named = await Promise.all(calls.map((call) => chooseCall(connection, call)))
    const recent = since === undefined || flowId === undefined ? [] : await callsSince(connection, flowId, since)
    const wanted = [...new Set([...named, ...recent])]
    const choice = { ...(draft === true && { draft }), ...(version !== undefined && { version }) }
    const held =
      endpoint === undefined
        ? await holdInService(connection, flowId, wanted, choice)
        : await holdHere(connection, endpoint, wanted, { secret })
    notify(held, options.json === true)
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const notify = (held: readonly HeldAgain[], json: boolean): void => {
  const other = held.filter(({ difference, error }) => difference ?? error)
  if (json) console.log(JSON.stringify(held, undefined, 2))
  else {
    for (const one of held) console.log(lineOf(one))
    console.error(`${held.length - other.length} of ${held.length} calls are as they were.`)
  }
  if (other.length > 0) process.exitCode = 1
}

const lineOf = ({ callId, difference, error }: HeldAgain): string => {
  if (error !== undefined) return paint('red', `✖ ${callId}  ${harmless(error)}`)
  if (!difference) return paint('green', `✔ ${callId}`)
  return paint('yellow', `≠ ${callId}  turn ${difference.turn}: ${harmless(difference.message)}`)
}

const units = { h: 60 * 60_000, d: 24 * 60 * 60_000 }

/** `7d`, `12h`, or any date. */
const momentOf = (since: string): string => {
  const [, count, unit] = /^(\d{1,4})([hd])$/.exec(since) ?? []
  const at = count === undefined ? Date.parse(since) : Date.now() - Number(count) * units[unit as keyof typeof units]
  if (Number.isNaN(at)) throw new Mistake(2, `--since ${since}? Such as 7d, 12h or 2026-11-01`)
  return new Date(at).toISOString()
}

const callsSince = async ({ api }: Connection, aiFlowId: string, since: string): Promise<string[]> => {
  const from = momentOf(since)
  const found: { callId: string; turns: number }[] = []
  for (let more = true; more;) {
    const before = found.at(-1)?.callId
    const page = await api.listResults({ aiFlowId, from, limit: 200, ...(before !== undefined && { before }) })
    found.push(...page.items)
    more = page.more
  }
  return found.filter(({ turns }) => turns > 0).map(({ callId }) => callId)
}

/** Outcome of a replayed call. */
export interface HeldAgain {
  callId: string
  /** Undefined: no difference. */
  difference?: CallDifference
  /** Reason why it could not be replayed. */
  error?: string
}

/** With the endpoint of a flow, by default of each call's own: the service replays it. */
export const holdInService = async (
  connection: Pick<Connection, 'api'>,
  aiFlowId: string | undefined,
  calls: readonly string[],
  choice: { draft?: boolean; version?: number },
): Promise<HeldAgain[]> => {
  if (aiFlowId !== undefined) return holdWith(connection, aiFlowId, calls, choice)
  const flows = await Promise.all(calls.map(async (callId) => ({ callId, flowId: (await connection.api.explainCall({ callId })).flowId })))
  const held: HeldAgain[] = []
  for (const [flowId, of] of Map.groupBy(flows, (call) => call.flowId)) {
    const ids = of.map(({ callId }) => callId)
    if (flowId === undefined) held.push(...ids.map((callId) => ({ callId, error: 'no assistant had it' })))
    else held.push(...(await holdWith(connection, flowId, ids, choice)))
  }
  return held
}

const holdWith = async (
  { api }: Pick<Connection, 'api'>,
  aiFlowId: string,
  calls: readonly string[],
  choice: { draft?: boolean; version?: number },
): Promise<HeldAgain[]> => {
  const held: HeldAgain[] = []
  for (let place = 0; place < calls.length; place += maxConcurrent) {
    const reports = await finished(api, aiFlowId, { calls: calls.slice(place, place + maxConcurrent), ...choice })
    for (const { name: callId, state, failures } of reports) {
      const [first] = failures
      if (state === 'error') held.push({ callId, error: first?.message ?? 'unknown' })
      else held.push({ callId, ...(first && { difference: first }) })
    }
  }
  return held
}

/** With an endpoint that is reached from here. */
export const holdHere = async (
  connection: Pick<Connection, 'api'>,
  address: string,
  calls: readonly string[],
  options: EndpointOptions,
): Promise<HeldAgain[]> => {
  const endpoint = endpointAt(address, options)
  const held: HeldAgain[] = []
  for (const callId of calls) {
    const recorded = recordedCall(await timelineOf(connection, callId))
    const steps = recorded ? callersSteps(recorded) : []
    if (!recorded || steps.length === 0) {
      held.push({ callId, error: 'no assistant had it, or the caller did nothing' })
      continue
    }
    const { from_phone_number: from, to_phone_number: to, variables } = recorded.session
    const who = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(variables && { variables }) }
    const language = recorded.language === undefined ? {} : { language: recorded.language }
    const report = await runScenario({ name: callId, ...who, ...language, steps }, endpoint)
    const difference = firstDifference(recorded, report)
    if (report.state === 'error') held.push({ callId, error: report.failures[0]?.message ?? 'unknown' })
    else held.push({ callId, ...(difference && { difference }) })
  }
  return held
}

const timelineOf = async ({ api }: Pick<Connection, 'api'>, callId: string): Promise<TimelineEntry[]> => {
  const entries: TimelineEntry[] = []
  for (let more = true; more;) {
    const page = await api.getTimeline({ callId, after: entries.at(-1)?.sequence ?? 0, limit: 1000 })
    entries.push(...page.items)
    more = page.more
  }
  return entries
}
