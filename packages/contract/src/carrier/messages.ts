import { Type, type Static } from 'typebox'
import { operation } from '../operation.ts'
import { Input, OneOf, RequiredText, Text } from '../values.ts'

/**
 * The WBCI messages between the current carrier and the new one, and the data exchange on the port date: VA request, RUEM-VA consent, ABBM
 * rejection, AKM-TR take-over, TV other date, STR-AUF cancellation, STR-AEN cancellation in favour of a new request, ERLM done, PDX-SUBMIT
 * and PDX-ACK the switch itself.
 */
export const carrierMessageTypes = ['VA', 'RUEM-VA', 'ABBM', 'AKM-TR', 'TV', 'STR-AUF', 'STR-AEN', 'ERLM', 'PDX-SUBMIT', 'PDX-ACK'] as const

export const CalendarDate = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD' })

/** The contract holder, as written in the contract with the current carrier. */
export const HolderInput = Input({
  name: RequiredText(200),
  street: RequiredText(200),
  number: RequiredText(20),
  postcode: RequiredText(16),
  city: RequiredText(100),
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 code' }),
})

export const CarrierMessage = Input({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'A message that arrives twice counts once' }),
  type: OneOf(carrierMessageTypes),
  preAgreementId: RequiredText(64),
  numbers: Type.Optional(Type.Array(Type.String({ pattern: '^\\+[1-9]\\d{3,14}$' }), { minItems: 1, maxItems: 100 })),
  holder: Type.Optional(HolderInput),
  portDate: Type.Optional(CalendarDate),
  codes: Type.Optional(Type.Array(Text(8), { maxItems: 10 })),
  regarding: Type.Optional(OneOf(carrierMessageTypes)),
})

export type CarrierMessageBody = Static<typeof CarrierMessage>

export const carrierMessageOperations = {
  receiveCarrierMessage: operation({
    id: 'receiveCarrierMessage',
    method: 'POST',
    path: '/carrier/v1/messages',
    summary: 'A message of another carrier, named by X-Carrier-Code and signed as in Standard Webhooks',
    auth: 'carrier',
    bearer: false,
    body: CarrierMessage,
    status: 204,
    errors: ['invalid_credentials', 'porting_not_found', 'conflict'],
  }),
}
