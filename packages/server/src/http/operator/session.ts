import type { operatorSessionOperations } from '@offhook/contract/operator/session.ts'
import { auditedWrite } from '../../core/audit/audited-write.ts'
import { credentialHash } from '../../core/identity/authenticate.ts'
import { verifyOperator } from '../../core/identity/log-in.ts'
import { issueToken, lifetimes } from '../../core/identity/tokens.ts'
import type { Handlers } from '../context.ts'
import { markCookie, marksIn } from '../known-browsers.ts'
import type { Parts } from '../parts.ts'

export const operatorSessionHandlers = (parts: Parts): Handlers<typeof operatorSessionOperations> => ({
  createOperatorSession: async ({ body, ip, cookie, setCookie }) => {
    const { id } = await verifyOperator(parts, { username: body.email, password: body.password, ip, marks: marksIn(cookie) })
    const token = await parts.store.write((tables) =>
      issueToken(tables, parts.clock, {
        kind: 'operator',
        holder: { operatorId: id },
        subject: `operator:${id}`,
        scopes: ['all'],
        lifetime: lifetimes.operator,
      }),
    )
    setCookie(markCookie(parts, cookie, body.email))
    return { token }
  },

  deleteOperatorSession: async ({ caller, authorization }) => {
    const note = { chain: 'operator', action: 'token.revoke', target: caller.tokenId }
    const hash = credentialHash(authorization) ?? ''
    await auditedWrite(parts.store, parts.clock, caller, note, (tables) => tables.tokens.removeByHash(hash))
    parts.authenticator.forget()
  },
})
