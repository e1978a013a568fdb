import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import {
  GatewayFailure,
  type ForeignEnd,
  type ForeignSocket,
  type Translator,
  type TranslatorParts,
  readJson,
  openForeign,
  type GatewaySettings,
} from './gateway.ts'

interface FunctionCall {
  callId: string
  name: string
  arguments: string
}

/**
 * A flow whose WebSocket address is a speech-to-speech model behind OpenAI's Realtime interface: audio in both directions, functions as
 * actions.
 */
export class OpenAiRealtime implements Translator {
  readonly #deps: TranslatorParts
  readonly #spoken = new SpokenItems()
  #socket: ForeignSocket | undefined
  /** The service transcribes no caller audio in this mode, so any text was typed. */
  #takesTyped = false
  #greeted = false
  /** Run after all speech that precedes them. */
  #calls: FunctionCall[] = []
  #transfer: string | undefined
  #ended = false

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** Any first event opens the connection: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return this.#resume(event.last_sequence)
    if (event.type === 'session_end') return this.close()
    if (event.type === 'session_start') this.#takesTyped = event.media?.mode === 'audio'
    if (!this.#socket) await this.#open()
    if (event.type === 'audio_cleared') this.#cleared(event.played_ms)
    else if (event.type === 'dtmf_received') this.#ask(userText(`The caller pressed the key ${event.digit}.`))
    else if (event.type === 'user_speak' && this.#takesTyped) this.#ask(userText(event.text))
    else if (event.type === 'transfer_failed') this.#notTransferred(event.cause)
  }

  takeBytes(bytes: Buffer): void {
    if (!this.#ended) this.#notify({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') })
  }

  close(): void {
    this.#ended = true
    this.#socket?.close()
  }

  #resume(last: number): void {
    if (last > 0) throw new GatewayFailure({ opened: true, final: true, message: 'The model knows no second connection for a call' })
  }

  async #open(): Promise<void> {
    const { settings, ways } = this.#deps
    const { url, session } = realtimeRequest(settings)
    const headers = settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` }
    const observer = { said: (text: string) => this.#said(text), closed: (end: ForeignEnd) => this.#left(end) }
    this.#socket = await openForeign(ways, { url, headers, keeps: keepsMessage }, observer)
    if (this.#ended) return this.#socket.close()
    this.#notify({ type: 'session.update', session })
  }

  #notify(message: object): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #ask(item: object): void {
    this.#notify(item)
    this.#notify({ type: 'response.create' })
  }

  #cleared(playedMs: number): void {
    for (const truncation of this.#spoken.heardUntil(playedMs)) this.#notify({ type: 'conversation.item.truncate', ...truncation })
  }

  #said(text: string): void {
    if (this.#ended) return
    const message = readServerMessage(text)
    if (!message) return this.#deps.service.problem('The message is not JSON with a type.')
    switch (message.type) {
      case 'session.updated':
        return this.#greet()
      case 'response.output_audio.delta':
        return this.#sounds(message)
      case 'input_audio_buffer.speech_started':
        this.#spoken.cut()
        return this.#deps.service.act({ type: 'audio_clear' })
      case 'response.function_call_arguments.done':
        return this.#called(message)
      case 'response.output_audio_transcript.done':
        return this.#deps.service.act({ type: 'note', name: 'said', data: { text: textOf(message.transcript) } })
      case 'response.done':
        return this.#perform()
      case 'error':
        return this.#deps.service.problem(`The model reports an error: ${textOf(message.error?.message) || 'unknown'}`)
    }
  }

  /** The model speaks first, like a person answering the phone. */
  #greet(): void {
    if (!this.#greeted) this.#notify({ type: 'response.create' })
    this.#greeted = true
  }

  #sounds({ delta, item_id: id, content_index: index }: ServerMessage): void {
    if (typeof delta !== 'string' || typeof id !== 'string') return
    const bytes = Buffer.from(delta, 'base64')
    if (bytes.length > 0 && this.#spoken.add(id, typeof index === 'number' ? index : 0, bytes.length)) this.#deps.service.play(bytes)
  }

  #called({ call_id: callId, name, arguments: given }: ServerMessage): void {
    if (typeof callId !== 'string' || typeof name !== 'string') return
    this.#calls.push({ callId, name, arguments: typeof given === 'string' ? given : '{}' })
  }

  #perform(): void {
    for (const call of this.#calls.splice(0)) {
      if (call.name === 'hang_up') this.#deps.service.act({ type: 'hangup' })
      else if (call.name === 'transfer_call') this.#transferTo(call)
      else this.#ask(functionOutput(call.callId, 'There is no such function.'))
    }
  }

  /** The service decides whether the target is allowed. */
  #transferTo({ callId, arguments: given }: FunctionCall): void {
    const target = targetIn(given)
    if (target === undefined) return this.#ask(functionOutput(callId, 'No target was given.'))
    this.#transfer = callId
    this.#deps.service.act({ type: 'transfer', target })
  }

  #notTransferred(cause: string): void {
    const callId = this.#transfer
    this.#transfer = undefined
    if (callId !== undefined) this.#ask(functionOutput(callId, `The call was not taken there: ${cause}. The caller is still here.`))
  }

  #left(end: ForeignEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#deps.service.lost({ ...end, final: true })
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 4000) : '')

const targetIn = (given: string): string | undefined => {
  const { target } = Object(readJson(given)) as { target?: unknown }
  return typeof target === 'string' && target.trim() !== '' ? target.trim() : undefined
}

/** Functions of the model. */
const hangUp = {
  type: 'function',
  name: 'hang_up',
  description: 'Ends the call after what was said. Say goodbye first.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
}

const transfer = (targets: readonly string[]) => ({
  type: 'function',
  name: 'transfer_call',
  description: 'Connects the caller with somebody else. Say so first.',
  parameters: {
    type: 'object',
    properties: { target: { type: 'string', description: `One of: ${targets.join(', ')}; with * at the end, any number that begins so` } },
    required: ['target'],
    additionalProperties: false,
  },
})

/** Query parameters for the session, not for the server's address. */
const sessionFields = ['instructions', 'voice', 'prompt'] as const

interface RealtimeRequest {
  url: string
  session: object
}

/** Address and first message of a session. Uses telephone audio formats to avoid conversion. */
const realtimeRequest = ({ url, transferTargets }: Pick<GatewaySettings, 'url' | 'transferTargets'>): RealtimeRequest => {
  const address = new URL(url)
  const given = Object.fromEntries(sessionFields.map((name) => [name, address.searchParams.get(name) ?? '']))
  for (const name of sessionFields) address.searchParams.delete(name)
  const format = { type: 'audio/pcmu' }
  return {
    url: address.href,
    session: {
      type: 'realtime',
      output_modalities: ['audio'],
      audio: {
        input: { format, turn_detection: { type: 'server_vad' } },
        output: { format, ...(given['voice'] !== '' && { voice: given['voice'] }) },
      },
      ...(given['instructions'] !== '' && { instructions: given['instructions'] }),
      ...(given['prompt'] !== '' && { prompt: { id: given['prompt'] } }),
      tools: transferTargets.length > 0 ? [hangUp, transfer(transferTargets)] : [hangUp],
    },
  }
}

interface ServerMessage {
  type: string
  delta?: unknown
  item_id?: unknown
  content_index?: unknown
  call_id?: unknown
  name?: unknown
  arguments?: unknown
  transcript?: unknown
  error?: { message?: unknown; code?: unknown }
}

const readServerMessage = (text: string): ServerMessage | undefined => {
  const value = readJson(text)
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? (value as ServerMessage)
    : undefined
}

/** The timeline keeps no audio. */
const keepsMessage = (message: string): boolean =>
  !message.includes('"input_audio_buffer.append"') && !message.includes('"response.output_audio.delta"')

const userText = (text: string): object => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})

const functionOutput = (callId: string, output: string): object => ({
  type: 'conversation.item.create',
  item: { type: 'function_call_output', call_id: callId, output },
})

/** µ-law, one byte per sample. */
const bytesPerMs = 8

interface SpokenItem {
  id: string
  contentIndex: number
  fromMs: number
  ms: number
}

interface Truncation {
  item_id: string
  content_index: number
  audio_end_ms: number
}

/** Spoken items of the model and how much of them was heard. Counts as the service does: all heard audio of the session. */
class SpokenItems {
  #items: SpokenItem[] = []
  #sentMs = 0
  /** Id of the interrupted item: its further audio is dropped. */
  #cut: string | undefined

  /** Returns false if the item was interrupted. */
  add(id: string, contentIndex: number, bytes: number): boolean {
    if (id === this.#cut) return false
    let item = this.#items.at(-1)
    if (item?.id !== id) {
      item = { id, contentIndex, fromMs: this.#sentMs, ms: 0 }
      this.#items.push(item)
    }
    item.ms += bytes / bytesPerMs
    this.#sentMs += bytes / bytesPerMs
    return true
  }

  /** The caller interrupts the last item. */
  cut(): void {
    this.#cut = this.#items.at(-1)?.id ?? this.#cut
  }

  /** Only `playedMs` were heard: returns the truncations for the model. */
  heardUntil(playedMs: number): Truncation[] {
    this.cut()
    const forgotten = this.#items.filter(({ fromMs, ms }) => fromMs + ms > playedMs)
    this.#items = []
    this.#sentMs = playedMs
    return forgotten.map(({ id, contentIndex, fromMs }) => ({
      item_id: id,
      content_index: contentIndex,
      audio_end_ms: Math.max(0, Math.round(playedMs - fromMs)),
    }))
  }
}
