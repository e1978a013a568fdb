import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { authorizationOf, refusal, type ClientOptions } from './client-of.ts'
import { followEvents } from './event-stream.ts'

export interface WatchOptions extends ClientOptions {
  /** One call, from its beginning; default: all calls of the account from now on. */
  callId?: string | undefined
  flowId?: string | undefined
  signal: AbortSignal
  onState?: (state: 'live' | 'broken') => void
}

/** Timeline entries of calls in real time; reconnects where the connection broke. Throws ApiError if rejected. */
export async function* watchTimeline(options: WatchOptions): AsyncGenerator<TimelineEntry> {
  const { signal, onState } = options
  const open = (lastId: string): Promise<Response> => openTimeline(options, lastId)
  for await (const { data } of followEvents({ open, signal, onState })) yield JSON.parse(data) as TimelineEntry
}

const openTimeline = async (options: WatchOptions, lastId: string): Promise<Response> => {
  const { baseUrl, token, fetch: send = fetch, callId, flowId, signal } = options
  const query = new URLSearchParams()
  if (callId !== undefined) query.set('callId', callId)
  if (flowId !== undefined) query.set('flowId', flowId)
  const reply = await send(`${baseUrl.replace(/\/+$/, '')}/v2/timeline?${query.toString()}`, {
    headers: {
      accept: 'text/event-stream',
      ...(token !== undefined && { authorization: authorizationOf(token) }),
      ...(lastId !== '' && { 'last-event-id': lastId }),
    },
    signal,
  })
  if (!reply.ok && reply.status < 500 && reply.status !== 429) throw await refusal(reply)
  return reply.ok ? reply : new Response(null)
}
