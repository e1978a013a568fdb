import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import { startLoopbackServer } from '../http/loopback-server.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { timeoutMs, until } from '../machine/peer-process.ts'

export interface ReceivedEvent {
  /** performance.now() */
  at: number
  headers: IncomingHttpHeaders
  body: AssistantEvent
}

/** Typical customer's webhook. */
export interface AssistantEndpoint {
  readonly url: string
  /** Address for OFFHOOK_EGRESS_ALLOW. */
  readonly address: string
  readonly events: readonly ReceivedEvent[]
  ofType<T extends EventType>(type: T): (AssistantEvent & { type: T })[]
  /** Resolves when this many events of the type have arrived. */
  received<T extends EventType>(type: T, count?: number, ms?: number): Promise<(AssistantEvent & { type: T })[]>
}

/** Answers every event with the result of `reply`; undefined is 204. */
export const startAssistantEndpoint = async (
  t: Scope,
  reply: (event: AssistantEvent) => unknown = () => undefined,
): Promise<AssistantEndpoint> => {
  const events: ReceivedEvent[] = []
  const address = await startLoopbackServer(t, (request, response) => {
    const answer = async (): Promise<void> => {
      const body = JSON.parse(await text(request)) as AssistantEvent
      events.push({ at: performance.now(), headers: request.headers, body })
      const actions = await reply(body)
      if (actions === undefined) response.writeHead(204).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(actions))
    }
    answer().catch(() => response.destroy())
  })
  const ofType = <T extends EventType>(type: T): (AssistantEvent & { type: T })[] =>
    events.map(({ body }) => body).filter((body): body is AssistantEvent & { type: T } => body.type === type)
  return {
    url: `http://${address}/assistant`,
    address,
    events,
    ofType,
    received: async (type, count = 1, ms = timeoutMs) => {
      try {
        return await until(`${count} × ${type}`, () => (ofType(type).length >= count ? ofType(type) : undefined), ms)
      } catch (error) {
        throw new Error(`so far: ${events.map(({ body }) => body.type).join(' ')}`, { cause: error })
      }
    },
  }
}
