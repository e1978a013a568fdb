import { randomBytes } from 'node:crypto'
import { hashSecret } from '../identity/tokens/tokens.ts'
import { queueMail } from '#core/kernel/mail/queue-mail.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number/portings.ts'
import { amend, type PortingContext } from './porting-record.ts'

const linkLifetimeMs = 14 * 24 * 60 * 60 * 1000

/** Mails the holder a link that works once and for two weeks; a link from before no longer does. */
export const mailConsentLink = async (tables: Tables, context: PortingContext, porting: StoredPorting): Promise<StoredPorting> => {
  const secret = randomBytes(32).toString('base64url')
  const optinExpires = context.clock.now() + linkLifetimeMs
  const account = await tables.accounts.find(porting.accountId)
  await queueMail(tables, context, {
    accountId: porting.accountId,
    to: porting.email,
    locale: account?.locale ?? 'en_US',
    template: 'porting_optin',
    values: { numbers: porting.numbers.map(({ e164 }) => e164).join('\n'), link: `${context.publicUrl()}/carrier/v1/optin/${secret}` },
  })
  await tables.jobs.schedule({
    id: expiryJob(porting.id),
    kind: 'porting_optin_expiry',
    payload: { portingId: porting.id },
    dueAt: optinExpires,
  })
  return amend(tables, context, { ...porting, optinHash: hashSecret(secret), optinExpires })
}

/** The link leads nowhere from now on. */
export const voidConsentLink = async (tables: Tables, context: PortingContext, porting: StoredPorting): Promise<StoredPorting> => {
  if (porting.optinHash === undefined) return porting
  await tables.jobs.cancel(expiryJob(porting.id))
  return amend(tables, context, { ...porting, optinHash: undefined, optinExpires: undefined })
}

const expiryJob = (portingId: number): string => `porting-optin:${portingId}`
