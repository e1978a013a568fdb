import type { sessionOperations } from '@offhook/contract/v1/sessions.ts'
import { resendFax, sendFax } from '#core/messages/orders/send-fax.ts'
import { sendSms } from '#core/messages/orders/send-sms.ts'
import { startCall } from '#core/telephone/orders/start-call.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const sessionHandlers = (parts: Pick<HandlerParts, 'store' | 'clock' | 'orders' | 'wake'>): Handlers<typeof sessionOperations> => ({
  startCall: async ({ caller, body, effectId }) => {
    await startCall(parts, caller, effectId, body)
    return { sessionId: effectId }
  },

  sendFax: async ({ caller, body, effectId }) => {
    await sendFax(parts, caller, effectId, body)
    return { sessionId: effectId }
  },

  resendFax: ({ caller, body, effectId }) => resendFax(parts, caller, effectId, body),

  sendSms: ({ caller, body, effectId }) => sendSms(parts, caller, effectId, body),
})
