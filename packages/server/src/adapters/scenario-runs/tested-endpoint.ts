import type { Endpoint, EndpointConnection } from '@offhook/sdk'
import type { EndpointChannel, EndpointReply, Endpoints, TestedFlow } from '#core/kernel/ports/assistant.ts'
import { eventFor, type FramedEvent } from './tested-events.ts'

interface TestedEndpointDeps extends TestedFlow {
  endpoints: Pick<Endpoints, 'open'>
  sessionId: string
  /** Called for actions of the endpoint that cannot be performed. */
  problem: (message: string) => void
  signal: AbortSignal
}

const never = new AbortController().signal

/** The endpoint of a flow, reached like in calls: by the same channels, keys, signatures and rules. */
export const testedEndpoint = (deps: TestedEndpointDeps): Endpoint => ({
  connect: (send, _given, leave = () => {}) => new TestedConnection(deps, send, leave),
})

class TestedConnection implements EndpointConnection {
  declare readonly idle?: () => Promise<void>
  readonly #deps: TestedEndpointDeps
  readonly #send: (frame: string) => void
  readonly #leave: (error?: Error) => void
  readonly #channel: EndpointChannel
  /** One event after the other. */
  #sent: Promise<void> = Promise.resolve()
  #ended = false
  /** From now on the endpoint may leave. */
  #hasSentEnd = false

  constructor(deps: TestedEndpointDeps, send: (frame: string) => void, leave: (error?: Error) => void) {
    this.#deps = deps
    this.#send = send
    this.#leave = leave
    const { endpoints, flow, accountId, sessionId, signal } = deps
    this.#channel = endpoints.open(
      flow,
      { id: sessionId, accountId },
      {
        acts: (reply) => this.#acts(reply),
        repliedLate: () => {},
        lost: () => leave(this.#hasSentEnd ? undefined : new Error('the endpoint cannot be reached any more')),
        sounds: () => {}, // conversations are text only
      },
    )
    // Over a WebSocket only the endpoint knows when it is done.
    if (!this.#channel.duplex) this.idle = () => this.#sent
    signal.addEventListener('abort', () => leave(new Error('the test was stopped')), { once: true })
  }

  receive(frame: string): void {
    this.#sent = this.#sent.then(() => this.#notify(JSON.parse(frame) as FramedEvent))
  }

  close(): void {
    this.#ended = true
    void this.#sent.then(() => this.#channel.close({ atOnce: true }))
  }

  async #notify(framed: FramedEvent): Promise<void> {
    const { flow, accountId, sessionId } = this.#deps
    const { event_id: id, sequence, turn } = framed
    const body = eventFor(flow.settings, accountId, framed, this.#channel.duplex)
    if (!body || (this.#ended && body.type !== 'session_end')) return
    this.#hasSentEnd ||= body.type === 'session_end'
    try {
      const { duplex } = this.#channel
      const reply = await this.#channel.send({ id, sessionId, accountId, sequence, turn, body }, never)
      if (!duplex) this.#acts(reply, turn)
    } catch (error) {
      this.#leave(error as Error)
    }
  }

  /** Actions of a webhook belong to the turn of the event that they answer. */
  #acts({ actions, problems, refused }: EndpointReply, turn?: number): void {
    for (const { type, message } of problems) this.#deps.problem(type === undefined ? message : `${type}: ${message}`)
    if (refused === undefined) this.#send(JSON.stringify(turn === undefined ? actions : actions.map((action) => ({ ...action, turn }))))
    else this.#leave(new Error(refused))
  }
}
