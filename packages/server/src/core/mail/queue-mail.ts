import { randomUUID } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'
import type { Tables } from '../ports/store/index.ts'
import { text, type Locale } from '../translations/index.ts'

export interface MailOrder {
  accountId?: string
  to: string
  locale: Locale
  template: 'verification' | 'password_reset' | 'porting_optin'
  values: Record<string, string>
}

/** Puts a mail into the outbox, in the reader's language, as part of the transaction that gives the reason for it. */
export const queueMail = async (tables: Tables, clock: Clock, { accountId, to, locale, template, values }: MailOrder): Promise<void> => {
  const payload = { to, subject: text(locale, `mail.${template}.subject`, values), text: text(locale, `mail.${template}.text`, values) }
  await tables.outbox.put({ id: randomUUID(), kind: 'mail', payload, at: clock.now(), ...(accountId !== undefined && { accountId }) })
}
