import type { callOperations } from '@offhook/contract/v2/calls.ts'
import { announceInCall, transferCall } from '#core/telephone/call/control/control-call.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const callHandlers = ({
  store,
  calls,
  outbound,
}: Pick<HandlerParts, 'store' | 'calls' | 'outbound'>): Handlers<typeof callOperations> => ({
  listCalls: async ({ caller }) => ({ data: calls.list(caller).map((call) => call.status()) }),

  holdCall: async ({ caller, params, body }) => calls.getEstablished(caller, params.callId).hold(body.value),

  muteCall: async ({ caller, params, body }) => calls.getEstablished(caller, params.callId).mute(body.value),

  transferCall: ({ caller, params, body }) => transferCall(store, calls, caller, params.callId, body),

  recordCall: async ({ caller, params, body }) =>
    calls.getEstablished(caller, params.callId).record(body.value, { announcement: body.announcement ?? false }),

  sendDtmf: async ({ caller, params, body }) => calls.getEstablished(caller, params.callId).sendDtmf(body.sequence),

  announceInCall: ({ caller, params, body }) => announceInCall(calls, outbound, { user: caller, callId: params.callId, url: body.url }),

  hangUpCall: async ({ caller, params }) => calls.get(caller, params.callId).hangUp(),
})
