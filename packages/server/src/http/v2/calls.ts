import type { callOperations } from '@offhook/contract/v2/calls.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const callHandlers = ({ calls }: Pick<HandlerParts, 'calls'>): Handlers<typeof callOperations> => ({
  listCalls: async ({ caller, setHeader }) => {
    const { calls: data, silent } = await calls.list(caller)
    if (silent > 0) setHeader('offhook-incomplete', String(silent))
    return { data }
  },

  holdCall: ({ caller, params, body: { value } }) => calls.command(caller, params.callId, { op: 'hold', value }),

  muteCall: ({ caller, params, body: { value } }) => calls.command(caller, params.callId, { op: 'mute', value }),

  transferCall: ({ caller, params, body }) => calls.command(caller, params.callId, { op: 'transfer', ...body }),

  recordCall: ({ caller, params, body: { value, announcement = false } }) =>
    calls.command(caller, params.callId, { op: 'record', value, announcement }),

  sendDtmf: ({ caller, params, body: { sequence } }) => calls.command(caller, params.callId, { op: 'dtmf', sequence }),

  announceInCall: ({ caller, params, body: { url } }) => calls.command(caller, params.callId, { op: 'announce', url }),

  hangUpCall: ({ caller, params }) => calls.command(caller, params.callId, { op: 'hangUp' }),
})
