import type { operatorOutboxOperations } from '@offhook/contract/operator/outbox.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorOutboxHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof operatorOutboxOperations> => ({
  listDeadLetters: async ({ query: { limit = 100, offset = 0 } }) => {
    const letters = await store.read.outbox.listDead(limit, offset)
    return {
      items: letters.map(({ accountId, createdAt, ...letter }) => ({
        ...letter,
        ...(accountId !== undefined && { accountId }),
        createdAt: new Date(createdAt).toISOString(),
      })),
    }
  },

  reviveDeadLetter: async ({ caller, params }) => {
    const note = { chain: 'operator', action: 'outbox.revive', target: params.messageId }
    await auditedWrite(store, clock, caller, note, async ({ outbox }) => {
      if (!(await outbox.revive(params.messageId, clock.now()))) throw new Problem('dead_letter_not_found')
    })
    wake()
  },
})
