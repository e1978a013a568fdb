import type { Session } from '@offhook/contract/assistant/session.ts'
import type { AssistantSocket } from '../converse.ts'
import { readEvent } from '../answering.ts'
import type { LiveEvent, LiveHandlers } from './handlers.ts'
import { LiveSession } from './live-session.ts'

/** A WebSocket that the service has opened, as packages for servers (`ws`) give it. */
export interface LiveSocket extends AssistantSocket {
  on(event: 'message', listener: (data: { toString(): string }, isBinary?: boolean) => void): unknown
  on(event: 'close', listener: () => void): unknown
  send(data: string | Uint8Array): void
  close(code: number): void
}

export interface LiveOptions<State, Given> {
  /** Made once for each call. `given`: what the connection was opened with. */
  state?: (session: Session, given: Given) => State
  /** Called when a handler throws. Default: standard error. */
  onError?: (error: unknown, event: LiveEvent) => void
  /** Said when a handler throws and has said nothing. Without it callers hear the flow's `retry_text`. */
  apology?: string
  /** Calls the task after so many milliseconds; gives what cancels it. */
  after?: (ms: number, task: () => void) => () => void
}

/** What a transport needs: it hands in what it receives, and says when it is gone. */
export interface LiveConnection {
  /** Bytes are sound. */
  receive(frame: string | Uint8Array): void
  close(): void
  /** Resolves when every handler has ended, or waits until it is heard. */
  idle(): Promise<void>
}

export interface Live<Given> {
  /**
   * For any transport, or none: `send` gets the frames, `sendSound` the sound. `leave` is called when the call is over and nothing more will be said
   * about it.
   */
  connect(send: (frame: string) => void, given: Given, leave?: () => void, sendSound?: (sound: Uint8Array) => void): LiveConnection
  /** For a WebSocket, which a server of yours has accepted and whose key it has checked. */
  attach(socket: LiveSocket, given: Given): void
  /** How many calls there are. */
  readonly calls: number
  /** Ends all of them: nothing is said any more. */
  close(): void
}

/** The service opens a lost connection again for ten seconds. */
const retentionMs = 15_000
const rememberedEnds = 1_000

const wait = (ms: number, task: () => void): (() => void) => {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

interface Known<State> {
  session: LiveSession<State>
  /** The latest one. */
  connection: LiveConnection
  leave: () => void
  cancel: () => void
  /** What there is to say about it has not been sent yet. */
  over: boolean
}

interface From<Given> {
  connection: LiveConnection
  send: (frame: string) => void
  sendSound: (sound: Uint8Array) => void
  leave: () => void
  given: Given
}

/**
 * An assistant over a WebSocket that speaks while it thinks: handlers are async generators, and are aborted when the caller goes on. Calls outlive
 * their connections: who is connected again goes on where it was.
 */
export const live = <State = undefined, Given = void>(
  handlers: LiveHandlers<State>,
  options: LiveOptions<State, Given> = {},
): Live<Given> => new LiveCalls(handlers, options)

class LiveCalls<State, Given> implements Live<Given> {
  readonly #handlers: LiveHandlers<State>
  readonly #options: LiveOptions<State, Given>
  readonly #calls = new Map<string, Known<State>>()
  /** The end may be told again, when it was not known to have arrived. */
  readonly #ended = new Set<string>()

  constructor(handlers: LiveHandlers<State>, options: LiveOptions<State, Given>) {
    this.#handlers = handlers
    this.#options = options
  }

  get calls(): number {
    return this.#calls.size
  }

  connect(
    send: (frame: string) => void,
    given: Given,
    leave = () => {},
    sendSound: (sound: Uint8Array) => void = () => {},
  ): LiveConnection {
    let latest: LiveSession<State> | undefined
    const connection: LiveConnection = {
      receive: (frame) => {
        if (typeof frame !== 'string') return latest?.hear(frame)
        const event = readEvent(frame) as LiveEvent | undefined
        if (!event || this.#ended.has(event.session.id)) return
        try {
          latest = this.#take(event, { connection, send, sendSound, leave, given })
        } catch (error) {
          this.#cannotBegin(error, event, send)
        }
      },
      close: () => this.#lost(connection),
      idle: () => latest?.idle() ?? Promise.resolve(),
    }
    return connection
  }

  attach(socket: LiveSocket, given: Given): void {
    const connection = this.connect(
      (frame) => socket.send(frame),
      given,
      () => socket.close(1000),
      (sound) => socket.send(sound),
    )
    socket.on('message', (data, isBinary) => connection.receive(isBinary === true && data instanceof Uint8Array ? data : data.toString()))
    socket.on('close', () => connection.close())
  }

  close(): void {
    for (const { session, cancel } of this.#calls.values()) {
      cancel()
      session.close('the assistant is stopped')
    }
    this.#calls.clear()
  }

  #take(event: LiveEvent, from: From<Given>): LiveSession<State> {
    const isNew = !this.#calls.has(event.session.id)
    const known = this.#calls.get(event.session.id) ?? this.#begin(event.session, from)
    if (isNew || known.connection !== from.connection) {
      known.cancel()
      known.connection = from.connection
      known.leave = from.leave
      known.session.connected(from.send, from.sendSound)
      if (known.over) {
        this.#finished(event.session.id)
        return known.session
      }
    }
    if (event.type !== 'session_resume' || isNew) known.session.take(event)
    return known.session
  }

  /** One call that cannot be begun must not end others. What cannot be read is a failed answer. */
  #cannotBegin(error: unknown, event: LiveEvent, send: (frame: string) => void): void {
    const { onError = complain } = this.#options
    onError(error, event)
    send('the state of the call could not be made')
  }

  #begin(session: Session, { given, connection, leave }: From<Given>): Known<State> {
    const { state = () => undefined as State, onError = complain, apology } = this.#options
    const parts = { handlers: this.#handlers, onError, apology, onOver: () => this.#finished(session.id) }
    const known = { session: new LiveSession(parts, session, state(session, given)), connection, leave, cancel: () => {}, over: false }
    this.#calls.set(session.id, known)
    return known
  }

  #lost(connection: LiveConnection): void {
    const { after = wait } = this.#options
    for (const [id, known] of this.#calls) {
      if (known.connection !== connection) continue
      known.session.disconnected()
      known.cancel = after(retentionMs, () => {
        known.session.close('the connection is gone')
        this.#calls.delete(id)
      })
    }
  }

  #finished(id: string): void {
    const known = this.#calls.get(id)
    if (known?.session.waits) {
      known.over = true
      return
    }
    known?.cancel()
    known?.leave()
    this.#calls.delete(id)
    this.#ended.add(id)
    const [oldest] = this.#ended
    if (this.#ended.size > rememberedEnds && oldest !== undefined) this.#ended.delete(oldest)
  }
}

const complain = (error: unknown, { type }: LiveEvent): void => console.error(`${type}:`, error)
