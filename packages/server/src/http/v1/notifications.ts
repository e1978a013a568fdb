import type { BodyOf } from '@offhook/contract/operation.ts'
import { notificationTypes, notificationWays, type notificationOperations } from '@offhook/contract/v1/notifications.ts'
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

  getNotification: async ({ caller, params }) => {
    const notifications = await store.read.notifications.list(caller.accountId, params.userId)
    const found = notifications.find(({ id }) => String(id) === params.notificationId)
    if (!found) throw new Problem('not_found')
    return toElement(found)
  },

  createNotification: async ({ caller, params, body }) =>
    toElement(await store.write((tables) => addNotification(tables, sms, caller.accountId, params.userId, body))),

  createNotificationOfKind: async ({ caller, params: { userId, ...kind }, body }) => {
    const input = todaysNotification(kind, body)
    return toElement(await store.write((tables) => addNotification(tables, sms, caller.accountId, userId, input)))
  },

  deleteNotification: async ({ caller, params }) => {
    const id = rowId(params.notificationId)
    const removed = await store.write((tables) => tables.notifications.remove(caller.accountId, params.userId, id))
    if (!removed) throw new Problem('not_found')
  },
})

const toElement = (notification: Notification) => ({ ...notification, id: String(notification.id) })

/** Older programs name kind and way in the address, and extension and recipient after them. */
const todaysNotification = ({ event, way }: { event: string; way: string }, body: OlderNotification): Omit<Notification, 'id'> => {
  const type = notificationTypes.find((one) => one.toLowerCase() === event)
  const isReport = type === 'FAX' && way === 'report'
  const via = isReport ? 'EMAIL' : notificationWays.find((one) => one.toLowerCase() === way)
  if (!type || !via) throw new Problem('not_found')
  const endpointId = body.endpointId ?? body.voicemailId ?? body.faxlineId
  if (endpointId === undefined) throw Problem.field('endpointId', 'is required')
  const address = via === 'EMAIL' ? 'email' : 'number'
  const recipient = body[address]
  if (recipient === undefined) throw Problem.field(address, 'is required')
  const isMissed = body.cause === 'MISSED' && body.direction !== 'OUTGOING'
  const direction = isReport ? 'OUTGOING' : isMissed ? 'MISSED_INCOMING' : (body.direction ?? 'INCOMING')
  return { type, via, direction, endpointId, recipient }
}

type OlderNotification = BodyOf<typeof notificationOperations.createNotificationOfKind>
