import { callIdOf } from '@offhook/contract/assistant/session.ts'
import type { callOperations } from '@offhook/contract/v2/calls.ts'
import { namesOf } from '#core/account/contacts/names.ts'
import type { Participant } from '#core/telephone/call/state/calls.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const callHandlers = ({ calls, store }: Pick<HandlerDeps, 'calls' | 'store'>): Handlers<typeof callOperations> => ({
  listCalls: async ({ caller, setHeader }) => {
    const { calls: data, silent } = await calls.list(caller)
    if (silent > 0) setHeader('offhook-incomplete', String(silent))
    const numbers = data.flatMap(({ participants }) => participants.map(({ phoneNumber }) => phoneNumber))
    const names = await namesOf(store.read, caller.accountId, caller.userId, numbers)
    const named = (one: Participant) => ({ ...one, ...names.get(one.phoneNumber) })
    return { data: data.map((call) => ({ ...call, participants: call.participants.map(named) })) }
  },

  holdCall: ({ caller, params, body: { value } }) => calls.command(caller, callIdOf(params.callId), { op: 'hold', value }),

  muteCall: ({ caller, params, body: { value } }) => calls.command(caller, callIdOf(params.callId), { op: 'mute', value }),

  transferCall: ({ caller, params, body }) => calls.command(caller, callIdOf(params.callId), { op: 'transfer', ...body }),

  recordCall: ({ caller, params, body: { value, announcement = false } }) =>
    calls.command(caller, callIdOf(params.callId), { op: 'record', value, announcement }),

  pauseRecording: ({ caller, params, body: { value } }) => calls.command(caller, callIdOf(params.callId), { op: 'pauseRecording', value }),

  sendDtmf: ({ caller, params, body: { sequence } }) => calls.command(caller, callIdOf(params.callId), { op: 'dtmf', sequence }),

  announceInCall: ({ caller, params, body: { url } }) => calls.command(caller, callIdOf(params.callId), { op: 'announce', url }),

  hangUpCall: ({ caller, params }) => calls.command(caller, callIdOf(params.callId), { op: 'hangUp' }),
})
