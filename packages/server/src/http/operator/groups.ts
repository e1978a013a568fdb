import type { operatorGroupOperations } from '@offhook/contract/operator/groups.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { groupOf } from '#core/account/lines/find-line.ts'
import { changeGroup, createGroup, deleteGroup, groupSettings } from '#core/account/lines/group.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorGroupHandlers = ({
  store,
  clock,
  cleanups,
}: Pick<HandlerDeps, 'store' | 'clock' | 'cleanups'>): Handlers<typeof operatorGroupOperations> => ({
  listAccountGroups: async ({ query: { accountId } }) => {
    if (!(await store.read.accounts.find(accountId))) throw new Problem('account_not_found')
    const groups = await store.read.groups.list(accountId)
    return { items: await Promise.all(groups.map((group) => groupSettings(store.read, accountId, group))) }
  },

  createAccountGroup: async ({ caller, body: { accountId, ...input } }) => {
    const note = (id: string) => ({ chain: accountId, action: 'group.create', target: id, detail: input })
    const id = await auditedWrite(store, clock, caller, note, async (tables) => {
      if (!(await tables.accounts.find(accountId))) throw new Problem('account_not_found')
      return createGroup(tables, clock, accountId, input)
    })
    return groupSettings(store.read, accountId, await groupOf(store.read, accountId, id))
  },

  readAccountGroup: async ({ params: { accountId, groupId } }) =>
    groupSettings(store.read, accountId, await groupOf(store.read, accountId, groupId)),

  changeAccountGroup: ({ caller, params: { accountId, groupId }, body }) => {
    const note = { chain: accountId, action: 'group.change', target: groupId, detail: body }
    return auditedWrite(store, clock, caller, note, (tables) => changeGroup(tables, { clock, cleanups }, accountId, groupId, body))
  },

  deleteAccountGroup: ({ caller, params: { accountId, groupId } }) => {
    const note = { chain: accountId, action: 'group.delete', target: groupId }
    return auditedWrite(store, clock, caller, note, (tables) => deleteGroup(tables, { clock, cleanups }, accountId, groupId))
  },
})
