import { clientOf } from '@offhook/sdk/client-of.ts'
import { routes } from 'virtual:routes'
import { replyAhead } from './replies-ahead.ts'
import { suspendSession, tokenOf, type Role } from './session.ts'

export { ApiError, type Client } from '@offhook/sdk/client-of.ts'

const roleFor = (path: string): Role => (path.startsWith('/operator/') ? 'operator' : 'user')

/** Sends the token of the role that the path belongs to; a rejected token suspends the session. */
export const fetchAsRole = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const role = roleFor(path)
  const token = tokenOf(role)
  const headers = new Headers(init.headers)
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  const reply = (await replyAhead(path, init.method, token)) ?? (await fetch(path, { ...init, headers }))
  if (reply.status === 401 && token !== undefined && token === tokenOf(role)) suspendSession(role)
  return reply
}

/** One method per operation of the service. */
export const api = clientOf({ baseUrl: '', fetch: (input, init) => fetchAsRole(input as string, init) }, routes)
