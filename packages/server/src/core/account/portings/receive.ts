import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number/portings.ts'
import { acceptExchange, answerCancellation, answerDateMove, answerRequest, type Received } from './donor.ts'
import { requireCalendarDate } from './calendar-date.ts'
import { sendMessage } from './messages.ts'
import type { PortingContext } from './porting-record.ts'
import { hearAnswer } from './recipient.ts'

/** A message of another carrier, in one transaction. One that arrives twice is taken as heard. */
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
  // Consent to a request that we gave up meanwhile: what we do not want must not stay promised to us.
  await sendMessage(tables, context, { carrierCode: received.from, preAgreementId: received.message.preAgreementId }, { type: 'STR-AUF' })
}

const noteTakeOver = (tables: Tables, { clock }: PortingContext, { from, message }: Received, porting: StoredPorting): Promise<void> => {
  const entry = { at: clock.now(), from: porting.status, event: 'take_over_announced', to: porting.status, codes: message.codes ?? [] }
  return tables.portings.appendEvent(porting.id, { ...entry, actor: `carrier:${from}` })
}
