import type { phoneOperations } from '@offhook/contract/v3/phone.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

type PhoneDeps = Pick<HandlerDeps, 'phones' | 'phoneTickets' | 'callNotices'>

export const phoneHandlers = ({ phones, phoneTickets, callNotices }: PhoneDeps): Handlers<typeof phoneOperations> => ({
  openPhone: async ({ caller }) => {
    const { expiresAt, ...ticket } = await phoneTickets.invite(caller)
    return { ...ticket, expiresAt: new Date(expiresAt).toISOString() }
  },
  getPushKey: async () => ({ key: (await callNotices.key()) ?? null }),
  subscribePush: async ({ caller, body }) => ({ id: await callNotices.subscribe(caller, body) }),
  unsubscribePush: async ({ caller, params }) => callNotices.unsubscribe(caller, params.subscriptionId),
  declinePhoneCall: async ({ body }) => phones.decline(body.ticket),
})
