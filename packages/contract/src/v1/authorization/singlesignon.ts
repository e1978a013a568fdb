import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { scopes } from '../../scopes.ts'
import { LoginReply } from '../../second-factor.ts'
import { Email, Input, Output, RequiredText } from '../../values.ts'

/** Steps of a login through an identity provider, for the page where it begins and ends. */
export const singleSignOnLoginOperations = {
  findSingleSignOn: operation({
    id: 'findSingleSignOn',
    method: 'POST',
    path: '/v1/authorization/singlesignon',
    summary: 'Where a person with this e-mail address logs in, by its domain',
    auth: 'public',
    bearer: false,
    body: Input({ email: Email }),
    status: 200,
    reply: Output({ url: Type.Optional(Type.String({ description: 'Open it in the browser; absent if no provider has the domain' })) }),
  }),
  createSingleSignOnToken: operation({
    id: 'createSingleSignOnToken',
    method: 'POST',
    path: '/v1/authorization/singlesignon/token',
    summary: 'Exchange the ticket of a login for a token, once, within a minute and in the same browser',
    auth: 'public',
    bearer: false,
    body: Input({ ticket: RequiredText(4000) }),
    status: 200,
    reply: Output({ ...LoginReply.properties, email: Type.String() }),
    errors: ['sign_on_ticket_invalid', 'single_sign_on_failed', 'second_factor_missing'],
  }),
  endSingleSignOn: operation({
    id: 'endSingleSignOn',
    method: 'POST',
    path: '/v1/authorization/singlesignon/logout',
    summary: 'Revoke the token of this login, and say where the browser logs out of the provider',
    auth: 'user',
    bearer: true,
    scopes,
    beforeSecondFactor: true,
    status: 200,
    reply: Output({ url: Type.Optional(Type.String({ description: 'Absent if the login did not come from a provider with a logout' })) }),
  }),
}
