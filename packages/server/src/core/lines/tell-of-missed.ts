import { queueMail, type MailRoom } from '../mail/queue-mail.ts'
import type { HistoryEntry } from '../ports/store/history.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import type { Notification } from '../ports/store/notifications.ts'
import { text } from '../translations/index.ts'
import type { Task } from '../work/worker.ts'

const tellJob = 'missed.tell'

/** A call that nobody took, or what was said instead. */
interface Missed {
  accountId: string
  callId: string
  type: 'CALL' | 'VOICEMAIL'
}

/** Part of the transaction that writes the entry down: whoever wants to know hears of it. */
export const tellOfMissed = async (tables: Tables, accountId: string, entry: HistoryEntry): Promise<void> => {
  const { type, direction, sessionId: callId, modifiedAt: dueAt } = entry
  if (type !== 'VOICEMAIL' && !(type === 'CALL' && direction === 'MISSED_INCOMING')) return
  const payload: Missed = { accountId, callId, type }
  await tables.jobs.schedule({ id: `${tellJob}:${accountId}:${type}:${callId}`, kind: tellJob, payload, dueAt })
}

export interface MissedJobParts extends MailRoom {
  store: Store
  /** Something was put into the outbox. */
  wake: () => void
}

export const missedJobs = ({ store, wake, ...room }: MissedJobParts): Record<string, Task> => ({
  [tellJob]: async (payload) => {
    if (await store.write((tables) => mailAll(tables, room, payload as Missed))) wake()
  },
})

/** True when there was somebody to tell. */
const mailAll = async (tables: Tables, room: MailRoom, { accountId, callId, type }: Missed): Promise<boolean> => {
  const account = await tables.accounts.find(accountId)
  const entry = (await tables.history.listBySession(accountId, callId)).find((one) => one.type === type)
  if (!account || !entry) return false
  const wishes = await Promise.all(entry.connectionIds.map((extension) => tables.notifications.listByEndpoint(accountId, extension)))
  const wanted = wishes.flat().filter((wish) => wish.type === type && wantsMail(wish))
  const recipients = new Set(wanted.map(({ recipient }) => recipient))
  const { locale } = account
  const template = type === 'VOICEMAIL' ? 'voicemail' : 'missed_call'
  const caller = entry.source === 'anonymous' ? text(locale, 'mail.caller.anonymous') : entry.source
  const values = { caller, called: entry.target, seconds: String(entry.detail.duration ?? 0) }
  for (const to of recipients) await queueMail(tables, room, { accountId, to, locale, template, values })
  return recipients.size > 0
}

/** All of it comes from outside: whoever asked for what goes out is not concerned. */
const wantsMail = ({ via, direction }: Notification): boolean => via === 'EMAIL' && direction !== 'OUTGOING'
