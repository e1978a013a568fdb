import type { operatorSandboxOperations } from '@offhook/contract/operator/sandbox.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { auditByOperator } from '#core/kernel/audit/audit.ts'

export const operatorSandboxHandlers = ({
  sandbox,
  clock,
}: Pick<HandlerDeps, 'sandbox' | 'clock'>): Handlers<typeof operatorSandboxOperations> => ({
  getSandboxTime: async () => toReply(demand(sandbox)),

  putSandboxTimeForward: async ({ caller, body: { seconds } }) => {
    const time = demand(sandbox)
    const note = { chain: 'operator', action: 'sandbox.forward', target: 'time', detail: { seconds } }
    await time.putForward(seconds * 1000, (tables) => auditByOperator(tables, clock, caller, note))
    return toReply(time)
  },
})

const demand = (sandbox: Sandbox | undefined): Sandbox => {
  if (!sandbox) throw new Problem('sandbox_off')
  return sandbox
}

const toReply = (sandbox: Sandbox) => {
  const { now, aheadMs } = sandbox.now()
  return { now: new Date(now).toISOString(), aheadSeconds: aheadMs / 1000 }
}
