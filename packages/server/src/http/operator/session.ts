import type { operatorSessionOperations } from '@offhook/contract/operator/session.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { credentialHash } from '#core/account/identity/tokens/authenticate.ts'
import { verifyOperator } from '#core/account/identity/login/log-in.ts'
import { passkeySite } from '#core/account/identity/second-factor/passkey-site.ts'
import { personOfOperator } from '#core/account/identity/second-factor/challenge.ts'
import { proveSecondFactor } from '#core/account/identity/second-factor/prove.ts'
import { reachOf } from '#core/account/identity/login/session-tokens.ts'
import { issueToken, lifetimes, operatorSubject } from '#core/account/identity/tokens/tokens.ts'
import type { Handlers } from '../handler/context.ts'
import { markCookie, marksIn } from '../handler/known-browsers.ts'
import type { HandlerDeps, LoginDeps } from '../handler/handler-deps.ts'

export const operatorSessionHandlers = (
  deps: LoginDeps & Pick<HandlerDeps, 'authenticator'>,
): Handlers<typeof operatorSessionOperations> => ({
  createOperatorSession: async ({ body, ip, ownPage, cookie, setCookie }) => {
    const { email, password } = body
    const credentials = await verifyOperator(deps, { username: email, password, ip, marks: marksIn(cookie) })
    const person = await personOfOperator(deps.store.read, credentials, email)
    const site = passkeySite(ownPage ?? deps.installation.publicUrl())
    const standing = await proveSecondFactor(deps, person, body, { ip, site })
    const { id } = credentials
    const token = await deps.store.write((tables) =>
      issueToken(tables, deps.clock, {
        kind: 'operator',
        holder: { operatorId: id },
        subject: operatorSubject(id),
        ...reachOf(standing, lifetimes.operator),
      }),
    )
    setCookie(markCookie(deps, cookie, email))
    return { token, ...(standing === 'missing' && { secondFactorMissing: true as const }) }
  },

  deleteOperatorSession: async ({ caller, authorization }) => {
    const note = { chain: 'operator', action: 'token.revoke', target: caller.tokenId }
    const hash = credentialHash(authorization) ?? ''
    await auditedWrite(deps.store, deps.clock, caller, note, (tables) => tables.tokens.removeByHash(hash))
    deps.authenticator.forget()
  },
})
