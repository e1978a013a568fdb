import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Output } from '../values.ts'

export const emailChangeOperations = {
  confirmEmail: operation({
    id: 'confirmEmail',
    method: 'POST',
    path: '/v1/emailchange/{nonce}',
    summary: 'Confirm a new e-mail address by the link that was sent there; from now on the user logs in with it',
    auth: 'public',
    bearer: false,
    status: 200,
    reply: Output({ email: Type.String() }),
    errors: ['email_link_invalid', 'email_taken'],
  }),
}
