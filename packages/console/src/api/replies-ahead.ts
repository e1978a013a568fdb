/** Requests made before the client was loaded. */
export interface Ahead {
  /** Token of the requests. */
  token: string
  /** By path; undefined if the request failed. */
  replies: Map<string, Promise<Response | undefined>>
}

declare global {
  var offhookAhead: Ahead | undefined
}

/** Takes a prefetched reply, once, and only for the same token; undefined if it must be requested now. */
export const replyAhead = async (path: string, method: string | undefined, token: string | undefined): Promise<Response | undefined> => {
  const { offhookAhead: ahead } = globalThis
  if (ahead === undefined || ahead.token !== token || (method ?? 'GET') !== 'GET') return undefined
  const reply = ahead.replies.get(path)
  ahead.replies.delete(path)
  return reply
}
