import { queueMail, type MailContext, type MailOrder } from '#core/kernel/mail/queue-mail.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredErasure, StoredExport, User } from '#core/kernel/ports/store/account.ts'
import { text } from '#core/kernel/translations/index.ts'

type ErasureMail = Extract<MailOrder['template'], `erasure_${string}`>

/** Part of a transaction. Mails the administrators and the user whose data it is; no mail names the subject. */
export const mailErasure = async (
  tables: Tables,
  context: MailContext,
  template: ErasureMail,
  erasure: Pick<StoredErasure, 'id' | 'accountId' | 'subjectType' | 'dueAt'>,
  concernedUserId?: string,
): Promise<void> => {
  const { accountId, id, subjectType, dueAt } = erasure
  const account = await tables.accounts.find(accountId)
  if (!account) return
  for (const user of await tables.users.list(accountId)) {
    if (!user.active || (!user.admin && user.id !== concernedUserId)) continue
    const what = text(user.locale, `mail.erasure.${subjectType}`)
    const values = { account: accountId, company: account.company, what, date: dateFor(user, dueAt), id }
    await queueMail(tables, context, { accountId, to: user.email, locale: user.locale, template, values })
  }
}

/** Mails the requesting user; operators check themselves. */
export const mailExportReady = async (tables: Tables, context: MailContext, request: StoredExport): Promise<void> => {
  const { accountId, requestedBy, expiresAt } = request
  const [, userId] = /^user:(.+)$/.exec(requestedBy) ?? []
  const user = userId === undefined ? undefined : await tables.users.find(accountId, userId)
  const account = await tables.accounts.find(accountId)
  if (!user?.active || !account) return
  const values = { account: accountId, company: account.company, date: dateFor(user, expiresAt) }
  await queueMail(tables, context, { accountId, to: user.email, locale: user.locale, template: 'export_ready', values })
}

const dateFor = ({ locale, timezone }: User, at: number): string =>
  new Intl.DateTimeFormat(locale.replace('_', '-'), { dateStyle: 'long', timeStyle: 'short', timeZone: timezone }).format(at)
