import { Problem } from '@offhook/contract/problem.ts'
import { isReason } from '../fax/state/reasons.ts'
import { queueMail, type MailContext } from '#core/kernel/mail/queue-mail.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Notification } from '#core/kernel/ports/store/line.ts'
import { requireRoute } from '../sms/sending/require-route.ts'
import { queueServiceSms } from '../sms/sending/service-sms.ts'
import type { SmsParts } from '../sms/state/sms-parts.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { cutText } from '../sms/text/segments.ts'
import { namesOf } from '#core/account/contacts/names.ts'
import { templateOf, valuesOf, type EventTemplate } from '#core/account/notifications/event-template.ts'
import { notificationJob, type NotifiedEvent } from '#core/account/notifications/schedule-notification.ts'

interface NotificationDeps extends MailContext {
  store: Store
  sms: Pick<SmsParts, 'routes' | 'serviceSender'>
  /** Called after a mail or message was queued. */
  wake: () => void
}

export const notificationJobs = (deps: NotificationDeps): Record<string, Task> => ({
  [notificationJob]: async (payload) => {
    if (await deps.store.write((tables) => notifyAll(tables, deps, payload as NotifiedEvent))) deps.wake()
  },
})

/** True when a user was notified. */
const notifyAll = async (tables: Tables, deps: NotificationDeps, { accountId, entryId, byMailOnly }: NotifiedEvent): Promise<boolean> => {
  const account = await tables.accounts.find(accountId)
  const entry = await tables.history.find(accountId, entryId)
  const template = entry && templateOf(entry)
  if (!account || !entry || !template) return false
  const inputs = await requestsFor(tables, accountId, entry)
  const names = await namesOf(tables, accountId, entry.userId, [entry.source, entry.target])
  const described = valuesOf(entry, account.locale, names)
  const notified = { account, entry, template, described }
  const mails = recipientsOf(inputs, 'EMAIL')
  const values = { ...described, reason: await reasonOf(tables, account, entry) }
  const fax = template === 'fax' || template === 'fax_partial' ? { fax: { accountId, faxId: entryId } } : {}
  for (const to of mails) await queueMail(tables, deps, { accountId, to, locale: account.locale, template, values, ...fax })
  const numbers = byMailOnly ? [] : recipientsOf(inputs, 'SMS')
  for (const recipient of numbers) await notifyBySms(tables, deps, notified, recipient)
  return mails.length + numbers.length > 0
}

/** Failure reason of a fax in the account's language; its entry has it in English only. */
const reasonOf = async (tables: Tables, { id, locale }: Account, { type, id: faxId }: HistoryEntry): Promise<string> => {
  const fax = type === 'FAX' ? await tables.faxes.find(id, faxId) : undefined
  return isReason(fax?.reason) ? text(locale, `fax.reason.${fax.reason}`) : ''
}

const requestsFor = async (tables: Tables, accountId: string, entry: HistoryEntry): Promise<Notification[]> => {
  const extensions = await concerned(tables, accountId, entry)
  const all = await Promise.all(extensions.map((extension) => tables.notifications.listByEndpoint(accountId, extension)))
  return all.flat().filter(({ type, direction }) => type === entry.type && fits(direction, entry))
}

/** Subscriptions on messages are on SMS extensions: for a group, those of its members. */
const concerned = async (tables: Tables, accountId: string, { type, connectionIds }: HistoryEntry): Promise<string[]> => {
  const groups = type === 'SMS' ? connectionIds.filter((id) => id.startsWith('g')) : []
  const members = await Promise.all(groups.map((group) => tables.groups.members(accountId, group)))
  const lines = await Promise.all([...new Set(members.flat())].map((userId) => tables.smsLines.list(accountId, userId)))
  return [...new Set([...connectionIds, ...lines.flat().map(({ id }) => id)])]
}

/** Notifications for outgoing events do not apply to incoming ones, and vice versa. */
const fits = (wanted: Notification['direction'], { direction }: HistoryEntry): boolean =>
  direction === 'OUTGOING' ? wanted === 'OUTGOING' || wanted === 'ALL' : wanted !== 'OUTGOING'

const recipientsOf = (inputs: readonly Notification[], way: Notification['via']): string[] => [
  ...new Set(inputs.filter(({ via }) => via === way).map(({ recipient }) => recipient)),
]

interface NotifiedEntry {
  account: Account
  entry: HistoryEntry
  template: EventTemplate
  described: Record<string, string>
}

const hour = 3_600_000
/** They cost money, and numbers of other networks may forward back to us. */
const messagesPerHour = 100

/** Skipped without a route or funds, or over the limit: the history entry and the mails have the same content. */
const notifyBySms = async (
  tables: Tables,
  deps: NotificationDeps,
  { account, entry, template, described }: NotifiedEntry,
  recipient: string,
): Promise<void> => {
  const { clock, sms } = deps
  const now = clock.now()
  const limit = { bucket: `notice:account:${account.id}`, limit: messagesPerHour, windowMs: hour }
  if ('fullSince' in (await tables.attempts.take(limit, now))) return
  try {
    await requireRoute(tables, sms, recipient)
    await queueServiceSms(tables, clock, {
      id: `${entry.id}.${template}.${recipient.slice(1)}`,
      account,
      sender: sms.serviceSender,
      recipient,
      text: shortText(account.locale, template, described),
      giveUpAt: now + hour,
      paid: true,
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

/** Fits one message: each further one would cost again. */
const shortText = (locale: Locale, template: EventTemplate, values: Record<string, string>): string => {
  const [first = '', ...others] = cutText(text(locale, `sms.notice.${template}.text`, values)).parts
  return others.length === 0 ? first : `${Array.from(first).slice(0, -3).join('')}...`
}
