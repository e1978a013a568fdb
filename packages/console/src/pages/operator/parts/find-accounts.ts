import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import type { OutputOf } from '#api/use-service.ts'

export type Account = OutputOf<'listAccounts'>['items'][number]

const maxIds = 100
const nameTtlMs = 60_000

/** The first of those whose name or number fits. All that is read here is known by the operation, so that what changes an account refreshes it. */
export const useAccountSearch = (search: string, limit: number): UseQueryResult<Account[]> =>
  useQuery({
    queryKey: ['listAccounts', 'search', search, limit],
    queryFn: async () => (await api.listAccounts({ search, limit })).items,
    placeholderData: keepPreviousData,
  })

/** Undefined while it is not known, or when the account was closed. */
export const useCompany = (accountId: string): string | undefined =>
  useQuery({
    queryKey: ['listAccounts', 'company', accountId],
    queryFn: async () => (await companyOf(accountId)) ?? null,
    enabled: accountId !== '',
    staleTime: nameTtlMs,
  }).data ?? undefined

type Answer = PromiseWithResolvers<string | undefined>

let asked = new Map<string, Answer>()

/** A table draws many names at once: they are asked for together. */
const companyOf = (accountId: string): Promise<string | undefined> => {
  if (asked.size === 0) setTimeout(ask, 0)
  const answer = asked.get(accountId) ?? Promise.withResolvers<string | undefined>()
  asked.set(accountId, answer)
  if (asked.size === maxIds) ask()
  return answer.promise
}

const ask = (): void => {
  const answers = asked
  asked = new Map()
  if (answers.size === 0) return
  const settle = ({ items }: OutputOf<'listAccounts'>): void => {
    for (const { id, company } of items) answers.get(id)?.resolve(company)
    for (const { resolve } of answers.values()) resolve(undefined)
  }
  const fail = (error: unknown): void => {
    for (const { reject } of answers.values()) reject(error)
  }
  api.listAccounts({ ids: [...answers.keys()].join(',') }).then(settle, fail)
}
