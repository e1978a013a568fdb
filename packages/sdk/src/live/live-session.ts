import type { EventType } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Answer, Piece, SpeechFields, Turn } from '../answering.ts'
import type { LiveEvent, LiveHandlers, LiveReply } from './handlers.ts'
import { SpeechStream } from './speech-stream.ts'

interface LiveSessionDeps<State> {
  handlers: LiveHandlers<State>
  onError: (error: unknown, event: LiveEvent) => void
  apology: string | undefined
  /** The call has ended, and its session_end handler too. */
  onOver: () => void
}

/** Events to which the caller expects an answer. */
const awaited: readonly LiveEvent['type'][] = ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed']

/** Events that start a new turn: answers in progress are obsolete. */
const beginning: readonly LiveEvent['type'][] = ['session_start', 'user_speak', 'session_end']

/** Frames queued while the connection is being reopened. */
const maxQueued = 1_000

interface Running {
  turn: number
  abort: AbortController
}

/** One call, across its connections. */
export class LiveSession<State> {
  readonly #deps: LiveSessionDeps<State>
  #session: Session
  readonly #state: State
  readonly #running = new Set<Running>()
  #current: Running = { turn: 0, abort: new AbortController() }
  /** Turns that still need a `done`. The last handler of the turn to end sends it: other handlers may take longer than the answer. */
  readonly #owed = new Set<number>()
  #seen = 0
  #streams = 0
  /** Speeches not yet played to the end, in order; undefined for those without a stream id. */
  #speeches: (string | undefined)[] = []
  #waiting: (() => void)[] = []
  /** Number of handlers waiting for their speech to be heard. */
  #resting = 0
  #whenIdle: (() => void)[] = []
  #sendFrame: ((frame: string) => void) | undefined
  #sendSound: (sound: Uint8Array) => void = () => {}
  #unsent: string[] = []

  constructor(deps: LiveSessionDeps<State>, session: Session, state: State) {
    this.#deps = deps
    this.#session = session
    this.#state = state
  }

  /** Frames wait for a connection. */
  get waits(): boolean {
    return this.#unsent.length > 0
  }

  /** Resolves when every handler has ended or waits for its speech to be heard. */
  idle(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  connected(send: (frame: string) => void, sendSound: (sound: Uint8Array) => void): void {
    this.#sendFrame = send
    this.#sendSound = sendSound
    for (const frame of this.#unsent.splice(0)) send(frame)
  }

  disconnected(): void {
    this.#sendFrame = undefined
    this.#sendSound = () => {}
  }

  /** Takes caller audio. */
  hear(sound: Uint8Array): void {
    const { turn, abort } = this.#current
    this.#deps.handlers.audio?.(
      sound,
      this.#turnOf(turn, abort.signal, () => {}),
    )
  }

  /** Aborts all handlers and drops their speech. */
  close(reason: string): void {
    for (const { abort } of this.#running) abort.abort(new Error(reason))
    this.#silence()
  }

  take(event: LiveEvent): void {
    if (event.sequence !== undefined && event.sequence <= this.#seen) return // repeated after a reconnect
    this.#seen = Math.max(this.#seen, event.sequence ?? 0)
    this.#session = event.session // contains the current variables
    if (event.type === 'assistant_speak') this.#sounded(event.stream_id)
    if (event.type === 'action_discarded') this.#discarded(event.action, event.turn, event.reason)
    if (beginning.includes(event.type)) this.#begin(event)
    void this.#answer(event)
  }

  #begin({ type, turn = 0 }: LiveEvent): void {
    if (type !== 'session_start') this.close(type === 'session_end' ? 'the call is over' : 'the caller has spoken')
    this.#current = { turn, abort: new AbortController() }
  }

  #discarded(action: string, turn: number, reason: string): void {
    if (action === 'speak' || action === 'audio') this.#sounded(undefined)
    if (reason === 'superseded') for (const one of this.#running) if (one.turn === turn) one.abort.abort(new Error('it came too late'))
  }

  #sounded(stream: string | undefined): void {
    const place = stream === undefined ? 0 : this.#speeches.indexOf(stream)
    this.#speeches.splice(0, place + 1)
    this.#wake()
  }

  #silence(): void {
    this.#speeches = []
    this.#wake()
  }

  #wake(): void {
    this.#resting = 0
    for (const go of this.#waiting.splice(0)) go()
  }

  async #spoken(signal: AbortSignal): Promise<void> {
    while (this.#speeches.length > 0 && !signal.aborted) {
      this.#resting += 1
      this.#rested()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  get #isIdle(): boolean {
    return this.#running.size <= this.#resting
  }

