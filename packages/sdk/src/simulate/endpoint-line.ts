import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { ResumeEvent } from '../live/handlers.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'

export interface EndpointConnection {
  receive(frame: string): void
  close(): void
  /** Resolves when no handler is busy except those waiting to be heard. Missing: unknown. */
  idle?(): Promise<void>
}

/**
 * An endpoint that answers calls: `live()`, `assistant()`, or an address. `leave`: no more actions follow; with an error the call must end.
 */
export interface Endpoint<Given = void> {
  connect(send: (frame: string) => void, given: Given, leave?: (error?: Error) => void): EndpointConnection
}

/** Any event without its session. */
export type SentEvent = WithoutSession<AssistantEvent | ResumeEvent>
type WithoutSession<E> = E extends unknown ? Omit<E, 'session'> : never

export interface LineDeps {
  session: Session
  /** Real milliseconds to wait for the first word. */
  timeoutMs: number
  /** Real milliseconds of silence after which an answer counts as complete if the endpoint does not report it. */
  silentMs: number
  /** `actions` is undefined if the frame is unreadable. */
  acts: (actions: readonly Action[] | undefined, frame: string) => void
}

/** Sends events to an endpoint, receives its actions, and tracks whether more are expected. */
export class EndpointLine {
  /** As contained in the next event. */
  session: Session
  readonly #deps: LineDeps
  readonly #connection: EndpointConnection
  #outbox: string[] = []
  #sequence = 0
  /** No more actions are expected. */
  #rests = false
  #isDone = false
  /** The caller waits for an answer, and none has started. */
  #unanswered = false
  #asked = 0
  #wake: () => void = () => {}
  #error: Error | undefined

  constructor(deps: LineDeps, connect: (send: (frame: string) => void, leave: (error?: Error) => void) => EndpointConnection) {
    this.#deps = deps
    this.session = deps.session
    this.#connection = connect(
      (frame) => this.#take(frame),
      (error) => {
        this.#error ??= error
        this.#rest()
      },
    )
  }

  /** Throws if the endpoint has become unreachable. */
  get rests(): boolean {
    if (this.#error) throw this.#error
    return this.#rests && this.#outbox.length === 0
  }

  /** Sends an event for a step of the caller. `awaited`: an answer must follow. */
  asks(turn: number, event: SentEvent, awaited: boolean): void {
    this.#isDone = false
    this.#unanswered = awaited
    this.notify(turn, event)
  }

  /** Sends an event that needs no answer. */
  notify(turn: number, event: SentEvent): void {
    const sequence = ++this.#sequence
    const { session } = this
    this.#outbox.push(JSON.stringify({ ...event, session, turn, sequence, event_id: `${session.id}-${sequence}` }))
    this.#rests = this.#isDone
    if (this.#outbox.length === 1) queueMicrotask(() => this.#deliver())
  }

  /** Marks the turn's answer as complete. */
  done(): void {
    this.#isDone = true
    if (!this.#connection.idle) this.#rest()
  }

  /** Waits in real time until something happens or no more is expected. */
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
