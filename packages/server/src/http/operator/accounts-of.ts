import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

/** Accounts of a list, each looked up once. */
export const accountsOf = async (store: Store, list: readonly { accountId: string }[]): Promise<Map<string, Account | undefined>> => {
  const accounts = new Map<string, Account | undefined>()
  for (const accountId of new Set(list.map((one) => one.accountId))) accounts.set(accountId, await store.read.accounts.find(accountId))
  return accounts
}
