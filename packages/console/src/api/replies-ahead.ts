/** What was asked before the client was there. */
export interface Ahead {
  /** In whose name. */
  token: string
  /** By path; undefined when none came. */
  replies: Map<string, Promise<Response | undefined>>
}

declare global {
  var offhookAhead: Ahead | undefined
}

/** The reply that was asked for ahead, once, and only in the name of the same person; undefined when it has to be asked for now. */
export const replyAhead = async (path: string, method: string | undefined, token: string | undefined): Promise<Response | undefined> => {
  const { offhookAhead: ahead } = globalThis
  if (ahead === undefined || ahead.token !== token || (method ?? 'GET') !== 'GET') return undefined
  const reply = ahead.replies.get(path)
  ahead.replies.delete(path)
  return reply
}
