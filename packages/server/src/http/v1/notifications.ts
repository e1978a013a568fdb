import type { notificationOperations } from '@offhook/contract/v1/notifications.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { addNotification } from '#core/messages/notifications/notification.ts'
import { rowId } from '#core/account/lines/row-id.ts'
import type { Notification } from '#core/kernel/ports/store/line.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const notificationHandlers = ({ store, sms }: Pick<HandlerDeps, 'store' | 'sms'>): Handlers<typeof notificationOperations> => ({
  listNotifications: async ({ caller, params }) => {
    const notifications = await store.read.notifications.list(caller.accountId, params.userId)
    return { items: notifications.map(toElement) }
  },

  createNotification: async ({ caller, params, body }) =>
    toElement(await store.write((tables) => addNotification(tables, sms, caller.accountId, params.userId, body))),

  deleteNotification: async ({ caller, params }) => {
    const id = rowId(params.notificationId)
    const removed = await store.write((tables) => tables.notifications.remove(caller.accountId, params.userId, id))
    if (!removed) throw new Problem('not_found')
  },
})

const toElement = (notification: Notification) => ({ ...notification, id: String(notification.id) })
