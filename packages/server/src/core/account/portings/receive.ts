import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number.ts'
import { acceptExchange, answerCancellation, answerDateMove, answerRequest, type Received } from './donor.ts'
import { requireCalendarDate } from './donor.ts'
import { sendMessage, sendAbout } from './deliver.ts'
import { type PortingContext, amend, record, type Step } from './porting-record.ts'
import { advance, exchangeJob, planExchange } from './advance.ts'
import { explainCodes } from './porting-machine.ts'

/** Handles a message of another carrier in one transaction. A duplicate is acknowledged and ignored. */
export const receiveMessage = async (tables: Tables, context: PortingContext, received: Received): Promise<void> => {
  const { id, type, portDate } = received.message
  if (portDate !== undefined) requireCalendarDate('portDate', portDate)
  const isNew = await tables.carriers.recordMessage({ id, carrier: received.from, direction: 'IN', type, at: context.clock.now() })
  if (!isNew) return
  switch (type) {
    case 'VA':
      return answerRequest(tables, context, received)
    case 'AKM-TR':
    case 'TV':
    case 'STR-AUF':
    case 'STR-AEN':
    case 'PDX-SUBMIT':
      return asDonor(tables, context, received)
    case 'RUEM-VA':
    case 'ABBM':
    case 'ERLM':
    case 'PDX-ACK':
      return asRecipient(tables, context, received)
  }
}

const asDonor = async (tables: Tables, context: PortingContext, received: Received): Promise<void> => {
  const { from, message } = received
  const porting = await tables.portings.lockByAgreement('OUT', message.preAgreementId)
  if (porting?.carrier !== from)
    return sendMessage(
      tables,
      context,
      { carrierCode: from, preAgreementId: message.preAgreementId },
      { type: 'ABBM', codes: ['8140'], regarding: message.type },
    )
  if (message.type === 'TV') return answerDateMove(tables, context, porting, received)
  if (message.type === 'PDX-SUBMIT') return acceptExchange(tables, context, porting, received)
  if (message.type === 'AKM-TR') return noteTakeOver(tables, context, received, porting)
  return answerCancellation(tables, context, porting, received)
}

const asRecipient = async (tables: Tables, context: PortingContext, received: Received): Promise<void> => {
  const porting = await tables.portings.lockByAgreement('IN', received.message.preAgreementId)
  if (porting?.carrier === received.from) return hearAnswer(tables, context, porting, received)
  if (received.message.type !== 'RUEM-VA') throw new Problem('porting_not_found')
  // Consent to a request that we have cancelled: the agreement must not stay in force.
  await sendMessage(tables, context, { carrierCode: received.from, preAgreementId: received.message.preAgreementId }, { type: 'STR-AUF' })
}

const noteTakeOver = (tables: Tables, { clock }: PortingContext, { from, message }: Received, porting: StoredPorting): Promise<void> => {
  const entry = { at: clock.now(), from: porting.status, event: 'take_over_announced', to: porting.status, codes: message.codes ?? [] }
  return tables.portings.appendEvent(porting.id, { ...entry, actor: `carrier:${from}` })
}

/** Handles answers of the present carrier to an incoming porting. Late answers are accepted without effect. */
const hearAnswer = async (tables: Tables, context: PortingContext, porting: StoredPorting, received: Received): Promise<void> => {
  const { type, regarding, portDate, codes = [] } = received.message
  const actor = `carrier:${received.from}`
  const said = { codes, actor, ...(portDate !== undefined && { portDate }) }
  if (type === 'RUEM-VA') return hearConsent(tables, context, porting, said)
  if (type === 'PDX-ACK') return hearSwitched(tables, context, porting, actor)
  if (type === 'ABBM' && (regarding ?? 'VA') === 'VA') return hearRefusal(tables, context, porting, said)
  if (type === 'ABBM' && regarding === 'PDX-SUBMIT') return hearExchangeRefused(tables, context, porting, said)
  // 8140: there is no agreement to cancel, which equals a confirmation.
  const nothingToCancel = codes.includes('8140') && (regarding === 'STR-AUF' || regarding === 'STR-AEN')
  if (type === 'ABBM' && !nothingToCancel) return hearNo(tables, context, porting, regarding, said)
  return hearYes(tables, context, porting, regarding, said)
}

