import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { ResumeEvent } from '../live/handlers.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'

export interface EndpointConnection {
  receive(frame: string): void
  close(): void
  /** Resolves when nothing is being worked on but what waits to be heard. Missing: nobody can tell. */
  idle?(): Promise<void>
}

/** What answers calls: `live()`, `assistant()`, or an address. `leave`: nothing more will be said; with an error the call cannot go on. */
export interface Endpoint<Given = void> {
  connect(send: (frame: string) => void, given: Given, leave?: (error?: Error) => void): EndpointConnection
}

/** Any event, without what every one has. */
export type SentEvent = WithoutSession<AssistantEvent | ResumeEvent>
type WithoutSession<E> = E extends unknown ? Omit<E, 'session'> : never

export interface LineDeps {
  session: Session
  /** How long a first word is waited for, in real time. */
  timeoutMs: number
  /** So long nothing comes any more from who does not say that an answer is complete. */
  silentMs: number
  /** Undefined: it cannot be read. */
  acts: (actions: readonly Action[] | undefined, frame: string) => void
}

/** Events to an endpoint, actions from it, and whether more of them is to be expected. */
export class EndpointLine {
  readonly #deps: LineDeps
  readonly #connection: EndpointConnection
  #outbox: string[] = []
  #sequence = 0
  /** Nothing more is expected. */
  #rests = false
  #isDone = false
  /** The caller waits for an answer, and nothing of it has come. */
  #unanswered = false
  #asked = 0
  #wake: () => void = () => {}
  #error: Error | undefined

  constructor(deps: LineDeps, connect: (send: (frame: string) => void, leave: (error?: Error) => void) => EndpointConnection) {
    this.#deps = deps
    this.#connection = connect(
      (frame) => this.#take(frame),
      (error) => {
        this.#error ??= error
        this.#rest()
      },
    )
  }

  /** Throws when the endpoint cannot be reached any more. */
  get rests(): boolean {
    if (this.#error) throw this.#error
    return this.#rests && this.#outbox.length === 0
  }

  /** The caller did something. `awaited`: an answer has to come. */
  asks(turn: number, event: SentEvent, awaited: boolean): void {
    this.#isDone = false
    this.#unanswered = awaited
    this.notify(turn, event)
  }

  /** An event that need not be answered. */
  notify(turn: number, event: SentEvent): void {
    const sequence = ++this.#sequence
    const { session } = this.#deps
    this.#outbox.push(JSON.stringify({ ...event, session, turn, sequence, event_id: `${session.id}-${sequence}` }))
    this.#rests = this.#isDone
    if (this.#outbox.length === 1) queueMicrotask(() => this.#deliver())
  }

  /** That is all for this turn. */
  done(): void {
    this.#isDone = true
    if (!this.#connection.idle) this.#rest()
  }

  /** Time passes really, until something happens or nothing more is expected. */
  async wait(maxMs: number): Promise<void> {
    const { timeoutMs, silentMs } = this.#deps
    const ms = Math.min(this.#connection.idle || this.#unanswered ? timeoutMs : silentMs, maxMs)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#rests = true
        resolve()
      }, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => {}
  }

  close(): void {
    this.#connection.close()
  }

  #deliver(): void {
    for (const frame of this.#outbox.splice(0)) this.#connection.receive(frame)
    if (!this.#connection.idle) return
    this.#rests = false
    const asked = ++this.#asked
    void this.#connection.idle().then(() => asked === this.#asked && this.#rest())
  }

  #take(frame: string): void {
    const actions = readActions(frame)
    const isAnswer = actions?.some(({ type }) => type !== 'note' && type !== 'result') !== false
    if (isAnswer) {
      this.#unanswered = false
      if (!this.#connection.idle) this.#rests = false
    }
    this.#deps.acts(actions, frame)
    if (actions?.length === 0) this.done()
    this.#wake()
  }

  #rest(): void {
    this.#rests = true
    this.#wake()
  }
}

const readActions = (frame: string): Action[] | undefined => {
  try {
    const read = [JSON.parse(frame) as Action | Action[]].flat()
    return read.every((action) => typeof action?.type === 'string') ? read : undefined
  } catch {
    return undefined
  }
}
