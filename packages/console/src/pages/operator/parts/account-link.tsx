import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import type { OutputOf } from '#api/use-service.ts'

/** The account's name as a link. */
export const AccountLink = ({ accountId }: { accountId: string }) => (
  <Anchor component={Link} href={`/operator/accounts/${accountId}`} size="sm">
    {useCompany(accountId) ?? accountId}
  </Anchor>
)

export type Account = OutputOf<'listAccounts'>['items'][number]

const maxIds = 100
const nameTtlMs = 60_000

/**
 * The first accounts with a matching name or number. All reads here use the operation as cache key, so that account changes refresh them.
 */
export const useAccountSearch = (search: string, limit: number): UseQueryResult<Account[]> =>
  useQuery({
    queryKey: ['listAccounts', 'search', search, limit],
    queryFn: async () => (await api.listAccounts({ search, limit })).items,
    placeholderData: keepPreviousData,
  })

/** Undefined while unknown, or if the account was closed. */
export const useCompany = (accountId: string): string | undefined =>
  useQuery({
    queryKey: ['listAccounts', 'company', accountId],
    queryFn: async () => (await companyOf(accountId)) ?? null,
    enabled: accountId !== '',
    staleTime: nameTtlMs,
  }).data ?? undefined

type Answer = PromiseWithResolvers<string | undefined>

let asked = new Map<string, Answer>()

/** Batches requests: a table renders many names together. */
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
