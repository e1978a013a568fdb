import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

/** The accounts that a list is about: each is looked up once, however often it is there. */
export const accountsOf = async (store: Store, list: readonly { accountId: string }[]): Promise<Map<string, Account | undefined>> => {
  const accounts = new Map<string, Account | undefined>()
  for (const accountId of new Set(list.map((one) => one.accountId))) accounts.set(accountId, await store.read.accounts.find(accountId))
  return accounts
}
