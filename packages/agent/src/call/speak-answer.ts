import type { Piece, Turn } from '@offhook/sdk'
import { TopicGuard } from '../guard/topics.ts'
import type { Said } from '../history.ts'
import { ask } from '../model/fallback.ts'
import type { ChatRequest, Completion } from '../model/messages.ts'
import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import { Speakable } from '../speakable.ts'
import type { AgentCall } from './agent-call.ts'
import { menuOf } from './keys.ts'

/** After so many failures in a row callers are told what the keys do. */
const endpointing = 2

export interface Asking {
  model: ModelSettings
  request: ChatRequest
  said: Said
  signal: AbortSignal
}

/** One answer of the model, said while it comes. Undefined: something else was said instead of it, and the turn is over. */
export async function* speakAnswer(
  call: AgentCall,
  turn: Turn<AgentCall>,
  { model, request, said, signal }: Asking,
): AsyncGenerator<Piece, Completion | undefined> {
  const filter = new Filter(call, said)
  const onAttempt: Parameters<typeof ask>[3]['onAttempt'] = (attempt, one) => call.attempted(attempt, one, turn.send)
  const words = ask(call.deps, model, request, { signal, onAttempt })
  try {
    let step = await words.next()
    for (; !step.done && filter.forbidden === undefined; step = await words.next()) yield* filter.put(step.value)
    if (step.done) yield* filter.end()
    if (filter.forbidden !== undefined) return yield* instead(said, call.settings.assistant.topics?.text ?? call.texts.forbidden)
    if (!step.done) return undefined
    call.failures = 0
    // Nothing that can be said, and nothing to do: the caller must not wait in silence.
    return filter.silent && step.value.calls.length === 0 ? yield* instead(said, call.failedText) : step.value
  } catch {
    if (signal.aborted) return undefined
    yield* filter.breakOff()
    call.failures += 1
    const menu = call.failures >= endpointing ? menuOf(call) : ''
    return yield* instead(said, `${call.failedText} ${menu}`.trim())
  } finally {
    await words.return(undefined as never)
  }
}

/** A speech of its own, or two halves would become one sentence. */
async function* instead(said: Said, text: string): AsyncGenerator<Piece, undefined> {
  said.end()
  yield { flush: true }
  said.say(text)
  said.end()
  yield text
  return undefined
}

/** What may be said of what a model gives. */
class Filter {
  silent = true
  readonly #said: Said
  readonly #voice = new Speakable()
  readonly #topics: TopicGuard

  constructor(call: AgentCall, said: Said) {
    this.#said = said
    this.#topics = new TopicGuard(call.settings.assistant.topics)
  }

  get forbidden(): string | undefined {
    return this.#topics.forbidden
  }

  put(words: string): Generator<Piece> {
    return this.#speak(this.#topics.put(this.#voice.put(words)))
  }

  *end(): Generator<Piece> {
    yield* this.#speak(this.#topics.put(this.#voice.end()))
    yield* this.#speak(this.#topics.end())
  }

  /** A last word that ends a sentence is whole; any other may be half of one. */
  breakOff(): Generator<Piece> {
    const rest = this.#voice.end()
    return this.#speak(/[.!?…]["'”’)]*\s*$/.test(rest) ? this.#topics.put(`${rest} `) : '')
  }

  *#speak(text: string): Generator<Piece> {
    if (text === '') return
    if (text.trim() !== '') this.silent = false
    this.#said.say(text)
    yield text
  }
}
