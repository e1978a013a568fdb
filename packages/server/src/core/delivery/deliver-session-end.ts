import { createHash } from 'node:crypto'
import { EndpointBusy, EndpointGone, type Endpoints, type OutgoingEvent } from '../ports/endpoint.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { Hopeless, NotYet, type Task } from '../work/worker.ts'

/** What stands in the outbox for a session_end. */
export interface SessionEndMessage {
  flowId: string
  event: OutgoingEvent
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Standard Webhooks: ten tries, the last one about three days after the first. */
export const sessionEndRetries: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** A customer whose endpoint takes long may hold up many of them, and must not hold up those of others. */
export const sessionEndsAtOnce = 256

/** When too many of the same account are under way: while the WebSocket of the session still waits for it. */
const busyMs = 5 * second

/** ±20 %, always the same for one event: an endpoint that comes back is not asked for everything at once. */
export const sessionEndSpread = (id: string): number => 0.8 + (0.4 * createHash('sha256').update(id).digest().readUInt16BE()) / 0xffff

/** In the same transaction as the end of the session. The event's id is the message's. */
export const queueSessionEnd = (tables: Tables, { flowId, event }: SessionEndMessage, at: number): Promise<void> =>
  tables.outbox.put({ id: event.id, accountId: event.accountId, kind: 'session_end', payload: { flowId, event }, at })

/** The outbox task `session_end`. The body is the same in every try, because it is made from the same text each time. */
export const deliverSessionEnd =
  ({ store, endpoints }: { store: Store; endpoints: Endpoints }): Task =>
  async (payload, { attempts }) => {
    const { flowId, event } = payload as SessionEndMessage
    const flow = await store.read.flows.find(event.accountId, flowId)
    if (!flow) throw new Hopeless('the flow is not there any more')
    try {
      await endpoints.deliver(flow, event, { attempt: attempts, last: attempts > sessionEndRetries.length })
    } catch (error) {
      if (error instanceof EndpointBusy) throw new NotYet(error.message, busyMs)
      throw error instanceof EndpointGone ? new Hopeless(error.message) : error
    }
  }
