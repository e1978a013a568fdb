import { Problem } from '@offhook/contract/problem.ts'
import type { loginSessionOperations } from '@offhook/contract/v1/authorization/sessions.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'

export const loginSessionHandlers = ({
  store,
  clock,
  authenticator,
}: Pick<HandlerDeps, 'store' | 'clock' | 'authenticator'>): Handlers<typeof loginSessionOperations> => ({
  listLoginSessions: async ({ caller: { accountId, userId, tokenId } }) => {
    const sessions = await store.read.tokens.listSessions(accountId, userId, clock.now())
    return {
      items: sessions.map(({ id, createdAt, lastSeenAt, program, place }) => ({
        id,
        createdAt: new Date(createdAt).toISOString(),
        lastSeenAt: new Date(lastSeenAt).toISOString(),
        program,
        place,
        current: id === tokenId,
      })),
    }
  },

  endLoginSession: async ({ caller, params: { sessionId } }) => {
    await store.write(async (tables) => {
      if (!(await tables.tokens.removeSession(caller.accountId, caller.userId, sessionId)))
        throw new Problem('not_found', 'You have no session with this id.')
      await auditByUser(tables, clock, caller, 'session.end', sessionId)
    })
    authenticator.forget()
  },

  endOtherLoginSessions: async ({ caller }) => {
    await store.write(async (tables) => {
      await tables.tokens.removeOtherSessions(caller.accountId, caller.userId, caller.tokenId)
      await auditByUser(tables, clock, caller, 'session.end_others', caller.userId)
    })
    authenticator.forget()
  },
})
