import type { operatorJobOperations } from '@offhook/contract/operator/jobs.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorJobHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof operatorJobOperations> => ({
  listParkedJobs: async ({ query: { limit = 100, offset = 0 } }) => ({
    items: (await store.read.jobs.listParked(limit, offset)).map(({ parkedAt, ...job }) => ({
      ...job,
      parkedAt: new Date(parkedAt).toISOString(),
    })),
  }),

  reviveParkedJob: async ({ caller, params }) => {
    const note = { chain: 'operator', action: 'jobs.revive', target: params.jobId }
    await auditedWrite(store, clock, caller, note, async ({ jobs }) => {
      if (!(await jobs.revive(params.jobId, clock.now()))) throw new Problem('not_found')
    })
    wake()
  },
})
