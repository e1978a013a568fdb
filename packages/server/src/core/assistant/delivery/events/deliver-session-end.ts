import { withAssistant } from '#core/account/assistants/assistant-flow.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/session.ts'
import { EndpointBusy, EndpointGone, type Endpoints, type OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { PermanentError, DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { accountBusyMs, customerRetries } from '#core/kernel/webhook/retry-schedule.ts'

/** Outbox payload of a session_end. */
export interface SessionEndMessage {
  flowId: string
  event: OutgoingEvent
  /** Assistant that had the session, if it was not an endpoint. */
  assistant?: AssistantChoice | undefined
}

/** Runs in the transaction that ends the session. The message has the event's id. */
export const queueSessionEnd = (tables: Tables, { flowId, event, assistant }: SessionEndMessage, at: number): Promise<void> =>
  tables.outbox.put({ id: event.id, accountId: event.accountId, kind: 'session_end', payload: { flowId, event, assistant }, at })

/** Outbox task `session_end`. The body is identical in every attempt, because it is built from the same text. */
export const deliverSessionEnd =
  ({ store, endpoints }: { store: Store; endpoints: Endpoints }): Task =>
  async (payload, { attempts }) => {
    const { flowId, event, assistant } = payload as SessionEndMessage
    const flow = await store.read.flows.find(event.accountId, flowId)
    if (!flow) throw new PermanentError('the flow is not there any more')
    try {
      await endpoints.deliver(withAssistant(flow, event.accountId, assistant), event, {
        attempt: attempts,
        last: attempts > customerRetries.length,
      })
    } catch (error) {
      // Also if the session's WebSocket still waits for it.
      if (error instanceof EndpointBusy) throw new DeferredError(error.message, accountBusyMs)
      throw error instanceof EndpointGone ? new PermanentError(error.message) : error
    }
  }
