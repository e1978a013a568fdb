import { firstDifference, type CallDifference } from '@offhook/contract/recording/call-difference.ts'
import { callersSteps } from '@offhook/contract/recording/call-scenario.ts'
import { recordedCall } from '@offhook/contract/recording/recorded-call.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { endpointAt, runScenario, type EndpointOptions } from '@offhook/sdk'
import type { Connection } from '../connection/connection.ts'
import { finished, maxConcurrent } from '../test/service-runner.ts'

/** What came of a call that was held again. */
export interface HeldAgain {
  callId: string
  /** Missing: everything was as before. */
  difference?: CallDifference
  /** Why it could not be held. */
  error?: string
}

/** With the endpoint of a flow: the service does it. */
export const holdInService = async (
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
    const { from_phone_number: from, to_phone_number: to } = recorded.session
    const who = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
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
