import type { phoneOperations } from '@offhook/contract/v3/phone.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Handlers } from '../handler/context.ts'

export const phoneHandlers = (): Handlers<typeof phoneOperations> => ({
  openPhone: async () => {
    throw new Problem('line_unavailable')
  },
  getPushKey: async () => ({ key: null }),
  subscribePush: async () => {
    throw new Problem('line_unavailable')
  },
  unsubscribePush: async () => {
    throw new Problem('not_found')
  },
  declinePhoneCall: async () => {
    throw new Problem('phone_ticket_invalid')
  },
})
