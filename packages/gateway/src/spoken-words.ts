import type { SpeechFields } from '@offhook/sdk/answering.ts'
import { SpeechStream } from '@offhook/sdk/live/speech-stream.ts'
import type { ServiceSide } from './gateway.ts'

/**
 * Words for the caller as they come: one speech until it is ended. It belongs to the turn in which it began, so that the service throws away
 * what comes when the caller has spoken again.
 */
export class SpokenWords {
  readonly #service: Pick<ServiceSide, 'act'>
  #streams = 0
  #speech: { stream: SpeechStream; turn: number } | undefined

  constructor(service: Pick<ServiceSide, 'act'>) {
    this.#service = service
  }

  /** More words of it may come. */
  get open(): boolean {
    return this.#speech !== undefined
  }

  /** `fields` count for the first words of a speech. */
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
