import { Problem } from '@offhook/contract/problem.ts'
import type { trialOperations } from '@offhook/contract/v3/trials.ts'
import type { ReplyOf } from '@offhook/contract/operation.ts'
import { AccountLanes } from '../../core/delivery/account-lanes.ts'
import { tryEndpoint, type TriedEndpoint } from '../../core/delivery/try-endpoint.ts'
import { noteFlow } from '../../core/flows/lock-flow.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

type TrialElement = ReplyOf<(typeof trialOperations)['testFlow']>

const mostShownBytes = 64 * 1024
const keys = ['x-api-key', 'x-api-token']

export const trialHandlers = (parts: Parts): Handlers<typeof trialOperations> => {
  const { store, clock } = parts
  const trialLanes = new AccountLanes(parts.wallClock, { atOnce: 2, waiting: 8 })
  return {
    testFlow: async ({ caller, params, body, effectId }) => {
      const flow = await store.read.flows.find(caller.accountId, params.aiFlowId)
      if (!flow) throw new Problem('flow_not_found')
      await store.write((tables) => noteFlow(tables, clock, caller, 'flow.test', flow.id))
      return toElement(await tryEndpoint({ ...parts, trialLanes }, caller, flow, { id: effectId, ...body }))
    },
  }
}

const toElement = ({ event, channel, url, durationMs, request, response, answer, hints, error }: TriedEndpoint): TrialElement => ({
  eventId: event.id,
  sessionId: event.sessionId,
  channel,
  ...(url !== undefined && { url }),
  durationMs,
  request: { headers: masked(request.headers), body: request.body },
  ...(response && { response: shown(response) }),
  actions: [...answer.actions],
  problems: [...answer.problems],
  hints,
  ...(error !== undefined && { error }),
})

const shown = ({ status, headers, body }: NonNullable<TriedEndpoint['response']>): NonNullable<TrialElement['response']> => ({
  ...(status !== undefined && { status }),
  headers: { ...headers },
  body: body.subarray(0, mostShownBytes).toString('utf8'),
  bodyBytes: body.length,
  ...(body.length > mostShownBytes && { cut: true as const }),
})

/** A key was shown once, to whoever set it. */
const masked = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, keys.includes(name) ? '••••••' : value]))
