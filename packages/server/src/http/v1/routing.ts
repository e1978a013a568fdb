import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { routingOperations, RoutingRules } from '@offhook/contract/v1/routing.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand, requireInScope } from '#core/account/identity/caller/permissions.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { setRouting } from '#core/account/schedules/set-routing.ts'
import { targetOf, type Target } from '#core/account/schedules/targets.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

/** The permission on the target itself also covers its rules. */
const seeing: Record<Target['kind'], Restriction> = {
  line: 'CAN_GET_PHONELINES',
  group: 'CAN_GET_GROUPS',
  number: 'CAN_GET_NUMBERS',
  flow: 'CAN_GET_FLOWS',
}
const changing: Record<Target['kind'], Restriction> = {
  line: 'CAN_CHANGE_PHONELINES',
  group: 'CAN_CHANGE_GROUPS',
  number: 'CAN_CHANGE_NUMBERS',
  flow: 'CAN_CHANGE_FLOWS',
}

export const routingHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof routingOperations> => {
  const change = async (caller: UserCaller, id: string, rules: RoutingRules): Promise<void> => {
    const target = await targetOf(store.read, caller.accountId, id)
    await requireTarget(store, changing[target.kind], caller, target)
    await store.write((tables) => setRouting(tables, clock, caller, target.id, rules))
  }
  return {
    getRouting: async ({ caller, params }) => {
      const target = await targetOf(store.read, caller.accountId, params.target)
      await requireTarget(store, seeing[target.kind], caller, target)
      return (await store.read.routingRules.find(caller.accountId, target.id)) ?? { rules: [], overflow: [] }
    },

    setRouting: ({ caller, params, body }) => change(caller, params.target, body),

    deleteRouting: ({ caller, params }) => change(caller, params.target, { rules: [], overflow: [] }),
  }
}

const requireTarget = async (store: Store, permission: Restriction, caller: UserCaller, { kind, id, owner }: Target): Promise<void> => {
  requireInScope(caller, permission, { ...(kind === 'group' && { groupId: id }), ...(kind === 'flow' && { aiFlowId: id }) })
  await demand(store, permission, caller, owner ?? 'nobody')
}
