import { queryClient } from '#api/query-client.ts'
import { tokenOf } from '#api/session.ts'
import { readOf } from '#api/use-service.ts'
import { pages } from '#pages/pages.ts'

/**
 * Asks for what the first page will want, all of it at once: drawn one after the other, each part would ask only after the one around it has
 * its answer. What fails here is asked for again, and said, where it is needed.
 */
export const fetchAhead = (): void => {
  const path = location.pathname.slice('/console'.length)
  const page = pages.find((one) => fits(one.path, path))
  if (page === undefined || tokenOf(page.role) === undefined) return
  page.load().catch(() => undefined)
  if (page.role === 'operator') return
  void queryClient.prefetchQuery(readOf('listRestrictions'))
  const me = queryClient.fetchQuery(readOf('getUserInfo')).then(({ sub }) => queryClient.prefetchQuery(readOf('getUser', { userId: sub })))
  me.catch(() => undefined)
}

/** `/flows/:flowId` and `/flows/17`. */
const fits = (pattern: string, path: string): boolean => {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
}
