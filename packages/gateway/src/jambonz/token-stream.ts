import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { ServiceSide } from '../gateway.ts'
import { SpokenWords } from '../spoken-words.ts'
import type { JambonzLine } from './jambonz-line.ts'

/** Words that an application streams, token by token. */
export class TokenStream {
  readonly #service: Pick<ServiceSide, 'act'>
  readonly #line: Pick<JambonzLine, 'notify'>
  readonly #words: SpokenWords
  #turn: number
  /** Only who streams words wants to know that they were cut off. */
  #used = false

  constructor(service: Pick<ServiceSide, 'act'>, line: Pick<JambonzLine, 'notify'>, turn: number) {
    this.#service = service
    this.#line = line
    this.#words = new SpokenWords(service)
    this.#turn = turn
  }

  take(event: LiveEvent): void {
    this.#turn = event.turn ?? this.#turn
    if (this.#used && event.type === 'assistant_speak' && event.heard_text !== undefined)
      this.#line.notify('tts:streaming-event', { event_type: 'user_interruption' })
    if (event.type === 'user_speak') this.#words.end()
  }

  /** Gives whether it was one for here. */
  command(command: string, data: unknown): boolean {
    if (command === 'tts:tokens') this.#say(data as { id?: unknown; tokens?: unknown } | null)
    else if (command === 'tts:flush') this.#words.end()
    else if (command === 'tts:clear') this.#clear()
    else return false
    return true
  }

  #say(data: { id?: unknown; tokens?: unknown } | null): void {
    this.#used = true
    if (typeof data?.tokens === 'string') this.#words.put(data.tokens, this.#turn)
    this.#line.notify('tts:tokens-result', { id: data?.id, status: 'ok' })
  }

  #clear(): void {
    this.#words.end()
    this.#service.act({ type: 'barge_in' })
  }
}
