import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { ServiceSide } from './gateway.ts'
import type { SpeechFields } from '@offhook/sdk/answering.ts'
import { SpeechStream } from '@offhook/sdk/live/speech-stream.ts'

type Speech = Omit<ActionOf<'speak'>, 'type' | 'session_id' | 'stream_id' | 'last'>

/** Queue of speeches; tracks when all were heard or dropped. */
export class Speeches {
  readonly #service: Pick<ServiceSide, 'act'>
  #count = 0
  #open: string[] = []
  #waiting: (() => void)[] = []

  constructor(service: Pick<ServiceSide, 'act'>) {
    this.#service = service
  }

  say(speech: Speech): void {
    const id = `s${++this.#count}`
    this.#open.push(id)
    this.#service.act({ type: 'speak', stream_id: id, last: true, ...speech })
  }

  /** Stops the current speech and drops queued ones. */
  stop(): void {
    if (this.#open.length > 0) this.#service.act({ type: 'barge_in' })
    this.#finished(this.#open.length)
  }

  take(event: LiveEvent): void {
    if (event.type === 'assistant_speech_ended' || event.type === 'assistant_speak') this.#ended(event.stream_id)
    if (event.type === 'user_speak') this.#finished(this.#open.length) // the caller has the floor, so nothing more is played
    if (event.type === 'action_discarded' && event.action === 'speak') this.#finished(1)
  }

  get silent(): boolean {
    return this.#open.length === 0
  }

  /** Calls back once; immediately if no speech is active. */
  whenSilent(go: () => void): void {
    if (this.silent) go()
    else this.#waiting.push(go)
  }

  #ended(id: string | undefined): void {
    this.#finished(id === undefined ? 0 : this.#open.indexOf(id) + 1)
  }

  #finished(count: number): void {
    this.#open.splice(0, count)
    if (this.silent) for (const go of this.#waiting.splice(0)) go()
  }
}

/**
 * Streams text for the caller: one speech until it is ended. It belongs to the turn in which it began, so that the service discards it once
 * the caller has spoken again.
 */
export class SpokenWords {
  readonly #service: Pick<ServiceSide, 'act'>
  #streams = 0
  #speech: { stream: SpeechStream; turn: number } | undefined

  constructor(service: Pick<ServiceSide, 'act'>) {
    this.#service = service
  }

  /** More text may follow. */
  get open(): boolean {
    return this.#speech !== undefined
  }

  /** `fields` apply to the first text of a speech. */
  put(text: string, turn: number, fields: SpeechFields = {}): void {
    this.#speech ??= this.#begin(turn, fields)
    this.#speech.stream.put(text)
  }

  end(): void {
    this.#speech?.stream.end()
    this.#speech = undefined
  }

  #begin(turn: number, fields: SpeechFields): { stream: SpeechStream; turn: number } {
    const stream = new SpeechStream(`g${++this.#streams}`, fields, (piece) => this.#service.act({ ...piece, turn }))
    return { stream, turn }
  }
}
