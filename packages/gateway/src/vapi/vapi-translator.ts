import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { GatewayFailure, type Translator, type TranslatorParts } from '../gateway.ts'
import { SpokenWords } from '../spoken-words.ts'
import { Transcript } from '../transcript.ts'
import { Completion, type FunctionCall } from './completion.ts'
import { completionBody, completionsAt } from './vapi-request.ts'

const deadlineMs = 30_000

/** A flow whose webhook is a custom LLM for Vapi: every turn is a chat completion. */
export class VapiTranslator implements Translator {
  readonly #deps: TranslatorParts
  readonly #transcript = new Transcript()
  readonly #words: SpokenWords
  #asking = new AbortController()

  constructor(deps: TranslatorParts) {
    this.#deps = deps
    this.#words = new SpokenWords(deps.service)
  }

  take(event: LiveEvent): void {
    this.#transcript.take(event)
    if (event.type === 'session_end') return this.close()
    if (event.type === 'session_start' || event.type === 'user_speak') void this.#ask(event.session, event.turn ?? 0)
    else if (event.type === 'user_speech_unclear' || event.type === 'transfer_failed') this.#deps.service.act({ type: 'done' })
  }

  close(): void {
    this.#asking.abort()
  }

  /** What is still being answered is of no use any more. */
  async #ask(session: Session, turn: number): Promise<void> {
    const { settings, ways, service } = this.#deps
    this.#asking.abort()
    this.#words.end()
    const { signal } = (this.#asking = new AbortController())
    const completion = new Completion((text) => {
      if (!signal.aborted) this.#words.put(text, turn)
    })
    const key = settings.apiKey !== undefined && { authorization: `Bearer ${settings.apiKey}` }
    try {
      const reply = await ways.request({
        method: 'POST',
        url: completionsAt(settings.url),
        headers: { 'content-type': 'application/json', ...key },
        body: completionBody(session, settings, this.#transcript.utterances, ways.clock.now()),
        deadlineMs,
        signal,
        onBytes: (bytes) => completion.read(bytes),
      })
      if (reply.status !== 200 && reply.status !== 201)
        throw new GatewayFailure({ opened: true, status: reply.status, message: `The custom LLM answered ${reply.status}` })
      if (!signal.aborted) this.#finish(completion.finish(), turn)
    } catch (error) {
      if (signal.aborted) return
      this.#words.end()
      service.failed(error instanceof GatewayFailure ? error.message : 'The gateway failed because of a fault in the service')
    }
  }

  #finish(calls: readonly FunctionCall[], turn: number): void {
    const { service } = this.#deps
    this.#words.end()
    for (const call of calls) this.#call(call, turn)
    service.act({ type: 'done', turn })
  }

  #call({ name, arguments: given }: FunctionCall, turn: number): void {
    const { service } = this.#deps
    if (name === 'endCall') return service.act({ type: 'hangup', turn })
    const target = name === 'transferCall' ? targetIn(given.destination) : undefined
    if (target !== undefined) return service.act({ type: 'transfer', target, turn })
    service.problem(name === 'transferCall' ? 'transferCall names no destination' : `The function ${name.slice(0, 60)} is not known here`)
  }
}

/** A number, or an object that has one. */
const targetIn = (destination: unknown): string | undefined => {
  if (typeof destination === 'string' && destination !== '') return destination
  const { number } = (destination ?? {}) as { number?: unknown }
  return typeof number === 'string' ? number : undefined
}
