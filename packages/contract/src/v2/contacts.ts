import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Nullable, OneOf, Output, RequiredText, Text } from '../values.ts'

const kinds = Type.Array(Text(50), { maxItems: 20, description: 'Not stored: empty in replies' })
const anything = Type.Array(Type.Unknown(), { maxItems: 20, description: 'Not stored: empty in replies' })
const scope = OneOf(['PRIVATE', 'SHARED'], { description: 'SHARED: seen by every user of the account' })

const ContactV2 = Output({
  id: Type.String(),
  name: Type.String(),
  picture: Nullable(Type.String({ description: 'Not stored: null in replies' })),
  emails: Type.Array(Output({ email: Type.String(), type: kinds })),
  numbers: Type.Array(Output({ number: Type.String(), type: kinds })),
  addresses: anything,
  organization: anything,
  scope,
})

const ContactV2Entry = Input({
  id: Type.Optional(Text(100)),
  name: RequiredText(200),
  family: Type.Optional(Text(200)),
  given: Type.Optional(Text(200)),
  picture: Type.Optional(Nullable(Type.String({ description: 'Not stored' }))),
  emails: Type.Optional(Type.Array(Input({ email: RequiredText(254), type: Type.Optional(kinds) }), { maxItems: 20 })),
  numbers: Type.Optional(Type.Array(Input({ number: RequiredText(40), type: Type.Optional(kinds) }), { maxItems: 20 })),
  addresses: Type.Optional(anything),
  organization: Type.Optional(anything),
  scope,
})

const changing = { auth: 'user', bearer: true, scopes: ['contacts:write'], permission: 'CAN_CHANGE_CONTACTS', deprecated: true } as const

/** For programs that were written for an older version: contacts with types and scopes. Today's are under /v1. */
export const contactV2Operations = {
  listContactsV2: operation({
    id: 'listContactsV2',
    deprecated: true,
    heavy: true,
    method: 'GET',
    path: '/v2/contacts',
    summary: 'The own contacts and those that others share, for older programs',
    auth: 'user',
    bearer: true,
    scopes: ['contacts:read'],
    permission: 'CAN_GET_CONTACTS',
    query: Input({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: '5,000 unless told' })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
      phonenumbers: Type.Optional(Type.Array(RequiredText(40), { maxItems: 100, description: 'Only contacts with one of these' })),
    }),
    status: 200,
    reply: Output({ items: Type.Array(ContactV2), totalCount: Type.Integer() }),
  }),
  createContactV2: operation({
    id: 'createContactV2',
    method: 'POST',
    path: '/v2/contacts',
    summary: 'Add a contact, for older programs',
    ...changing,
    body: ContactV2Entry,
    status: 201,
    reply: ContactV2,
    errors: ['contact_limit_reached'],
  }),
  changeContactV2: operation({
    id: 'changeContactV2',
    method: 'PUT',
    path: '/v2/contacts/{contactId}',
    summary: 'Replace a contact, for older programs',
    ...changing,
    body: ContactV2Entry,
    status: 204,
    errors: ['contact_not_found'],
  }),
  deleteContactV2: operation({
    id: 'deleteContactV2',
    method: 'DELETE',
    path: '/v2/contacts/{contactId}',
    summary: 'Delete a contact, for older programs',
    ...changing,
    status: 204,
    errors: ['contact_not_found'],
  }),
}
