import type { Exchange, Message, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'
import { hidden } from './concealment.ts'
import type { TimelineEvent } from './pieces.ts'

/** Maximum bytes kept of each body. */
const maxShown = 64 * 1024

/** Signatures are shown: they can be verified, but not forged from what is visible. */
const secretHeaders = new Set(['x-api-key', 'x-api-token', 'authorization', 'proxy-authorization', 'cookie', 'set-cookie'])

/** Timeline entry for one delivery attempt to an endpoint. Contains what the delivery log omits. */
export const attemptOf = (
  delivery: Delivery,
  exchange: Exchange | undefined,
  { concealed }: Pick<OutgoingEvent, 'concealed'>,
): TimelineEvent => {
  const kept = concealed ? withoutBody : shown
  const { eventId, attempt, channel, durationMs, state, error } = delivery
  const { url, request, response } = exchange ?? {}
  return {
    kind: 'attempt',
    eventId,
    attempt,
    channel,
    ...(url !== undefined && { url }),
    ...(request && { request: kept(request) }),
    ...(response && { response: { ...(response.status !== undefined && { status: response.status }), ...kept(response) } }),
    durationMs: Math.round(durationMs),
    state,
    ...(error !== undefined && { error }),
  }
}

/** Timeline entry for a WebSocket message of an endpoint, unmodified. */
export const messageOf = (eventId: string, message: Buffer): TimelineEvent => {
  const { headers: _none, ...body } = shown({ headers: {}, body: message })
  return { kind: 'message', eventId, ...body }
}

type Shown = NonNullable<TimelineEntryOf<'attempt'>['request']>

/** Message as shown to the account. */
export const shown = ({ headers, body }: Message): Shown => ({
  headers: masked(headers),
  body: typeof body === 'string' ? body.slice(0, maxShown) : body.subarray(0, maxShown).toString(),
  bodyBytes: Buffer.byteLength(body),
  ...(body.length > maxShown && { cut: true }),
})

const withoutBody = ({ headers, body }: Message): Shown => ({ headers: masked(headers), body: hidden, bodyBytes: Buffer.byteLength(body) })

const masked = (headers: Message['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretHeaders.has(name.toLowerCase()) ? '***' : value]))
