import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Input, Items, Output, RequiredText, Timestamp } from '../../values.ts'

export const PortingDocument = Output({ id: Type.String(), name: Type.String(), bytes: Type.Integer(), addedAt: Timestamp })

const common = { auth: 'user', bearer: true } as const
const reading = { ...common, scopes: ['portings:read'], permission: 'CAN_GET_PORTINGS', status: 200 } as const
const changing = { ...common, scopes: ['portings:write'], permission: 'CAN_CREATE_PORTINGS' } as const

export const portingDocumentOperations = {
  listPortingDocuments: operation({
    ...reading,
    id: 'listPortingDocuments',
    method: 'GET',
    path: '/v1/portings/{portingId}/documents',
    summary: 'What was handed in with a porting',
    reply: Items(PortingDocument),
    errors: ['porting_not_found'],
  }),
  addPortingDocument: operation({
    ...changing,
    id: 'addPortingDocument',
    heavy: true,
    method: 'POST',
    path: '/v1/portings/{portingId}/documents',
    summary: 'Hand in a PDF, such as the signed form or the last invoice: at most five of 5 MB each',
    body: Input({ name: RequiredText(200), base64Content: Type.String({ minLength: 1, maxLength: 7_000_000 }) }),
    bodyLimit: 7_100_000,
    status: 201,
    reply: PortingDocument,
    errors: ['porting_not_found', 'conflict'],
  }),
  getPortingDocument: operation({
    ...reading,
    id: 'getPortingDocument',
    method: 'GET',
    path: '/v1/portings/{portingId}/documents/{documentId}',
    summary: 'One of them',
    file: 'application/pdf',
    errors: ['porting_not_found', 'document_not_found'],
  }),
  deletePortingDocument: operation({
    ...changing,
    id: 'deletePortingDocument',
    method: 'DELETE',
    path: '/v1/portings/{portingId}/documents/{documentId}',
    summary: 'Take one back',
    status: 204,
    errors: ['porting_not_found', 'document_not_found'],
  }),
}
