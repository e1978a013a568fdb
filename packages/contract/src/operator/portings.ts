import { Type } from 'typebox'
import { CalendarDate, HolderInput } from '../carrier/messages.ts'
import { operation } from '../operation.ts'
import { Porting, portingFields } from '../v1/portings.ts'
import { PortingDocument } from '../v1/portings/porting-documents.ts'
import { Input, Items, OneOf, Output, RequiredText, Text, Timestamp } from '../values.ts'
import { Page } from './values.ts'

export const OperatorPorting = Output({
  ...Porting.properties,
  accountId: Type.String(),
  direction: OneOf(['IN', 'OUT']),
  carrier: Type.Optional(Type.String()),
  preAgreementId: Type.Optional(Type.String()),
  holder: Output(HolderInput.properties),
  reason: Type.String({ description: 'Why the other carrier refused the last time' }),
})

const PortingEvent = Output({
  at: Timestamp,
  from: Type.Optional(Type.Integer()),
  event: Type.String(),
  to: Type.Integer(),
  codes: Type.Array(Type.String()),
  actor: Type.String(),
})

const PossibleStep = Output({
  event: Type.String({ description: 'What may be said of it now' }),
  needs: Type.Array(OneOf(['portDate', 'codes']), { description: 'What must be said with it' }),
})

const common = { auth: 'operator', bearer: true } as const

export const operatorPortingOperations = {
  listAllPortings: operation({
    id: 'listAllPortings',
    method: 'GET',
    path: '/operator/v1/portings',
    summary: 'Portings of all accounts, or of one, in both directions, by id',
    ...common,
    query: Input({ ...Page.properties, accountId: Type.Optional(Text(64)) }),
    status: 200,
    reply: Items(OperatorPorting),
  }),
  createPorting: operation({
    id: 'createPorting',
    method: 'POST',
    path: '/operator/v1/portings',
    summary: 'Bring numbers from another carrier to an account',
    ...common,
    body: Input({ accountId: RequiredText(64), ...portingFields }),
    status: 201,
    reply: OperatorPorting,
    errors: ['account_not_found', 'number_invalid', 'already_exists'],
  }),
  readPorting: operation({
    id: 'readPorting',
    method: 'GET',
    path: '/operator/v1/portings/{portingId}',
    summary: 'One porting with all that happened to it',
    ...common,
    status: 200,
    reply: Output({
      ...OperatorPorting.properties,
      possible: Type.Array(PossibleStep),
      events: Type.Array(PortingEvent),
      documents: Type.Array(PortingDocument, { description: 'What the customer handed in' }),
    }),
    errors: ['porting_not_found'],
  }),
  readPortingDocument: operation({
    id: 'readPortingDocument',
    method: 'GET',
    path: '/operator/v1/portings/{portingId}/documents/{documentId}',
    summary: 'A PDF that the customer handed in',
    ...common,
    status: 200,
    file: 'application/pdf',
    errors: ['porting_not_found', 'document_not_found'],
  }),
  applyPortingEvent: operation({
    id: 'applyPortingEvent',
    method: 'POST',
    path: '/operator/v1/portings/{portingId}/events',
    summary: 'Move a porting on; the answer to an event that does not fit names those that do. One to another carrier can only be ended',
    ...common,
    body: Input({
      event: RequiredText(40),
      portDate: Type.Optional(CalendarDate),
      codes: Type.Optional(Type.Array(Text(8), { maxItems: 10 })),
    }),
    status: 200,
    reply: OperatorPorting,
    errors: ['porting_not_found', 'conflict'],
  }),
  movePortingDate: operation({
    id: 'movePortingDate',
    method: 'POST',
    path: '/operator/v1/portings/{portingId}/date',
    summary: 'Ask the present carrier for another date (TV)',
    ...common,
    body: Input({ portDate: CalendarDate }),
    status: 202,
    reply: OperatorPorting,
    errors: ['porting_not_found', 'conflict'],
  }),
}
