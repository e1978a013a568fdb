import { sessionOperations } from '@offhook/contract/v1/sessions.ts'
import { resendFax, sendFax } from '#core/messages/orders/send-fax.ts'
import { sendSms } from '#core/messages/orders/send-sms.ts'
import { startCall } from '#core/telephone/orders/start-call.ts'
import { tracedOrder } from '#core/telephone/orders/traced-order.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const sessionHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'orders' | 'tracer' | 'wake'>,
): Handlers<typeof sessionOperations> => ({
  startCall: async ({ caller, body, effectId, trace: incoming }) => {
    const { id: operation, path: route } = sessionOperations.startCall
    await tracedOrder(deps, { sessionId: effectId, operation, route, incoming }, (trace) =>
      startCall(deps, caller, effectId, { ...body, trace }),
    )
    return { sessionId: effectId }
  },

  sendFax: async ({ caller, body, effectId, breathe }) => {
    await sendFax({ ...deps, othersTurn: breathe }, caller, effectId, body)
    return { sessionId: effectId }
  },

  resendFax: ({ caller, body, effectId }) => resendFax(deps, caller, effectId, body),

  sendSms: ({ caller, body, effectId }) => sendSms(deps, caller, effectId, body),
})
