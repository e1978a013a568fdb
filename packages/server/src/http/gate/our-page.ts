import type { IncomingMessage } from 'node:http'
import { Problem } from '@offhook/contract/problem.ts'

const notOurPage = 'Pages of other sites cannot talk here. If this page is ours, behind a proxy, OFFHOOK_PUBLIC_URL must say its address.'

/** Rejects pages of other sites, which would act on behalf of the logged-in user. */
export const requireOurPage = (request: IncomingMessage, publicUrl: string): void => {
  if (!isOurPage(request, publicUrl)) throw new Problem('forbidden', notOurPage)
}

/** Browsers send the Origin of a page that opens a WebSocket; programs send none. */
const isOurPage = ({ headers: { origin, host } }: IncomingMessage, publicUrl: string): boolean => {
  if (origin === undefined) return true
  const page = URL.parse(origin)?.host
  return page !== undefined && (page === host || page === URL.parse(publicUrl)?.host)
}
