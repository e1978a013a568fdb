import { operation } from '../operation.ts'
import { Input, RequiredText, Text } from '../values.ts'

export const passwordResetOperations = {
  requestPasswordReset: operation({
    id: 'requestPasswordReset',
    method: 'POST',
    path: '/v1/passwordreset',
    summary: 'Ask for a mail with a link to choose a new password; the answer is the same whether the user exists or not',
    auth: 'public',
    bearer: false,
    body: Input({ username: RequiredText(254) }),
    status: 204,
    errors: ['rate_limited'],
  }),
  resetPassword: operation({
    id: 'resetPassword',
    method: 'POST',
    path: '/v1/passwordreset/{nonce}',
    summary: 'Choose a new password; everything the user was logged in to is logged out',
    auth: 'public',
    bearer: false,
    body: Input({ password: Text(1024), passwordRepeat: Text(1024) }),
    status: 204,
    errors: ['reset_nonce_unknown'],
  }),
}
