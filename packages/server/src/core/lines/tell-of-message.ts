import { queueMail, type MailRoom } from '../mail/queue-mail.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import type { Notification } from '../ports/store/notifications.ts'
import { text } from '../translations/index.ts'
import type { Task } from '../work/worker.ts'

const tellJob = 'voicemail.tell'

interface Left {
  accountId: string
  callId: string
}

/** Part of the transaction that writes a voicemail down: whoever wants to know hears of it. */
export const tellOfMessage = (tables: Tables, left: Left, at: number): Promise<void> =>
  tables.jobs.schedule({ id: `${tellJob}:${left.accountId}:${left.callId}`, kind: tellJob, payload: left, dueAt: at })

export interface MessageJobParts extends MailRoom {
  store: Store
  /** Something was put into the outbox. */
  wake: () => void
}

export const messageJobs = ({ store, wake, ...room }: MessageJobParts): Record<string, Task> => ({
  [tellJob]: async (payload) => {
    await store.write((tables) => mailAll(tables, room, payload as Left))
    wake()
  },
})

const mailAll = async (tables: Tables, room: MailRoom, { accountId, callId }: Left): Promise<void> => {
  const account = await tables.accounts.find(accountId)
  const entry = (await tables.history.listBySession(accountId, callId)).find(({ type }) => type === 'VOICEMAIL')
  if (!account || !entry) return
  const wishes = await Promise.all(entry.connectionIds.map((extension) => tables.notifications.listByEndpoint(accountId, extension)))
  const recipients = new Set(
    wishes
      .flat()
      .filter(wantsMail)
      .map(({ recipient }) => recipient),
  )
  const { locale } = account
  const caller = entry.source === 'anonymous' ? text(locale, 'mail.voicemail.anonymous') : entry.source
  const values = { caller, called: entry.target, seconds: String(entry.detail.duration ?? 0) }
  for (const to of recipients) await queueMail(tables, room, { accountId, to, locale, template: 'voicemail', values })
}

/** A message comes from somebody who called in vain. */
const wantsMail = ({ type, via, direction }: Notification): boolean => type === 'VOICEMAIL' && via === 'EMAIL' && direction !== 'OUTGOING'
