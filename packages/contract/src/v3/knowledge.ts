import { Type, type Static } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

const common = { auth: 'user', bearer: true, scopes: ['all'] } as const
const reading = { ...common, permission: 'CAN_GET_FLOWS', status: 200 } as const
const changing = { ...common, permission: 'CAN_CHANGE_FLOWS' } as const

/** Result of a knowledge query. */
export const Passage = Output({
  documentId: Type.String(),
  document: Type.String({ description: 'Its name' }),
  heading: Type.Optional(Type.String()),
  page: Type.Optional(Type.Integer()),
  text: Type.String(),
  score: Type.Number({ description: 'The higher, the better it fits; to be compared within one answer only' }),
})
export type Passage = Static<typeof Passage>

export const documentStates = ['PENDING', 'READY', 'FAILED'] as const
export const documentKinds = ['text', 'markdown', 'html', 'pdf'] as const

const Document = Output({
  id: Type.String(),
  name: Type.String(),
  kind: OneOf(documentKinds),
  url: Type.Optional(Type.String({ description: 'Where it was read' })),
  state: OneOf(documentStates),
  problem: Type.Optional(Type.String({ description: 'Why it cannot be used, or not as well as it should' })),
  bytes: Type.Integer(),
  passages: Type.Integer(),
  addedAt: Timestamp,
})

export const knowledgeOperations = {
  listKnowledge: operation({
    id: 'listKnowledge',
    heavy: true,
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/knowledge',
    summary: 'What the assistant of a flow can look up, the newest first',
    ...reading,
    reply: Items(Document),
    errors: ['flow_not_found'],
  }),
  addKnowledge: operation({
    id: 'addKnowledge',
    heavy: true,
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/knowledge',
    summary: 'Add a text, a Markdown file, a PDF or a web page: it is split and indexed in the background',
    ...changing,
    idempotent: true,
    bodyLimit: 28_500_000,
    body: Input({
      name: Type.Optional(RequiredText(200)),
      kind: Type.Optional(OneOf(documentKinds, { description: 'Default: by what it is' })),
      text: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000_000 })),
      base64: Type.Optional(Type.String({ minLength: 1, maxLength: 28_500_000, description: 'A file; at most 20 MB' })),
      url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'A page that is read once: http or https' })),
    }),
    status: 202,
    reply: Document,
    errors: ['flow_not_found', 'knowledge_full', 'body_too_large'],
  }),
  getKnowledge: operation({
    id: 'getKnowledge',
    method: 'GET',
    path: '/v3/ai-flows/{aiFlowId}/knowledge/{documentId}',
    summary: 'One document, with its passages',
    ...reading,
    reply: Output({
      ...Document.properties,
      text: Type.Array(Output({ heading: Type.Optional(Type.String()), page: Type.Optional(Type.Integer()), text: Type.String() })),
    }),
    errors: ['flow_not_found', 'document_not_found'],
  }),
  deleteKnowledge: operation({
    id: 'deleteKnowledge',
    method: 'DELETE',
    path: '/v3/ai-flows/{aiFlowId}/knowledge/{documentId}',
    summary: 'Forget a document',
    ...changing,
    status: 204,
    errors: ['flow_not_found', 'document_not_found'],
  }),
  searchKnowledge: operation({
    id: 'searchKnowledge',
    heavy: true,
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/knowledge/search',
    summary: 'Ask what the assistant would find',
    ...reading,
    body: Input({ query: RequiredText(1000), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 4 })) }),
    reply: Items(Passage),
    errors: ['flow_not_found'],
  }),
}
