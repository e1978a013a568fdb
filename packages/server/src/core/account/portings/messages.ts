import { randomUUID } from 'node:crypto'
import type { CarrierMessageBody } from '@offhook/contract/carrier/messages.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number/portings.ts'
import type { PortingContext } from './porting-record.ts'

export interface CarrierDelivery {
  carrierCode: string
  message: CarrierMessageBody
}

type Content = Omit<CarrierMessageBody, 'id' | 'preAgreementId'>

/** Puts a message to another carrier into the outbox. */
export const sendMessage = async (
  tables: Tables,
  { clock }: PortingContext,
  { carrierCode, preAgreementId }: { carrierCode: string; preAgreementId: string },
  content: Content,
): Promise<void> => {
  const id = randomUUID()
  const at = clock.now()
  const delivery: CarrierDelivery = { carrierCode, message: { id, preAgreementId, ...content } }
  await tables.carriers.recordMessage({ id, carrier: carrierCode, direction: 'OUT', type: content.type, at })
  await tables.outbox.put({ id: `carrier-${id}`, kind: 'carrier', payload: delivery, at })
}

/** To the carrier of this porting; those that go by paper have none. */
export const sendAbout = async (tables: Tables, context: PortingContext, porting: StoredPorting, content: Content): Promise<void> => {
  const { carrier, preAgreementId } = porting
  if (carrier !== undefined && preAgreementId !== undefined)
    await sendMessage(tables, context, { carrierCode: carrier, preAgreementId }, content)
}

/** VA: the request to the present carrier. */
export const sendRequest = (tables: Tables, context: PortingContext, porting: StoredPorting): Promise<void> =>
  sendAbout(tables, context, porting, {
    type: 'VA',
    numbers: porting.numbers.map(({ e164 }) => e164),
    holder: porting.holder,
    ...(porting.wishedDate !== undefined && { portDate: porting.wishedDate }),
  })
