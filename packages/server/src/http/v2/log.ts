import type { logOperations } from '@offhook/contract/v2/log.ts'
import { listUndelivered, redeliverNotification } from '#core/telephone/push/notifications.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toPushLogElement } from '../handler/push-log-element.ts'

export const logHandlers = ({ store, clock, wake }: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof logOperations> => ({
  listWebhookLog: async ({ caller, query: { limit = 100, offset = 0 } }) => ({
    items: (await store.read.pushExchanges.list(caller.accountId, { limit, offset })).map(toPushLogElement),
  }),

  listUndeliveredNotices: async ({ caller, query: { offset = 0, limit = 100 } }) => {
    const { items, totalCount } = await listUndelivered(store.read, caller.accountId, { offset, limit })
    return {
      items: items.map(({ createdAt, ...notification }) => ({ ...notification, created: new Date(createdAt).toISOString() })),
      totalCount,
    }
  },

  redeliverNotice: async ({ caller, params }) => {
    await store.write((tables) => redeliverNotification(tables, clock, caller, params.noticeId))
    wake()
  },
})
