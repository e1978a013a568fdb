import type { operatorSandboxOperations } from '@offhook/contract/operator/sandbox.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { operatorActor } from '#core/kernel/audit/audited-write.ts'
import type { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const operatorSandboxHandlers = ({
  sandbox,
  clock,
}: Pick<HandlerParts, 'sandbox' | 'clock'>): Handlers<typeof operatorSandboxOperations> => ({
  getSandboxTime: async () => toReply(demand(sandbox)),

  putSandboxTimeForward: async ({ caller, body: { seconds } }) => {
    const time = demand(sandbox)
    await time.putForward(seconds * 1000, ({ audit }) => {
      const entry = { at: clock.now(), actor: operatorActor(caller), action: 'sandbox.forward', target: 'time', detail: { seconds } }
      return audit.append('operator', entry)
    })
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
