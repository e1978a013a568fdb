import { queryClient } from '#api/query-client.ts'
import { idOf, rememberId, tokenOf } from '#api/session.ts'
import { readOf } from '#api/use-service.ts'
import { pages } from '#pages/pages.ts'
import type { PageEntry } from '#parts/page/page-entry.ts'
import { loadPage } from './lazy-page.tsx'

/**
 * Asks for what the first page will want, all of it at once: drawn one after the other, each part would ask only after the one around it has
 * its answer. What fails here is asked for again, and said, where it is needed.
 */
export const fetchAhead = (): void => {
  const path = location.pathname.slice('/console'.length)
  const page = pages.find((one) => fits(one.path, path))
  if (page === undefined || tokenOf(page.role) === undefined) return
  // Before the page: its many files would keep the few ways to the service busy, and nothing is drawn before it is known for whom.
  if (page.role === 'user') fetchPerson().catch(() => undefined)
  loadPage(page).catch(() => undefined)
  fetchReads(page, path).catch(() => undefined)
}

/** Not what would be refused. */
const fetchReads = async ({ path: pattern, role, needs, reads }: PageEntry, path: string): Promise<void> => {
  if (reads === undefined) return
  const { items } = role === 'user' ? await queryClient.fetchQuery(readOf('listRestrictions')) : { items: [] }
  const allowed = new Set(items.flatMap(({ restriction, value }) => (value ? [restriction] : [])))
  if (needs !== undefined && !needs.some((needed) => allowed.has(needed))) return
  for (const [id, target] of reads(paramsOf(pattern, path))) void queryClient.prefetchQuery(readOf(id, target))
}

/** Who it is is remembered from the visit before, so that it need not be asked first. */
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
