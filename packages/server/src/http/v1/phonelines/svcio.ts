import type { phonelineSvcioOperations } from '@offhook/contract/v1/phonelines/svcio.ts'
import { phonelineOf } from '#core/account/lines/find-line.ts'
import { requirePushUrl } from '#core/telephone/push/push-url.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { toPushLogElement } from '#http/handler/push-log-element.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

const logLength = 100

export const phonelineSvcioHandlers = ({
  store,
  clock,
}: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof phonelineSvcioOperations> => ({
  getPhonelineSvcio: async ({ caller, params }) => {
    const { incomingUrl, outgoingUrl } = await phonelineOf(store.read, caller.accountId, params)
    return { incomingUrl, outgoingUrl }
  },

  setPhonelineSvcio: async ({ caller, params, body: { incomingUrl, outgoingUrl } }) => {
    requirePushUrl('incomingUrl', incomingUrl)
    requirePushUrl('outgoingUrl', outgoingUrl)
    await store.write(async (tables) => {
      const line = await phonelineOf(tables, caller.accountId, params)
      await tables.phonelines.update(caller.accountId, line.id, { incomingUrl, outgoingUrl })
      await auditByUser(tables, clock, caller, 'phoneline.svcio', line.id)
    })
  },

  listPhonelineSvcioLog: async ({ caller, params }) => {
    const line = await phonelineOf(store.read, caller.accountId, params)
    const exchanges = await store.read.pushExchanges.list(caller.accountId, { line: line.id, limit: logLength })
    return { items: exchanges.map(toPushLogElement) }
  },
})
