import { Type } from 'typebox'
import { Input } from '../values.ts'

const signed = Type.Optional(Type.String({ maxLength: 100, description: 'Part of addresses that the history gives' }))

/** For what is fetched with a token, or at an address that the history gives. */
export const byTokenOrAddress = {
  method: 'GET',
  auth: 'user',
  bearer: true,
  scopes: ['history:read'],
  permission: 'CAN_GET_HISTORY',
  signedAddress: true,
  query: Input({ account: signed, user: signed, expires: signed, signature: signed }),
  status: 200,
} as const
