import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { GatewayFailure, type Translator, type TranslatorParts, type GatewaySettings, readJson } from './gateway.ts'
import { SpokenWords } from './speeches.ts'
import { Transcript, type Utterance } from './transcript.ts'
import { e164 } from './twilio-names.ts'
import { EventStreamReader } from '@offhook/sdk/event-stream.ts'

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

  /** Aborts the previous answer. */
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

/** A number, or an object with one. */
const targetIn = (destination: unknown): string | undefined => {
  if (typeof destination === 'string' && destination !== '') return destination
  const { number } = (destination ?? {}) as { number?: unknown }
  return typeof number === 'string' ? number : undefined
}

const speakingStyle = 'You talk on the telephone. Answer in short sentences that can be spoken.'
const greeting = 'The call has just begun. Greet the caller in one short sentence.'

/** Vapi appends the same path to the address of a custom LLM. */
const completionsAt = (url: string): string => {
  const asked = URL.parse(url)
  if (!asked || asked.pathname.endsWith('/chat/completions')) return url
  asked.pathname = `${asked.pathname.replace(/\/$/, '')}/chat/completions`
  return asked.href
}

/** Vapi's request to a custom LLM, with the fields that our calls have. */
const completionBody = (session: Session, settings: GatewaySettings, utterances: readonly Utterance[], now: number): string => {
  const said = utterances.map(({ role, content }) => ({ role: role === 'agent' ? 'assistant' : 'user', content }))
  const caller = e164(session.direction === 'outbound' ? session.to_phone_number : session.from_phone_number)
  const called = e164(session.direction === 'outbound' ? session.from_phone_number : session.to_phone_number)
  const content = utterances.length === 0 ? `${speakingStyle} ${greeting}` : speakingStyle
  return JSON.stringify({
    model: 'custom-llm',
    messages: [{ role: 'system', content: `${content} Language: ${settings.language}.` }, ...said],
    stream: true,
    temperature: 0.3,
    max_tokens: 300,
    tools: toolsFor(settings.transferTargets),
    call: {
      id: session.id,
      orgId: session.account_id,
      type: session.direction === 'outbound' ? 'outboundPhoneCall' : 'inboundPhoneCall',
      status: 'in-progress',
      customer: { number: caller },
    },
    customer: { number: caller },
    phoneNumber: { number: called },
    timestamp: now,
    metadata: {},
  })
}

const toolsFor = (targets: readonly string[]): object[] => {
  const named = targets.filter((target) => !target.endsWith('*'))
  const tool = (name: string, description: string, properties: object, required: readonly string[]): object => ({
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties, required } },
  })
  const destination = { type: 'string', ...(named.length === targets.length && { enum: named }) }
  return [
    tool('endCall', 'Ends the call after what was said.', {}, []),
    ...(targets.length > 0 ? [tool('transferCall', 'Puts the caller through to somebody else.', { destination }, ['destination'])] : []),
  ]
}

interface FunctionCall {
  name: string
  arguments: Record<string, unknown>
}

interface Pieces {
  name: string
  text: string
}

const maxUnreadable = 20

type Loose = Record<string, unknown>

const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null

/** Parses a streamed chat completion: text, and function calls when it is complete. */
export class Completion {
  readonly #onText: (text: string) => void
  readonly #decoder = new TextDecoder()
  readonly #reader = new EventStreamReader()
  readonly #calls = new Map<number, Pieces>()
  readonly #done: FunctionCall[] = []
  #raw = ''
  #unreadable = 0

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  read(bytes: Buffer): void {
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#raw += text
    for (const { data } of this.#reader.read(text)) this.#event(data)
  }

  /** The stream has ended. Returns the function calls; also supports a server that does not stream. */
  finish(): FunctionCall[] {
    for (const { data } of this.#reader.read('\n\n')) this.#event(data)
    if (this.#raw.trimStart().startsWith('{')) this.#chunk(readJson(this.#raw))
    const calls = [...this.#calls.values()].map(({ name, text }) => ({ name, arguments: argumentsIn(text) }))
    return [...this.#done, ...calls]
  }

  /** Ignores a server that sends only invalid chunks: rejecting them costs more than reading them. */
  #event(data: string): void {
    if (data === '' || data === '[DONE]' || this.#unreadable > maxUnreadable) return
    const chunk = readJson(data)
    if (chunk === undefined) this.#unreadable++
    else this.#chunk(chunk)
  }

  #chunk(chunk: unknown): void {
    if (!isObject(chunk)) return
    this.#whole(chunk.function_call)
    const [choice] = Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : []
    if (!isObject(choice)) return
    const delta = isObject(choice.delta) ? choice.delta : choice.message
    if (!isObject(delta)) return
    if (typeof delta.content === 'string' && delta.content !== '') this.#onText(delta.content)
    this.#piece(-1, delta.function_call)
    for (const [place, call] of (Array.isArray(delta.tool_calls) ? (delta.tool_calls as unknown[]) : []).entries())
      if (isObject(call)) this.#piece(typeof call.index === 'number' ? call.index : place, call.function)
  }

  /** Vapi also accepts the function call next to the choices, with its arguments as an object. */
  #whole(call: unknown): void {
    if (!isObject(call) || typeof call.name !== 'string') return
    this.#done.push({ name: call.name, arguments: isObject(call.arguments) ? call.arguments : argumentsIn(String(call.arguments)) })
  }

  #piece(index: number, call: unknown): void {
    if (!isObject(call)) return
    const pieces = this.#calls.get(index) ?? { name: '', text: '' }
    if (typeof call.name === 'string') pieces.name += call.name
    if (typeof call.arguments === 'string') pieces.text += call.arguments
    this.#calls.set(index, pieces)
  }
}

const argumentsIn = (text: string): Record<string, unknown> => {
  const value = readJson(text)
  return isObject(value) ? value : {}
}
