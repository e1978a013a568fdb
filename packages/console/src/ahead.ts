import type { Ahead } from './api/replies-ahead.ts'

/**
 * Asks who is there while the script that everything waits for is still on its way; `api/replies-ahead.ts` hands the answers over. It is a file of its own
 * that imports nothing: a kilobyte is there long before the rest.
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

/** The operator is somebody else, and links of mails are for everybody. */
const isForUser = !/^\/console\/(?:operator|invitation|email)(?:\/|$)/.test(location.pathname)
const token = kept('token.user')
if (isForUser && token !== undefined) globalThis.offhookAhead = ask(token)
