import type { IncomingMessage } from 'node:http'
import { Problem } from '@offhook/contract/problem.ts'

const notOurPage = 'Pages of other sites cannot talk here. If this page is ours, behind a proxy, OFFHOOK_PUBLIC_URL must say its address.'

/** Throws for pages of other sites, which would act in the name of whoever is logged in here. */
export const requireOurPage = (request: IncomingMessage, publicUrl: string): void => {
  if (!isOurPage(request, publicUrl)) throw new Problem('forbidden', notOurPage)
}

/** Browsers say which page it is that opens a WebSocket; programs are no page. */
const isOurPage = ({ headers: { origin, host } }: IncomingMessage, publicUrl: string): boolean => {
  if (origin === undefined) return true
  const page = URL.parse(origin)?.host
  return page !== undefined && (page === host || page === URL.parse(publicUrl)?.host)
}
