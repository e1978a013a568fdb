import type { Store } from '#core/kernel/ports/store/index.ts'

/** Language of announcements to callers of this account: `de`, `en`. */
export const languageOf = async ({ store }: { store: Store }, accountId: string): Promise<string> => {
  const account = await store.read.accounts.find(accountId)
  return account?.locale.slice(0, 2) ?? 'en'
}