type Said = Omit<Step, 'event'>

/** An answer proves that the request arrived, even if our connection failed before the acknowledgement. */
const requestArrived = async (tables: Tables, context: PortingContext, porting: StoredPorting, actor: string): Promise<StoredPorting> =>
  porting.status === 170 || porting.status === 251 ? record(tables, context, porting, { event: 'request_sent', actor }) : porting

const hearConsent = async (tables: Tables, context: PortingContext, porting: StoredPorting, said: Said): Promise<void> => {
  // We have cancelled, or treated an earlier rejection as the answer: the agreement must not stay in force.
  if (porting.status === 600 || porting.status === 252) return sendAbout(tables, context, porting, { type: 'STR-AUF' })
  const asked = await requestArrived(tables, context, porting, said.actor)
  if (asked.status === 250) await advance(tables, context, asked, { event: 'request_agreed', ...said })
}

const hearRefusal = async (tables: Tables, context: PortingContext, porting: StoredPorting, said: Said): Promise<void> => {
  const asked = await requestArrived(tables, context, porting, said.actor)
  if (asked.status === 250) await advance(tables, context, asked, { event: 'request_rejected', ...said })
}

const hearExchangeRefused = async (tables: Tables, context: PortingContext, porting: StoredPorting, said: Said): Promise<void> => {
  const explained = await amend(tables, context, { ...porting, reason: explainCodes(said.codes) })
  if (explained.status !== 450) return
  await advance(tables, context, explained, { event: 'exchange_failed', ...said })
  await tables.jobs.cancel(exchangeJob(porting.id)) // a retry would not help
}

const hearYes = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  regarding: string | undefined,
  said: Said,
): Promise<void> => {
  if (regarding === 'TV' && porting.status === 400) await advance(tables, context, porting, { event: 'date_moved', ...said })
  const givenUp = regarding === 'STR-AUF' || regarding === 'STR-AEN'
  // A cancellation counts, whichever of the two the present carrier confirms first.
  if (givenUp && porting.cancelRequested) await advance(tables, context, porting, { event: 'cancel_confirmed', ...said })
  else if (regarding === 'STR-AEN' && porting.correction && porting.status === 400)
    await advance(tables, context, porting, { event: 'change_confirmed', ...said })
}

const hearNo = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  regarding: string | undefined,
  said: Said,
): Promise<void> => {
  const explained = await amend(tables, context, { ...porting, reason: explainCodes(said.codes) })
  if (regarding === 'TV' && porting.status === 400) await advance(tables, context, explained, { event: 'date_move_refused', ...said })
  if (regarding === 'STR-AUF' && porting.cancelRequested) await advance(tables, context, explained, { event: 'cancel_refused', ...said })
  if (regarding !== 'STR-AEN' || !porting.correction) return
  const kept = await amend(tables, context, { ...explained, correction: undefined })
  if (kept.status === 400) await planExchange(tables, context, kept, kept)
}

/** The present carrier has released the numbers, so they ring here, whatever the pending state. */
const hearSwitched = async (tables: Tables, context: PortingContext, porting: StoredPorting, actor: string): Promise<void> => {
  if (porting.status === 500) return
  let current = porting
  if (current.cancelRequested) current = await record(tables, context, current, { event: 'cancel_refused', actor })
  if (current.status === 451) current = await record(tables, context, current, { event: 'exchange_opened', actor })
  if (current.status !== 450) throw new Problem('conflict', `PDX-ACK does not fit state ${current.status}.`)
  await advance(tables, context, current, { event: 'exchange_confirmed', actor })
}
