import { randomInt, randomBytes } from 'node:crypto'
import { activateArrived } from '../addresses/change-address.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number.ts'
import { sendAbout, sendRequest } from './deliver.ts'
import type { PortingEvent } from './porting-machine.ts'
import { amend, record, type PortingContext, type Step } from './porting-record.ts'
import { hashSecret } from '../identity/tokens/tokens.ts'
import { queueMail } from '#core/kernel/mail/queue-mail.ts'

const linkLifetimeMs = 14 * 24 * 60 * 60 * 1000

/** Mails the holder a single-use link, valid for two weeks; earlier links become void. */
const mailConsentLink = async (tables: Tables, context: PortingContext, porting: StoredPorting): Promise<StoredPorting> => {
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

/** Voids the link. */
const voidConsentLink = async (tables: Tables, context: PortingContext, porting: StoredPorting): Promise<StoredPorting> => {
  if (porting.optinHash === undefined) return porting
  await tables.jobs.cancel(expiryJob(porting.id))
  return amend(tables, context, { ...porting, optinHash: undefined, optinExpires: undefined })
}

const expiryJob = (portingId: number): string => `porting-optin:${portingId}`

const dayMs = 24 * 60 * 60 * 1000
const reminderMs = dayMs / 4

type Consequence = (tables: Tables, context: PortingContext, porting: StoredPorting, before: StoredPorting) => Promise<StoredPorting>

/** Applies one event to an incoming porting, with all consequences. */
export const advance = async (tables: Tables, context: PortingContext, before: StoredPorting, step: Step): Promise<StoredPorting> => {
  const moved = await record(tables, context, before, step)
  return (await consequences[step.event]?.(tables, context, moved, before)) ?? moved
}

const bySystem = (event: PortingEvent): Step => ({ event, actor: 'system' })

const retryAsk: Consequence = async (tables, context, { correction, ...porting }) => {
  const corrected = { ...porting, ...correction, correction: undefined, preAgreementId: undefined, reason: '' }
  return advance(tables, context, await amend(tables, context, corrected), bySystem('optin_mail_sent'))
}

export const planExchange: Consequence = async (tables, _context, porting) => {
  const dueAt = Date.parse(porting.portDate ?? '') - dayMs
  await tables.jobs.schedule({ id: exchangeJob(porting.id), kind: 'porting_exchange', payload: { portingId: porting.id }, dueAt })
  return porting
}

/** Cancels a request that may have arrived although we got no answer. */
const leave: Consequence = async (tables, context, porting, before) => {
  if (before.status === 251) await sendAbout(tables, context, before, { type: 'STR-AUF' })
  return voidConsentLink(tables, context, porting)
}

/** Removes the numbers, which never arrived, from the account. */
const dropNumbers: Consequence = async (tables, _context, porting) => {
  await tables.jobs.cancel(exchangeJob(porting.id))
  for (const { id } of porting.numbers) await tables.numbers.remove(porting.accountId, id)
  return porting
}

const consequences: Partial<Record<PortingEvent, Consequence>> = {
  create_by_wbci: retryAsk,
  data_corrected: retryAsk,
  change_confirmed: async (tables, context, porting, before) => {
    await tables.jobs.cancel(exchangeJob(porting.id))
    return retryAsk(tables, context, porting, before)
  },

  optin_mail_sent: mailConsentLink,
  optin_expired: voidConsentLink,
  optin_clicked: async (tables, context, porting) => {
    const clicked = await voidConsentLink(tables, context, porting)
    const asked = await amend(tables, context, { ...clicked, preAgreementId: newAgreementId(context) })
    await sendRequest(tables, context, asked)
    return asked
  },
  request_sent: async (tables, context, porting) => {
    await sendRequest(tables, context, porting)
    return porting
  },
  fall_back_to_form: async (tables, context, porting, before) => {
    const left = await leave(tables, context, porting, before)
    return amend(tables, context, { ...left, carrier: undefined, preAgreementId: undefined })
  },

  form_agreed: planExchange,
  request_agreed: async (tables, context, porting, before) => {
    await sendAbout(tables, context, porting, { type: 'AKM-TR', codes: ['8010'] })
    return planExchange(tables, context, porting, before)
  },
  // A porting with an open cancellation needs no correction.
  request_rejected: async (tables, context, porting, before) =>
    before.cancelRequested ? advance(tables, context, porting, bySystem('revoked')) : porting,

  date_moved: planExchange,
  exchange_opened: async (tables, context, porting) => {
    await submitExchange(tables, context, porting)
    return porting
  },
  exchange_confirmed: async (tables, context, porting) => {
    for (const { id, e164 } of porting.numbers) {
      // A number that returns: removes the records that say it was ported out.
      for (const old of await tables.numbers.listPortedOut(e164)) await tables.numbers.remove(old.accountId, old.id)
      await activateArrived(tables, context.clock, porting.accountId, id)
    }
    return porting
  },

  revoked: async (tables, context, porting, before) => dropNumbers(tables, context, await leave(tables, context, porting, before), before),
  cancel_requested: async (tables, context, porting) => {
    await sendAbout(tables, context, porting, { type: 'STR-AUF' })
    return porting
  },
  cancel_confirmed: dropNumbers,
  // The exchange was held back while the cancellation was open.
  cancel_refused: async (tables, context, porting, before) =>
    porting.status === 400 ? planExchange(tables, context, porting, before) : porting,
}

export const exchangeJob = (portingId: number): string => `porting-exchange:${portingId}`

/** Unique per request: country, carrier, and a random number. */
const newAgreementId = ({ carrierCode }: PortingContext): string => `DEU.${carrierCode}.V${randomInt(100_000_000_000, 200_000_000_000)}`

/**
 * Runs the day before the port date: opens the data exchange, unless the agreement is about to be cancelled. Repeats after the
 * date until the present carrier confirms the release: if that message got lost, the number would ring nowhere.
 */
export const openExchange = async (tables: Tables, context: PortingContext, portingId: number): Promise<void> => {
  const porting = await tables.portings.lock(portingId)
  if (!porting || porting.cancelRequested || porting.correction) return
  if (porting.status === 400 || porting.status === 451) await advance(tables, context, porting, bySystem('exchange_opened'))
  if (porting.status === 450) await submitExchange(tables, context, porting)
}

/** Sends PDX-SUBMIT, and again from the port date until it is answered; the operator confirms portings by paper. */
const submitExchange = async (tables: Tables, context: PortingContext, porting: StoredPorting): Promise<void> => {
  if (porting.carrier === undefined || porting.portDate === null) return
  await sendAbout(tables, context, porting, { type: 'PDX-SUBMIT', portDate: porting.portDate })
  const dueAt = Math.max(Date.parse(porting.portDate), context.clock.now()) + reminderMs
  await tables.jobs.schedule({ id: exchangeJob(porting.id), kind: 'porting_exchange', payload: { portingId: porting.id }, dueAt })
}
