import { randomUUID } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'
import type { Mail, Mailer } from '../ports/mailer.ts'
import type { Tables } from '../ports/store/index.ts'
import type { Vault } from '../ports/vault.ts'
import { text, type Locale } from '../translations/index.ts'
import type { Task } from '../work/worker.ts'

export interface MailOrder {
  accountId?: string
  to: string
  locale: Locale
  template: 'verification' | 'password_reset' | 'porting_optin' | 'voicemail' | 'missed_call'
  values: Record<string, string>
}

export interface MailRoom {
  clock: Clock
  vault: Vault
}

/**
 * Puts a mail into the outbox, in the reader's language, as part of the transaction that gives the reason for it. It is sealed: its links
 * and codes open doors, and it may wait there for a while.
 */
export const queueMail = async (tables: Tables, { clock, vault }: MailRoom, order: MailOrder): Promise<void> => {
  const { accountId, to, locale, template, values } = order
  const mail: Mail = { to, subject: text(locale, `mail.${template}.subject`, values), text: text(locale, `mail.${template}.text`, values) }
  const payload = { sealed: vault.seal(JSON.stringify(mail)) }
  await tables.outbox.put({ id: randomUUID(), kind: 'mail', payload, at: clock.now(), ...(accountId !== undefined && { accountId }) })
}

/** The task that takes mails out of the outbox again. */
export const deliverMail =
  (vault: Vault, mailer: Mailer): Task =>
  async (payload) => {
    const { sealed } = payload as { sealed: string }
    await mailer.send(JSON.parse(vault.open(sealed)) as Mail)
  }