  #rested(): void {
    if (this.#isIdle) for (const go of this.#whenIdle.splice(0)) go()
  }

  async #answer(event: LiveEvent): Promise<void> {
    const { turn = this.#current.turn } = event
    const running = { turn, abort: this.#current.abort }
    const output = new Output(running, {
      send: (action) => this.#send(turn, action),
      begun: (id) => this.#speeches.push(id),
      nextStream: () => `${turn}.${++this.#streams}`,
    })
    this.#running.add(running)
    try {
      await this.#run(event, running, output)
    } catch (error) {
      if (!running.abort.signal.aborted) this.#failed(error, event, output)
    }
    this.#running.delete(running)
    if (event.type === 'session_end') this.#deps.onOver()
    else this.#ended(running, output.used || awaited.includes(event.type))
    this.#rested()
  }

  #ended({ turn, abort }: Running, isAnswer: boolean): void {
    if (isAnswer) this.#owed.add(turn)
    if ([...this.#running].some((one) => one.turn === turn)) return
    if (this.#owed.delete(turn) && !abort.signal.aborted) this.#send(turn, { type: 'done' })
  }

  async #run(event: LiveEvent, { turn, abort: { signal } }: Running, output: Output): Promise<void> {
    const handler = this.#deps.handlers[event.type as EventType] as
      | ((event: LiveEvent, turn: Turn<State>) => AsyncIterable<Piece> | Promise<LiveReply> | LiveReply)
      | undefined
    const reply = handler?.(
      event,
      this.#turnOf(turn, signal, () => output.endSpeech()),
    )
    if (reply && typeof reply === 'object' && Symbol.asyncIterator in reply) {
      for await (const piece of reply) {
        output.put(piece)
        if (signal.aborted) break
      }
    } else for (const piece of [(await reply) ?? []].flat()) output.put(piece)
    output.endSpeech()
  }

  #turnOf(turn: number, signal: AbortSignal, endSpeech: () => void): Turn<State> {
    return {
      signal,
      session: this.#session,
      turn,
      state: this.#state,
      spoken: () => {
        endSpeech()
        return this.#spoken(signal)
      },
      send: (action) => {
        if (isSpeech(action)) this.#speeches.push(undefined)
        this.#send(turn, action)
      },
      play: (sound) => this.#sendSound(sound),
      mark: (name) => this.#send(turn, { type: 'audio_mark', name }),
      clear: () => this.#send(turn, { type: 'audio_clear' }),
    }
  }

  #failed(error: unknown, event: LiveEvent, output: Output): void {
    this.#deps.onError(error, event)
    output.endSpeech()
    if (output.used || !awaited.includes(event.type)) return
    // An unreadable frame counts as a failed answer, as a 500 does over a webhook.
    if (this.#deps.apology === undefined) return this.#frame(`the handler of ${event.type} failed`)
    output.put(this.#deps.apology)
    output.endSpeech()
  }

  #send(turn: number, action: Answer): void {
    this.#frame(JSON.stringify({ session_id: this.#session.id, turn, ...action }))
  }

  #frame(frame: string): void {
    if (this.#sendFrame) return this.#sendFrame(frame)
    if (this.#unsent.length < maxQueued) this.#unsent.push(frame)
  }
}

const isSpeech = (action: Answer): boolean => action.type === 'speak' || action.type === 'audio'

interface OutputDeps {
  send: (action: Answer) => void
  begun: (stream: string | undefined) => void
  nextStream: () => string
}

/** Turns the output of one handler into actions. */
class Output {
  /** The handler has produced output. */
  used = false
  readonly #running: Running
  readonly #deps: OutputDeps
  #speech: SpeechStream | undefined
  #fields: SpeechFields = {}

  constructor(running: Running, deps: OutputDeps) {
    this.#running = running
    this.#deps = deps
  }

  put(piece: Piece): void {
    if (this.#running.abort.signal.aborted || piece === '') return
    this.used = true
    if (typeof piece === 'string') return this.#say(piece)
    this.endSpeech()
    if ('speech' in piece) this.#fields = piece.speech
    if (!('type' in piece)) return
    if (isSpeech(piece)) this.#deps.begun(piece.type === 'speak' ? piece.stream_id : undefined)
    this.#deps.send(piece)
  }

  endSpeech(): void {
    if (!this.#running.abort.signal.aborted) this.#speech?.end()
    this.#speech = undefined
  }

  #say(text: string): void {
    const { send, begun, nextStream } = this.#deps
    this.#speech ??= new SpeechStream(nextStream(), this.#fields, send)
    const before = this.#speech.started
    this.#speech.put(text)
    if (!before && this.#speech.started) begun(this.#speech.id)
  }
}
