import { queryClient } from '#api/query-client.ts'
import { idOf, rememberId, tokenOf } from '#api/session.ts'
import { readOf } from '#api/use-service.ts'
import { pages } from '#pages/pages.ts'
import type { PageEntry } from '#parts/page/page-entry.ts'
import { loadPage } from './routes.tsx'

/**
 * Prefetches the reads of the first page concurrently: rendered one after the other, each part would request only after its parent has its
 * reply. Failures are retried, and reported, where the data is needed.
 */
export const fetchAhead = (): void => {
  const path = location.pathname.slice('/console'.length)
  const page = pages.find((one) => fits(one.path, path))
  if (page === undefined || tokenOf(page.role) === undefined) return
  // Before the page: its many files would occupy the few connections, and nothing is rendered before the user is known.
  if (page.role === 'user') fetchPerson().catch(() => undefined)
  loadPage(page).catch(() => undefined)
  fetchReads(page, path).catch(() => undefined)
}

/** Only permitted reads. */
const fetchReads = async ({ path: pattern, role, needs, reads }: PageEntry, path: string): Promise<void> => {
  if (reads === undefined) return
  const { items } = role === 'user' ? await queryClient.fetchQuery(readOf('listRestrictions')) : { items: [] }
  const allowed = new Set(items.flatMap(({ restriction, value }) => (value ? [restriction] : [])))
  if (needs !== undefined && !needs.some((needed) => allowed.has(needed))) return
  for (const [id, target] of reads(paramsOf(pattern, path))) void queryClient.prefetchQuery(readOf(id, target))
}

/** The user id is remembered from the last visit, so that it need not be requested first. */
const fetchPerson = async (): Promise<void> => {
  const userId = idOf('user')
  void queryClient.prefetchQuery(readOf('listRestrictions'))
  if (userId !== undefined) void queryClient.prefetchQuery(readOf('getUser', { userId }))
  const { sub } = await queryClient.fetchQuery(readOf('getUserInfo'))
  rememberId('user', sub)
  if (sub !== userId) await queryClient.prefetchQuery(readOf('getUser', { userId: sub }))
}

/** `/flows/:flowId` and `/flows/17` → flowId is 17. */
const paramsOf = (pattern: string, path: string): Record<string, string> => {
  const given = path.split('/').map(decodeURIComponent)
  return Object.fromEntries(
    pattern.split('/').flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), given[index] ?? '']] : [])),
  )
}

/** `/flows/:flowId` and `/flows/17`. */
const fits = (pattern: string, path: string): boolean => {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
}
