import type { operatorAddressOperations } from '@offhook/contract/operator/addresses.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { readAddress } from '#core/account/addresses/address-input.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toAddressElement } from '../handler/address-element.ts'

export const operatorAddressHandlers = ({
  store,
  clock,
}: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof operatorAddressOperations> => ({
  listAccountAddresses: async ({ query }) => {
    await requireAccount(store.read, query.accountId)
    return { items: (await store.read.addresses.list(query.accountId)).map(toAddressElement) }
  },

  createAddress: async ({ caller, body }) => {
    const { accountId, ...input } = body
    const note = (target: string) => ({ chain: accountId, action: 'address.create', target })
    const id = await auditedWrite(store, clock, caller, note, async (tables) => {
      await requireAccount(tables, accountId)
      return String(await tables.addresses.insert(accountId, readAddress(input), clock.now()))
    })
    return { id }
  },
})

const requireAccount = async (tables: Tables, accountId: string): Promise<void> => {
  if (!(await tables.accounts.find(accountId))) throw new Problem('account_not_found')
}
