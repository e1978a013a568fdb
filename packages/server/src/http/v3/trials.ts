import { Problem } from '@offhook/contract/problem.ts'
import type { trialOperations } from '@offhook/contract/v3/trials.ts'
import type { ReplyOf } from '@offhook/contract/operation.ts'
import { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import { tryEndpoint, type TriedEndpoint } from '#core/assistant/delivery/try-endpoint.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { shown } from '#core/telephone/timeline/exchange.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

type TrialElement = ReplyOf<(typeof trialOperations)['testFlow']>

export const trialHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'wallClock' | 'listeners' | 'trials'>,
): Handlers<typeof trialOperations> => {
  const { store, clock } = deps
  const trialLanes = new AccountLanes(deps.wallClock, { concurrency: 2, waiting: 8 })
  return {
    testFlow: async ({ caller, params, body, effectId }) => {
      const flow = await store.read.flows.find(caller.accountId, params.aiFlowId)
      if (!flow) throw new Problem('flow_not_found')
      await store.write((tables) => auditByUser(tables, clock, caller, 'flow.test', flow.id))
      return toElement(await tryEndpoint({ ...deps, trialLanes }, caller, flow, { id: effectId, ...body }))
    },
  }
}

const toElement = ({ event, channel, durationMs, exchange, reply, hints, error }: TriedEndpoint): TrialElement => {
  const { url, request, response } = exchange
  return {
    eventId: event.id,
    sessionId: event.sessionId,
    channel,
    ...(url !== undefined && { url }),
    durationMs,
    request: shown(request),
    ...(response && { response: { ...(response.status !== undefined && { status: response.status }), ...shown(response) } }),
    actions: [...reply.actions],
    problems: [...reply.problems],
    hints,
    ...(error !== undefined && { error }),
  }
}
