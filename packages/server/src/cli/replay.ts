import { chooseCall } from './connection/choose-call.ts'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { holdHere, holdInService, type HeldAgain } from './replay/hold-again.ts'
import { Mistake } from './terminal/mistake.ts'
import { harmless, paint } from './terminal/paint.ts'

export interface ReplayOptions extends ConnectionOptions {
  flow?: string
  draft?: boolean
  version?: number
  endpoint?: string
  secret?: string
  since?: string
  json?: boolean
}

/** Holds past calls again, and tells of each the first thing that is different now. */
export const replay = async (calls: string[], options: ReplayOptions): Promise<void> => {
  const { endpoint, flow, draft, version, since, secret } = options
  if (calls.length === 0 && since === undefined) throw new Mistake(2, 'Which calls? Their ids, last, or --since 7d')
  if (endpoint !== undefined && (draft === true || version !== undefined))
    throw new Mistake(2, '--draft and --version are of a flow: leave out --endpoint')
  const connection = await connect(options)
  try {
    const { id: flowId } = endpoint !== undefined && since === undefined ? { id: '' } : await chooseFlow(connection, flow)
    const named = await Promise.all(calls.map((call) => chooseCall(connection, call)))
    const wanted = [...new Set([...named, ...(since === undefined ? [] : await callsSince(connection, flowId, since))])]
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

/** `7d`, `12h`, or anything that is a date. */
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
