import { withAssistant } from '#core/account/assistants/assistant-flow.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/assistant/assistant-choice.ts'
import { EndpointBusy, EndpointGone, type Endpoints, type OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { PermanentError, DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { accountBusyMs, customerRetries } from '#core/kernel/webhook/retry-schedule.ts'

/** What stands in the outbox for a session_end. */
export interface SessionEndMessage {
  flowId: string
  event: OutgoingEvent
  /** Which assistant had the session, unless it was an endpoint. */
  assistant?: AssistantChoice | undefined
}

/** In the same transaction as the end of the session. The event's id is the message's. */
export const queueSessionEnd = (tables: Tables, { flowId, event, assistant }: SessionEndMessage, at: number): Promise<void> =>
  tables.outbox.put({ id: event.id, accountId: event.accountId, kind: 'session_end', payload: { flowId, event, assistant }, at })

/** The outbox task `session_end`. The body is the same in every try, because it is made from the same text each time. */
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
      // While the WebSocket of the session still waits for it, too.
      if (error instanceof EndpointBusy) throw new DeferredError(error.message, accountBusyMs)
      throw error instanceof EndpointGone ? new PermanentError(error.message) : error
    }
  }
