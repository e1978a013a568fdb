import type { phoneOperations } from '@offhook/contract/v3/phone.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const phoneHandlers = ({ phoneTickets }: Pick<HandlerParts, 'phoneTickets'>): Handlers<typeof phoneOperations> => ({
  openPhone: async ({ caller }) => {
    const { expiresAt, ...ticket } = await phoneTickets.invite(caller)
    return { ...ticket, expiresAt: new Date(expiresAt).toISOString(), iceServers: [] }
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
