import { EventStreamReader } from '@offhook/sdk/event-stream.ts'

export interface FunctionCall {
  name: string
  arguments: Record<string, unknown>
}

interface Pieces {
  name: string
  text: string
}

type Loose = Record<string, unknown>

const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null

/** Reads the answer of a chat completion as it comes: words, and functions that are called when it is complete. */
export class Completion {
  readonly #onText: (text: string) => void
  readonly #decoder = new TextDecoder()
  readonly #reader = new EventStreamReader()
  readonly #calls = new Map<number, Pieces>()
  readonly #done: FunctionCall[] = []
  #raw = ''

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  read(bytes: Buffer): void {
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#raw += text
    for (const { data } of this.#reader.read(text)) if (data !== '[DONE]') this.#chunk(parsed(data))
  }

  /** All of it has come. Gives the functions that it calls; also a server that does not stream is understood. */
  finish(): FunctionCall[] {
    const rest = this.#reader.read('\n\n')
    for (const { data } of rest) if (data !== '[DONE]') this.#chunk(parsed(data))
    if (this.#raw.trimStart().startsWith('{')) this.#chunk(parsed(this.#raw))
    const calls = [...this.#calls.values()].map(({ name, text }) => ({ name, arguments: argumentsIn(text) }))
    return [...this.#done, ...calls]
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

  /** As Vapi takes it, too: the function beside the choices, with its arguments as they are. */
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

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const argumentsIn = (text: string): Record<string, unknown> => {
  const value = parsed(text)
  return isObject(value) ? value : {}
}
