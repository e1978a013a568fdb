import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import { GatewayFailure, type ForeignEnd, type ForeignSocket, type Translator, type TranslatorParts } from '../gateway.ts'
import { openForeign } from '../open-foreign.ts'
import { functionOutput, keepsMessage, readServerMessage, realtimeRequest, userText, type ServerMessage } from './realtime-messages.ts'
import { SpokenItems } from './spoken-items.ts'

interface FunctionCall {
  callId: string
  name: string
  arguments: string
}

/** A flow whose WebSocket address is a speech-to-speech model behind OpenAI's Realtime interface: sound to it and from it, functions as actions. */
export class OpenAiRealtime implements Translator {
  readonly #deps: TranslatorParts
  readonly #spoken = new SpokenItems()
  #socket: ForeignSocket | undefined
  /** Nobody else writes down what the caller says: words that come all the same were typed. */
  #takesTyped = false
  #greeted = false
  /** Done when everything was said that comes with them. */
  #calls: FunctionCall[] = []
  #transfer: string | undefined
  #ended = false

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** The first event opens the connection, whichever it is: another process may have had the call before. */
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

  /** The model speaks first, as people do who answer a telephone. */
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

  /** Whether the target is allowed the service decides. */
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
  try {
    const { target } = JSON.parse(given) as { target?: unknown }
    return typeof target === 'string' && target.trim() !== '' ? target.trim() : undefined
  } catch {
    return undefined
  }
}
