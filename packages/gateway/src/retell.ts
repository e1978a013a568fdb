import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { type ForeignEnd, type ForeignSocket, type Translator, type TranslatorParts, openForeign, readJson } from './gateway.ts'
import { sendableDigits } from './relay/relay-messages.ts'
import { SpokenWords } from './speeches.ts'
import { Transcript } from './transcript.ts'
import { e164 } from './twilio-names.ts'

const pingIntervalMs = 2_000
/** Message types without an effect on the call. */
const silent = ['ping_pong', 'metadata', 'tool_call_invocation', 'tool_call_result']

/** A flow whose WebSocket address is a custom LLM for Retell. */
export class RetellTranslator implements Translator {
  readonly #deps: TranslatorParts
  readonly #transcript = new Transcript()
  readonly #words: SpokenWords
  #socket: ForeignSocket | undefined
  /** The newest response request and its turn. */
  #question = { id: 0, turn: 0 }
  #reconnects = false
  #ended = false
  #cancelPing: () => void = () => {}

  constructor(deps: TranslatorParts) {
    this.#deps = deps
    this.#words = new SpokenWords(deps.service)
  }

  /** Any first event opens the connection: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return this.#resume(event.last_sequence)
    if (event.type === 'session_end') return this.close()
    if (!this.#socket) await this.#open(event.session)
    this.#transcript.take(event)
    if (event.type === 'user_speak') this.#ask('response_required', event.turn)
    else if (event.type === 'user_input_timeout') this.#ask('reminder_required', event.turn)
    else if (event.type === 'user_speech_started') this.#update('user_turn')
    else if (event.type === 'assistant_speak') this.#update('agent_turn')
    else if (event.type === 'user_speech_unclear' || event.type === 'transfer_failed') this.#deps.service.act({ type: 'done' })
  }

  close(): void {
    this.#ended = true
    this.#cancelPing()
    this.#socket?.close()
  }

  /** Earlier requests have a lower id, so their answers are discarded as late. */
  #resume(last: number): void {
    this.#question = { id: last, turn: 0 }
  }

  async #open(session: Session): Promise<void> {
    const { settings, ways } = this.#deps
    const url = URL.parse(settings.url)
    if (url) url.pathname = `${url.pathname.replace(/\/$/, '')}/${encodeURIComponent(session.id)}`
    const keeps = (message: string): boolean => !message.includes('"ping_pong"')
    const input = { url: url?.href ?? settings.url, keeps }
    await openForeign(ways, input, {
      opened: (socket) => (this.#socket = socket),
      said: (message) => this.#said(message, session),
      closed: (end) => this.#closed(end),
    })
  }

  #ask(interaction_type: 'response_required' | 'reminder_required', turn = this.#question.turn): void {
    this.#words.end()
    this.#question = { id: this.#question.id + 1, turn }
    this.#notify({ interaction_type, response_id: this.#question.id, transcript: this.#transcript.utterances })
  }

  #update(turntaking: 'user_turn' | 'agent_turn'): void {
    this.#notify({ interaction_type: 'update_only', transcript: this.#transcript.utterances, turntaking })
  }

  #notify(message: object): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #said(text: string, session: Session): void {
    const message = readRetellMessage(text)
    if (!message) return this.#deps.service.problem('The message is not JSON with a response_type')
    if (message.response_type === 'config') return this.#configure(message, session)
    if (message.response_type === 'response') return this.#respond(message)
    if (message.response_type === 'agent_interrupt') return this.#interrupt(message)
    if (!silent.includes(message.response_type))
      this.#deps.service.problem(`Messages of the type ${message.response_type.slice(0, 40)} are not supported`)
  }

  #configure({ config }: RetellMessage, session: Session): void {
    this.#reconnects = config?.auto_reconnect === true
    if (config?.call_details === true) this.#notify(callDetails(session))
    if (this.#reconnects) this.#pingLater()
  }

  #pingLater(): void {
    const { clock } = this.#deps.ways
    this.#cancelPing()
    this.#cancelPing = clock.after(pingIntervalMs, () => {
      this.#notify({ interaction_type: 'ping_pong', timestamp: clock.now() })
      this.#pingLater()
    })
  }

  #respond(message: RetellMessage): void {
    if (message.response_id !== this.#question.id) return
    this.#speak(message)
  }

  #interrupt(message: RetellMessage): void {
    if (!this.#words.open) this.#deps.service.act({ type: 'barge_in' })
    this.#speak(message)
  }

  #speak(message: RetellMessage): void {
    const { turn } = this.#question
    const fields = message.no_interruption_allowed === true ? { barge_in: { strategy: 'manual' as const } } : {}
    if (typeof message.content === 'string') this.#words.put(message.content, turn, fields)
    if (message.content_complete !== true) return
    this.#words.end()
    this.#act(message, turn)
    this.#deps.service.act({ type: 'done', turn })
  }

  /** Actions after the speech. */
  #act({ end_call, transfer_number, digit_to_press }: RetellMessage, turn: number): void {
    const { service } = this.#deps
    const digits = typeof digit_to_press === 'string' ? sendableDigits(digit_to_press) : ''
    if (digits !== '') service.act({ type: 'send_dtmf', digits })
    if (typeof transfer_number === 'string' && transfer_number !== '') service.act({ type: 'transfer', target: transfer_number, turn })
    else if (end_call === true) service.act({ type: 'hangup', turn })
  }

  /** A proper close by the server ends the call; a broken connection is reopened if the server enabled that. */
  #closed(end: ForeignEnd): void {
    if (this.#ended) return
    this.#cancelPing()
    const { service } = this.#deps
    if (end.left && !this.#reconnects) return service.act({ type: 'hangup' })
    service.lost({ ...end, final: !this.#reconnects })
  }
}

/** Message of a custom LLM server; its fields are unvalidated. */
interface RetellMessage {
  response_type: string
  response_id?: unknown
  content?: unknown
  content_complete?: unknown
  no_interruption_allowed?: unknown
  end_call?: unknown
  transfer_number?: unknown
  digit_to_press?: unknown
  config?: { auto_reconnect?: unknown; call_details?: unknown } | null
}

/** Undefined if invalid. */
const readRetellMessage = (text: string): RetellMessage | undefined => {
  const message = readJson(text) as Partial<RetellMessage> | null | undefined
  return typeof message?.response_type === 'string' ? (message as RetellMessage) : undefined
}

const callDetails = (session: Session): object => ({
  interaction_type: 'call_details',
  call: {
    call_id: session.id,
    call_type: 'phone_call',
    call_status: 'ongoing',
    direction: session.direction ?? 'inbound',
    from_number: e164(session.from_phone_number),
    to_number: e164(session.to_phone_number ?? session.phone_number),
    metadata: {},
    retell_llm_dynamic_variables: {},
  },
})
