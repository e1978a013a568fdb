import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Notification } from '#core/kernel/ports/store/line.ts'
import { requireRoute } from '../sms/sending/require-route.ts'
import type { SmsParts } from '../sms/state/sms-parts.ts'
import { accountCountryOf, readOutsideNumber } from '#core/account/lines/destination.ts'
import { extensionsOf } from '#core/account/history/own-extensions.ts'

const max = 50

/** Kinds of extensions, by letter, that each event type can notify about. */
const describableOf: Record<Notification['type'], string> = { VOICEMAIL: 'vpg', FAX: 'f', CALL: 'pg', SMS: 's' }

/** Adds a notification about one of the user's extensions, to a valid address. */
export const addNotification = async (
  tables: Tables,
  sms: Pick<SmsParts, 'routes'>,
  accountId: string,
  userId: string,
  input: Omit<Notification, 'id'>,
): Promise<Notification> => {
  await tables.accounts.lock(accountId) // prevents concurrent requests from both taking the last allowed place
  if (!(await extensionsOf(tables, accountId, userId)).includes(input.endpointId))
    throw Problem.field('endpointId', 'is no extension of this user')
  if (!describableOf[input.type].includes(input.endpointId.charAt(0)))
    throw Problem.field('endpointId', `has nothing of the type ${input.type}`)
  const { country } = await accountCountryOf(tables, accountId)
  const recipient = input.via === 'EMAIL' ? readMailAddress(input.recipient) : readOutsideNumber('recipient', input.recipient, country)
  if (input.via === 'SMS') await requireRoute(tables, sms, recipient)
  const notification = { ...input, recipient }
  const present = await tables.notifications.list(accountId, userId)
  if (present.some((other) => same(other, notification))) throw new Problem('already_exists')
  if (present.length >= max) throw new Problem('conflict', `A user has at most ${max} notifications.`)
  return { id: await tables.notifications.insert(accountId, userId, notification), ...notification }
}

const same = (one: Omit<Notification, 'id'>, other: Omit<Notification, 'id'>): boolean =>
  one.type === other.type &&
  one.endpointId === other.endpointId &&
  one.via === other.via &&
  one.recipient === other.recipient &&
  one.direction === other.direction

/** One plain address: no name, no list, no line breaks that could inject headers. */
const readMailAddress = (written: string): string => {
  const address = written.trim()
  const valid = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i
  if (!valid.test(address)) throw Problem.field('recipient', 'is not a valid e-mail address')
  return address
}
