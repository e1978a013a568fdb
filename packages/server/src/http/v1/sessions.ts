import type { sessionOperations } from '@offhook/contract/v1/sessions.ts'
import { resendFax, sendFax } from '../../core/sessions/send-fax.ts'
import { sendSms } from '../../core/sessions/send-sms.ts'
import { startCall } from '../../core/sessions/start-call.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const sessionHandlers = (parts: Parts): Handlers<typeof sessionOperations> => ({
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
