import type { ActionProblem } from '#core/kernel/ports/store/session.ts'
import type { Action, ActionOf, ActionType } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import {
  EndpointUnavailable,
  type EndpointReply,
  type EndpointChannel,
  type EndpointChannelObserver,
  type Endpoints,
  type OutgoingEvent,
} from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { readEndpointReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import { isSpeakable } from '#core/speech/ssml/is-speakable.ts'
import { Outside } from '../chance/outside.ts'

/** Customer's answer: actions immediately, or after a while; an Error if unreachable. */
export type Reply = (event: OutgoingEvent) => readonly Input[] | Error | Promise<readonly Input[] | Error>

/** Action without the session id. */
export type Input = { [T in ActionType]: Omit<ActionOf<T>, 'session_id'> }[ActionType]

/** Scripted customers' endpoints: keeps every event, with the test's answers. Only for session rules. */
export class ScriptedEndpoints implements Endpoints {
  readonly channels: ScriptedChannel[] = []
  /** Flows as sessions and the outbox saw them. */
  readonly flows: Flow[] = []
  /** Events from the outbox. */
  readonly delivered: OutgoingEvent[] = []
  reply: Reply = () => []
  duplex = false
  readonly #outside: Outside

  constructor(outside = new Outside()) {
    this.#outside = outside
  }

  open(flow: Flow, session: { id: string }, observer: EndpointChannelObserver): EndpointChannel {
    this.#outside.step('endpoint.open')
    this.flows.push(flow)
    const channel = new ScriptedChannel(this, this.#outside, session.id, observer)
    this.channels.push(channel)
    return channel
  }

  async deliver(_flow: Flow, event: OutgoingEvent): Promise<void> {
    this.#outside.step('endpoint.deliver')
    this.delivered.push(event)
  }

  async flush(): Promise<void> {}

  /** Newest channel. */
  get channel(): ScriptedChannel {
    return this.channels.at(-1) ?? raise('nobody has talked with an endpoint yet')
  }
}

export class ScriptedChannel implements EndpointChannel {
  readonly sent: OutgoingEvent[] = []
  /** Caller's sound. */
  readonly heard: Int16Array<ArrayBuffer>[] = []
  readonly notes: [string, ActionProblem][] = []
  /** Events that finally failed, with the reason. */
  readonly failures: [string, string][] = []
  readonly observer: EndpointChannelObserver
  /** Events without a reply that the session still waits for. */
  waiting = 0
  closed = false
  readonly #endpoints: ScriptedEndpoints
  readonly #outside: Outside
  readonly #sessionId: string

  constructor(endpoints: ScriptedEndpoints, outside: Outside, sessionId: string, observer: EndpointChannelObserver) {
    this.#endpoints = endpoints
    this.#outside = outside
    this.#sessionId = sessionId
    this.observer = observer
  }

  get duplex(): boolean {
    return this.#endpoints.duplex
  }

  get types(): EventType[] {
    return this.sent.map(({ body }) => body.type)
  }

  ofType<T extends EventType>(type: T): (AssistantEvent & { type: T })[] {
    return this.sent.map(({ body }) => body).filter((body): body is AssistantEvent & { type: T } => body.type === type)
  }

  async send(event: OutgoingEvent, signal: AbortSignal): Promise<EndpointReply> {
    if (this.waiting > 0) throw new Error('one event after the other')
    if (this.closed) throw new Error('it is closed')
    this.sent.push(event)
    this.#outside.step('endpoint.send')
    const answer = this.#answer(event)
    if (this.duplex) {
      answer.then(
        (given) => (given.actions.length > 0 || given.unspeakable !== undefined) && !this.closed && this.observer.acts(given),
        () => this.closed || this.observer.lost(),
      )
      return { actions: [], problems: [] }
    }
    this.waiting += 1
    const { promise: nobodyWaits, reject } = Promise.withResolvers<never>()
    const detach = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', detach)
    if (signal.aborted) detach()
    try {
      return await Promise.race([answer, nobodyWaits])
    } catch (error) {
      if (signal.aborted) answer.then((given) => this.closed || this.observer.repliedLate(event, given)).catch(() => {})
      throw error
    } finally {
      this.waiting -= 1
      signal.removeEventListener('abort', detach)
    }
  }

  sendSound(samples: Int16Array<ArrayBuffer>): void {
    this.heard.push(samples)
  }

  note(eventId: string, problems: readonly ActionProblem[], error?: string): void {
    if (error !== undefined) this.failures.push([eventId, error])
    for (const problem of problems) this.notes.push([eventId, problem])
  }

  async close(): Promise<void> {
    this.closed = true
    this.#outside.step('endpoint.close')
  }

  /** Actions that the customer sends unprompted. */
  acts(...inputs: Input[]): void {
    this.observer.acts(this.#toReply(inputs))
  }

  async #answer(event: OutgoingEvent): Promise<EndpointReply> {
    const reply = await this.#endpoints.reply(event)
    if (reply instanceof Error) throw reply
    return this.#toReply(reply)
  }

  /** Speech without words is read as from the network. */
  #toReply(inputs: readonly Input[]): EndpointReply {
    const actions = this.#toActions(inputs)
    const isSilent = actions.some(
      (action) => action.type === 'speak' && action.stream_id === undefined && !isSpeakable(action.text ?? action.ssml ?? ''),
    )
    return isSilent ? readEndpointReply(Buffer.from(JSON.stringify(actions)), this.#sessionId) : { actions, problems: [] }
  }

  #toActions(inputs: readonly Input[]): Action[] {
    return inputs.map((input) => ({ ...input, session_id: this.#sessionId }))
  }
}

export const unreachable = (): Error => new EndpointUnavailable('it does not answer')

const raise = (message: string): never => {
  throw new Error(message)
}
