import type { operatorCallOperations } from '@offhook/contract/operator/calls.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { FoundCall } from '#core/kernel/ports/store/call.ts'
import { readCallWithoutWords, searchCalls } from '#core/telephone/timeline/search-calls.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { accountsOf } from './accounts-of.ts'

/** Call data is private to customers: every access of the operator is in the audit log, of the account if one was named. */
export const operatorCallHandlers = ({
  store,
  clock,
  timelines,
}: Pick<HandlerDeps, 'store' | 'clock' | 'timelines'>): Handlers<typeof operatorCallOperations> => ({
  searchCalls: async ({ caller, query: { search, from, before, limit = 50, offset = 0, ...which } }) => {
    await timelines.flush()
    const { items, readTo } = await searchCalls(store, {
      ...which,
      written: search,
      before: before === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(before),
      ...(from !== undefined && { from: Date.parse(from) }),
      limit: offset + limit,
    })
    await auditedWrite(store, clock, caller, { chain: which.accountId ?? 'operator', action: 'call.search', target: 'calls' }, noChange)
    const accounts = await accountsOf(store, items)
    return {
      items: items.slice(offset).map((call) => toElement(call, accounts)),
      ...(readTo !== undefined && { readTo: new Date(readTo).toISOString() }),
    }
  },

  readCall: async ({ caller, params: { accountId, callId } }) => {
    await timelines.flush()
    const { call, entries } = await readCallWithoutWords(store, accountId, callId)
    await auditedWrite(store, clock, caller, { chain: accountId, action: 'call.read', target: callId }, noChange)
    return { ...toElement(call, await accountsOf(store, [call])), entries }
  },
})

const noChange = (): Promise<void> => Promise.resolve()

const toElement = (call: FoundCall, accounts: ReadonlyMap<string, Account | undefined>) => ({
  callId: call.callId,
  accountId: call.accountId,
  company: accounts.get(call.accountId)?.company ?? '',
  ...(call.flowId !== undefined && { aiFlowId: call.flowId }),
  ...(call.from !== undefined && { from: call.from }),
  ...(call.to !== undefined && { to: call.to }),
  startedAt: new Date(call.startedAt).toISOString(),
  ...(call.endedAt !== undefined && { endedAt: new Date(call.endedAt).toISOString() }),
  ...(call.reason !== undefined && { reason: call.reason }),
  ...(call.trunkId !== undefined && { trunkId: call.trunkId }),
})
