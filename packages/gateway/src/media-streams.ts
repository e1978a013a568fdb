import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import {
  GatewayFailure,
  type ForeignEnd,
  type ForeignSocket,
  type Translator,
  type TranslatorParts,
  readJson,
  openForeign,
} from './gateway.ts'
import { sid, signatureHeader, twilioCall } from './twilio-names.ts'

/** µ-law, one byte per sample. */
const bytesPerMs = 8

interface StreamMessage {
  event?: unknown
  media?: { payload?: unknown }
  mark?: { name?: unknown }
}

/** The timeline keeps no audio. */
const keeps = (message: string): boolean => !message.startsWith('{"event":"media"')

/** A flow whose WebSocket address is a server for Twilio's bidirectional Media Streams: audio as base64 of µ-law, in JSON. */
export class MediaStreams implements Translator {
  readonly #deps: TranslatorParts
  #socket: ForeignSocket | undefined
  #session: Session | undefined
  #messages = 0
  #chunks = 0
  /** Bytes of caller audio so far. */
  #bytes = 0
  /** Marks not yet reported as heard: returned to the server when its audio is cleared. */
  #marks: string[] = []
  #ended = false

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** Any first event opens the connection: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return this.#resume(event.last_sequence)
    if (event.type === 'session_end') return this.#stop()
    if (!this.#socket) await this.#open(event.session)
    if (event.type === 'dtmf_received') this.#notify('dtmf', { dtmf: { track: 'inbound_track', digit: event.digit } })
    else if (event.type === 'audio_played') this.#reached(event.name)
    else if (event.type === 'audio_cleared') while (this.#marks[0] !== undefined) this.#reached(this.#marks[0])
  }

  takeBytes(bytes: Buffer): void {
    if (!this.#socket || this.#ended) return
    const timestamp = String(Math.round(this.#bytes / bytesPerMs))
    this.#bytes += bytes.length
    this.#notify('media', { media: { track: 'inbound', chunk: String(++this.#chunks), timestamp, payload: bytes.toString('base64') } })
  }

  close(): void {
    this.#ended = true
    this.#socket?.close()
  }

  #resume(last: number): void {
    if (last > 0) throw new GatewayFailure({ opened: true, final: true, message: 'Media Streams knows no second connection for a call' })
  }

  async #open(session: Session): Promise<void> {
    const { url, secret } = this.#deps.settings
    this.#session = session
    const input = { url, headers: signatureHeader(secret, url), keeps }
    this.#socket = await openForeign(this.#deps.ways, input, { said: (text) => this.#said(text), closed: (end) => this.#left(end) })
    if (this.#ended) return this.#socket.close()
    this.#socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }))
    const { accountSid, callSid } = twilioCall(session)
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }
    this.#notify('start', {
      start: { accountSid, streamSid: this.#streamSid, callSid, tracks: ['inbound'], mediaFormat, customParameters: {} },
    })
  }

  get #streamSid(): string {
    return sid('MZ', this.#session?.id ?? '')
  }

  #notify(event: string, more: object): void {
    this.#socket?.send(JSON.stringify({ event, sequenceNumber: String(++this.#messages), streamSid: this.#streamSid, ...more }))
  }

  #reached(name: string): void {
    const at = this.#marks.indexOf(name)
    if (at < 0) return
    this.#marks.splice(at, 1)
    this.#notify('mark', { mark: { name } })
  }

  #said(text: string): void {
    if (this.#ended) return
    const message = readMessage(text)
    if (message?.event === 'media') return this.#sound(message.media?.payload)
    if (message?.event === 'mark') return this.#mark(message.mark?.name)
    if (message?.event === 'clear') return this.#deps.service.act({ type: 'audio_clear' })
    this.#deps.service.problem('Messages must be JSON with the event media, mark or clear.')
  }

  #sound(payload: unknown): void {
    if (typeof payload !== 'string') return this.#deps.service.problem('media has no payload.')
    const bytes = Buffer.from(payload, 'base64')
    if (bytes.length > 0) this.#deps.service.play(bytes)
  }

  #mark(name: unknown): void {
    if (typeof name !== 'string' || name === '' || name.length > 100)
      return this.#deps.service.problem('mark has no name of 1 to 100 characters.')
    this.#marks.push(name)
    this.#deps.service.act({ type: 'audio_mark', name })
  }

  #stop(): void {
    const { accountSid, callSid } = twilioCall(this.#session ?? { id: '', account_id: '', phone_number: '' })
    if (this.#session) this.#notify('stop', { stop: { accountSid, callSid } })
    this.close()
  }

  /** There is no TwiML for a next step: the call ends when all audio has been heard. */
  #left(end: ForeignEnd): void {
    if (this.#ended) return
    this.#ended = true
    const { service } = this.#deps
    if (end.left === true) service.act({ type: 'hangup' })
    else service.lost({ ...end, final: true })
  }
}

const readMessage = (text: string): StreamMessage | undefined => {
  const value = readJson(text)
  return typeof value === 'object' && value !== null ? value : undefined
}
