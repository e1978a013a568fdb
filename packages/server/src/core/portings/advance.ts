import { randomInt } from 'node:crypto'
import type { Tables } from '../ports/store/index.ts'
import type { StoredPorting } from '../ports/store/portings.ts'
import { mailConsentLink, voidConsentLink } from './consent.ts'
import { sendAbout, sendRequest } from './messages.ts'
import type { PortingEvent } from './porting-machine.ts'
import { amend, record, type PortingDesk, type Step } from './porting-record.ts'

const dayMs = 24 * 60 * 60 * 1000

type Consequence = (tables: Tables, desk: PortingDesk, porting: StoredPorting, before: StoredPorting) => Promise<StoredPorting>

/** Applies one event to a porting to us, with everything that follows from it. */
export const advance = async (tables: Tables, desk: PortingDesk, before: StoredPorting, step: Step): Promise<StoredPorting> => {
  const moved = await record(tables, desk, before, step)
  return (await consequences[step.event]?.(tables, desk, moved, before)) ?? moved
}

const bySystem = (event: PortingEvent): Step => ({ event, actor: 'system' })

const askAgain: Consequence = async (tables, desk, { correction, ...porting }) => {
  const corrected = { ...porting, ...correction, correction: undefined, preAgreementId: undefined, reason: '' }
  return advance(tables, desk, await amend(tables, desk, corrected), bySystem('optin_mail_sent'))
}

export const planExchange: Consequence = async (tables, _desk, porting) => {
  const dueAt = Date.parse(porting.portDate ?? '') - dayMs
  await tables.jobs.schedule({ id: exchangeJob(porting.id), kind: 'porting_exchange', payload: { portingId: porting.id }, dueAt })
  return porting
}

/** A request that perhaps got through, although we never heard back, must not be left standing. */
const leave: Consequence = async (tables, desk, porting, before) => {
  if (before.status === 251) await sendAbout(tables, desk, before, { type: 'STR-AUF' })
  return voidConsentLink(tables, desk, porting)
}

/** The numbers never came, so the account does not have them. */
const dropNumbers: Consequence = async (tables, _desk, porting) => {
  await tables.jobs.cancel(exchangeJob(porting.id))
  for (const { id } of porting.numbers) await tables.numbers.remove(porting.accountId, id)
  return porting
}

const consequences: Partial<Record<PortingEvent, Consequence>> = {
  create_by_wbci: askAgain,
  data_corrected: askAgain,
  change_confirmed: async (tables, desk, porting, before) => {
    await tables.jobs.cancel(exchangeJob(porting.id))
    return askAgain(tables, desk, porting, before)
  },

  optin_mail_sent: mailConsentLink,
  optin_expired: voidConsentLink,
  optin_clicked: async (tables, desk, porting) => {
    const clicked = await voidConsentLink(tables, desk, porting)
    const asked = await amend(tables, desk, { ...clicked, preAgreementId: newAgreementId(desk) })
    await sendRequest(tables, desk, asked)
    return asked
  },
  request_sent: async (tables, desk, porting) => {
    await sendRequest(tables, desk, porting)
    return porting
  },
  fall_back_to_form: async (tables, desk, porting, before) => {
    const left = await leave(tables, desk, porting, before)
    return amend(tables, desk, { ...left, carrier: undefined, preAgreementId: undefined })
  },

  form_agreed: planExchange,
  request_agreed: async (tables, desk, porting, before) => {
    await sendAbout(tables, desk, porting, { type: 'AKM-TR', codes: ['8010'] })
    return planExchange(tables, desk, porting, before)
  },
  // Who wanted out anyway need not correct anything.
  request_rejected: async (tables, desk, porting, before) =>
    before.cancelRequested ? advance(tables, desk, porting, bySystem('revoked')) : porting,

  date_moved: planExchange,
  exchange_opened: async (tables, desk, porting) => {
    await sendAbout(tables, desk, porting, { type: 'PDX-SUBMIT' })
    return porting
  },
  exchange_confirmed: async (tables, _desk, porting) => {
    for (const { id } of porting.numbers) await tables.numbers.setState(porting.accountId, id, 'ACTIVE')
    return porting
  },

  revoked: async (tables, desk, porting, before) => dropNumbers(tables, desk, await leave(tables, desk, porting, before), before),
  cancel_requested: async (tables, desk, porting) => {
    await sendAbout(tables, desk, porting, { type: 'STR-AUF' })
    return porting
  },
  cancel_confirmed: dropNumbers,
  // The exchange was held back while the cancellation was open.
  cancel_refused: async (tables, desk, porting, before) => (porting.status === 400 ? planExchange(tables, desk, porting, before) : porting),
}

const exchangeJob = (portingId: number): string => `porting-exchange:${portingId}`

/** Each request has its own: country, carrier, and a number that is never used again. */
const newAgreementId = ({ carrierCode }: PortingDesk): string => `DEU.${carrierCode}.V${randomInt(100_000_000_000, 200_000_000_000)}`

/** Runs the day before the port date: the data exchange is opened, unless the agreement is about to be given up. */
export const openExchange = async (tables: Tables, desk: PortingDesk, portingId: number): Promise<void> => {
  const porting = await tables.portings.lock(portingId)
  if (porting?.status !== 400 || porting.direction !== 'IN' || porting.cancelRequested || porting.correction) return
  await advance(tables, desk, porting, { event: 'exchange_opened', actor: 'system' })
}
