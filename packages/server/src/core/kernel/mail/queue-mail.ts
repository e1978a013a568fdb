import { randomUUID } from 'node:crypto'
import type { Clock, Vault } from '../ports/platform.ts'
import type { FaxFile, FaxFiles } from '../ports/messages.ts'
import type { Attachment, Mail, Mailer } from '../ports/outbound.ts'
import type { Tables } from '../ports/store/index.ts'
import { text, type Locale } from '../translations/index.ts'
import type { Task } from '../work/worker.ts'

type FaxOfAccount = Pick<FaxFile, 'accountId' | 'faxId'>

/** Usual limit of mail servers. Larger documents are available in the history only. */
const maxAttachmentBytes = 10 * 1024 * 1024

export interface MailOrder {
  accountId?: string
  to: string
  locale: Locale
  template:
    | ('verification' | 'password_reset' | 'invitation' | 'email_change' | 'porting_optin' | 'spending_warning' | 'spending_stopped')
    | 'balance_low'
    | ('voicemail' | 'missed_call' | 'sms' | 'sms_sent' | 'sms_failed' | 'fax' | 'fax_partial' | 'fax_sent' | 'fax_failed')
    | ('assistant_message' | 'booking' | 'booking_cancelled')
    | ('erasure_scheduled' | 'erasure_cancelled' | 'erasure_done' | 'erasure_failed' | 'export_ready')
  values: Record<string, string>
  /** Fax to attach. The document is fetched at delivery. */
  fax?: FaxOfAccount
  /** Short text to attach. */
  document?: Document
}

interface Document {
  name: string
  type: string
  text: string
}

export interface MailContext {
  clock: Clock
  vault: Vault
}

/**
 * Queues a mail in the recipient's language, within the transaction that causes it. Sealed, because it may wait and contains links and
 * codes that grant access.
 */
export const queueMail = async (tables: Tables, { clock, vault }: MailContext, order: MailOrder): Promise<void> => {
  const { accountId, to, locale, template, values, fax, document } = order
  const mail: Sealed = {
    to,
    subject: text(locale, `mail.${template}.subject`, values),
    text: text(locale, `mail.${template}.text`, values),
    ...(document && { document }),
  }
  const payload: Queued = { sealed: vault.seal(JSON.stringify(mail)), ...(fax && { fax }) }
  await tables.outbox.put({ id: randomUUID(), kind: 'mail', payload, at: clock.now(), ...(accountId !== undefined && { accountId }) })
}

interface Sealed extends Omit<Mail, 'attachment'> {
  document?: Document
}

interface Queued {
  sealed: string
  fax?: FaxOfAccount
}

/** Task that delivers mails from the outbox. */
export const deliverMail =
  (vault: Vault, mailer: Mailer, files: FaxFiles): Task =>
  async (payload) => {
    const { sealed, fax } = payload as Queued
    const { document, ...mail } = JSON.parse(vault.open(sealed)) as Sealed
    const written = document && { name: document.name, type: document.type, content: Buffer.from(document.text) }
    const attachment = fax ? await documentOf(files, fax) : written
    await mailer.send({ ...mail, ...(attachment && { attachment }) })
  }

/** Undefined if the document was erased since or is too large. */
const documentOf = async (files: FaxFiles, fax: FaxOfAccount): Promise<Attachment | undefined> => {
  const file = await files.open({ ...fax, kind: 'document' })
  if (!file) return undefined
  try {
    if (file.bytes > maxAttachmentBytes) return undefined
    return { name: 'fax.pdf', type: 'application/pdf', content: await file.read(0, file.bytes) }
  } finally {
    await file.close()
  }
}
