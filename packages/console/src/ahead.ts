import type { Ahead } from './api/replies-ahead.ts'

/**
 * Requests the current user while the main script is still loading; `api/replies-ahead.ts` hands over the replies. A separate file without
 * imports: a kilobyte arrives long before the rest.
 */
const kept = (name: string): string | undefined => {
  try {
    return sessionStorage.getItem(`offhook.${name}`) ?? localStorage.getItem(`offhook.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

const ask = (token: string): Ahead => {
  const id = kept('id.user')
  const paths = ['/v1/restrictions', '/v1/authorization/userinfo', ...(id === undefined ? [] : [`/v1/users/${encodeURIComponent(id)}`])]
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const reply = (path: string): Promise<Response | undefined> => fetch(path, { headers }).catch(() => undefined)
  return { token, replies: new Map(paths.map((path) => [path, reply(path)])) }
}

/** The operator has another session, and links in mails are for everybody. */
const isForUser = !/^\/console\/(?:operator|invitation|email)(?:\/|$)/.test(location.pathname)
const token = kept('token.user')
if (isForUser && token !== undefined) globalThis.offhookAhead = ask(token)
