import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { OutputOf } from '../../api/use-service.ts'

export type Account = OutputOf<'listAccounts'>['items'][number]

const pageSize = 100
/** More are not fetched at once; whoever has more finds one by its number. */
const mostPages = 20

/** All accounts, under the name of the operation that lists them, so that what changes one refreshes them. */
export const useAccounts = (): UseQueryResult<Account[]> => useQuery({ queryKey: ['listAccounts', 'all'], queryFn: readAll })

const readAll = async (): Promise<Account[]> => {
  const accounts: Account[] = []
  for (let page = 0; page < mostPages; page++) {
    const after = accounts.at(-1)?.id
    const { items } = await api.listAccounts({ limit: pageSize, ...(after !== undefined && { after }) })
    accounts.push(...items)
    if (items.length < pageSize) break
  }
  return accounts
}
