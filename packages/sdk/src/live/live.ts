import type { Session } from '@offhook/contract/assistant/session.ts'
import type { AssistantSocket } from '../converse.ts'
import { readEvent } from '../answering.ts'
import type { LiveEvent, LiveHandlers } from './handlers.ts'
import { LiveSession } from './live-session.ts'

/** A WebSocket opened by the service, as server packages (`ws`) provide it. */
export interface LiveSocket extends AssistantSocket {
  on(event: 'message', listener: (data: { toString(): string }, isBinary?: boolean) => void): unknown
  on(event: 'close', listener: () => void): unknown
  send(data: string | Uint8Array): void
  close(code: number): void
}

export interface LiveOptions<State, Given> {
  /** Created once per call. `given`: the value passed with the connection. */
  state?: (session: Session, given: Given) => State
  /** Called when a handler throws. Default: standard error. */
  onError?: (error: unknown, event: LiveEvent) => void
  /** Said when a handler throws without having spoken. Without it callers hear the flow's `retry_text`. */
  apology?: string
  /** Runs the task after `ms` milliseconds; returns a function that cancels it. */
  after?: (ms: number, task: () => void) => () => void
}

/** Interface for a transport: it passes in received frames and reports its close. */
export interface LiveConnection {
  /** Bytes are audio. */
  receive(frame: string | Uint8Array): void
  close(): void
  /** Resolves when every handler has ended or waits for its speech to be heard. */
  idle(): Promise<void>
}

export interface Live<Given> {
  /**
   * For any transport, or none: `send` gets the frames, `sendSound` the audio. `leave` is called when the call has ended and all actions
   * are sent.
   */
  connect(send: (frame: string) => void, given: Given, leave?: () => void, sendSound?: (sound: Uint8Array) => void): LiveConnection
  /** For a WebSocket that your server has accepted and whose key it has checked. */
  attach(socket: LiveSocket, given: Given): void
  /** Number of active calls. */
  readonly calls: number
  /** Ends all calls and aborts their handlers. */
  close(): void
}

/** Longer than the ten seconds for which the service retries a lost connection. */
const retentionMs = 15_000
const rememberedEnds = 1_000

const wait = (ms: number, task: () => void): (() => void) => {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

interface Known<State> {
  session: LiveSession<State>
  /** The latest connection. */
  connection: LiveConnection
  leave: () => void
  cancel: () => void
  /** The call has ended, but frames still wait for a connection. */
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
 * An assistant over a WebSocket that speaks while it thinks: handlers are async generators, aborted when the caller continues. Calls
 * outlive their connections and resume after a reconnect.
 */
export const live = <State = undefined, Given = void>(
  handlers: LiveHandlers<State>,
  options: LiveOptions<State, Given> = {},
): Live<Given> => new LiveCalls(handlers, options)

class LiveCalls<State, Given> implements Live<Given> {
  readonly #handlers: LiveHandlers<State>
  readonly #options: LiveOptions<State, Given>
  readonly #calls = new Map<string, Known<State>>()
  /** Ids of ended calls: session_end is repeated over a new connection if its arrival is uncertain. */
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
        if (!event) return
        if (this.#ended.has(event.session.id)) return event.type === 'session_end' ? leave() : undefined
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

  /** A call that cannot start must not affect others. The unreadable frame counts as a failed answer. */
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
