import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import {
  GatewayFailure,
  type Translator,
  type TranslatorParts,
  type ForeignEnd,
  type ForeignSocket,
  type ForeignSocketWish,
  type GatewayWays,
  type ServiceSide,
  openForeign,
} from '../gateway.ts'
import { signatureHeader } from '../twilio-names.ts'
import {
  plainRelay,
  readSigns,
  type RelaySettings,
  type Signs,
  readRelayMessage,
  sendableDigits,
  setupMessage,
  soundAt,
  type RelayMessage,
} from './relay-messages.ts'
import type { EventOf, SpeechFields } from '@offhook/sdk/answering.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { SpokenWords } from '../speeches.ts'

/** A flow whose WebSocket address is a ConversationRelay server; attributes that Twilio takes from TwiML have their defaults. */
export class RelayTranslator implements Translator {
  readonly #deps: TranslatorParts
  #relay: RelaySession | undefined
  #ending = false

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** Any first event opens the connection: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return this.#resume(event.last_sequence)
    if (event.type === 'session_end') return this.close()
    if (!this.#relay) await this.#open(event)
    this.#relay?.take(event)
    // Twilio stops listening once the server has ended the session.
    if (this.#ending && event.type === 'user_speak') this.#deps.service.act({ type: 'hangup', now: true })
  }

  close(): void {
    this.#relay?.close()
  }

  #resume(last: number): void {
    if (last > 0)
      throw new GatewayFailure({ opened: true, final: true, message: 'ConversationRelay knows no second connection for a call' })
  }

  async #open({ session, turn = 0 }: LiveEvent): Promise<void> {
    const { settings, ways, service } = this.#deps
    const { url, secret, language } = settings
    const input = { url, headers: signatureHeader(secret, url) }
    this.#relay = new RelaySession({
      settings: plainRelay(language),
      ways,
      service,
      wish: input,
      session,
      onEnd: (end) => this.#ended(end),
    })
    await this.#relay.open(turn)
  }

  /** There is no TwiML for a next step: the call ends. */
  #ended(end: RelayEnd): void {
    const { service } = this.#deps
    if (end.by === 'connection' && end.end.left !== true) return service.lost({ ...end.end, final: true })
    this.#ending = true
    service.act({ type: 'hangup' })
  }
}

/** Cause of the end: the server ended it or disconnected. */
export type RelayEnd = { by: 'server'; handoffData?: string } | { by: 'connection'; end: ForeignEnd }

interface RelaySessionDeps {
  settings: RelaySettings
  ways: GatewayWays
  service: ServiceSide
  wish: ForeignSocketWish
  session: Session
  /** Called once; no more speech follows. */
  onEnd: (end: RelayEnd) => void
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Whether speech counts as an interruption. */
const bySpeech = (signs: Signs): boolean => signs === 'any' || signs === 'speech'
const byKeys = (signs: Signs): boolean => signs === 'any' || signs === 'dtmf'

/** One ConversationRelay WebSocket, from Twilio's side. */
export class RelaySession {
  readonly #deps: RelaySessionDeps
  readonly #words: SpokenWords
  #socket: ForeignSocket | undefined
  #turn = 0
  #ttsLanguage: string | undefined
  #language: string
  /** Interruption setting of the current speech. */
  #signs: Signs
  #preemptible = false
  /** The caller has interrupted the rest of this turn's speech. */
  #notListening = false
  /** An interruption is reported with the caller's next words, unless reported before. */
  #toldInterrupt = false
  /** The server itself has replaced the current speech. */
  #preempted = false
  #ended = false

  constructor(deps: RelaySessionDeps) {
    this.#deps = deps
    this.#words = new SpokenWords(deps.service)
    this.#language = deps.settings.transcriptionLanguage
    this.#signs = deps.settings.interruptible
  }

  /** Resolves when the setup message has been sent. */
  async open(turn: number): Promise<void> {
    const { ways, wish: input } = this.#deps
    this.#turn = turn
    await openForeign(ways, input, {
      opened: (socket) => this.#opened(socket),
      said: (message) => this.#said(message),
      closed: (end) => this.#finished({ by: 'connection', end }),
    })
  }

  take(event: LiveEvent): void {
    if (this.#ended) return
    this.#turn = event.turn ?? this.#turn
    if (event.type === 'user_speak') this.#prompt(event)
    else if (event.type === 'user_speak_partial' && this.#deps.settings.partialPrompts)
      this.#notify({ type: 'prompt', voicePrompt: event.text, lang: this.#language, last: false })
    else if (event.type === 'assistant_speak') this.#spoke(event)
    else if (event.type === 'dtmf_received' && this.#deps.settings.dtmfDetection) this.#pressed(event.digit)
    else if (event.type === 'user_speech_unclear') this.#deps.service.act({ type: 'done' })
  }

  close(): void {
    this.#ended = true
    this.#socket?.close()
  }

  #opened(socket: ForeignSocket): void {
    this.#socket = socket
    if (this.#ended) return socket.close()
    const { session, settings } = this.#deps
    socket.send(setupMessage(session, settings.customParameters))
    this.#greet()
  }

  #greet(): void {
    const { welcomeGreeting, welcomeGreetingInterruptible } = this.#deps.settings
    const { service } = this.#deps
    this.#signs = welcomeGreetingInterruptible
    if (welcomeGreeting !== undefined && welcomeGreeting !== '') {
      this.#words.put(welcomeGreeting, this.#turn, this.#fields(undefined))
      this.#words.end()
    }
    service.act({ type: 'done', turn: this.#turn }) // a server may wait for the caller to speak first
  }

  #prompt({ text: voicePrompt, barged_in, heard_text = '', heard_ms = 0, language }: EventOf<'user_speak'>): void {
    if (barged_in) this.#interrupted(heard_text, heard_ms)
    this.#toldInterrupt = false
    this.#notListening = false
    this.#words.end()
    this.#notify({ type: 'prompt', voicePrompt, lang: language ?? this.#language, last: true })
  }

  #spoke({ heard_text, duration_ms }: EventOf<'assistant_speak'>): void {
    if (heard_text !== undefined && !this.#preempted) this.#interrupted(heard_text, duration_ms)
    this.#preempted = false
  }

  #interrupted(utteranceUntilInterrupt: string, durationMs: number): void {
    if (this.#toldInterrupt) return
    this.#toldInterrupt = true
    this.#notListening = this.#words.open
    this.#notify({ type: 'interrupt', utteranceUntilInterrupt, durationUntilInterruptMs: Math.round(durationMs) })
  }

  #pressed(digit: string): void {
    if (byKeys(this.#signs)) this.#deps.service.act({ type: 'barge_in' })
    this.#notify({ type: 'dtmf', digit })
  }

  #notify(message: object): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #said(frame: string): void {
    if (this.#ended) return
    const message = readRelayMessage(frame)
    if (message) return this.#do(message)
    this.#refuse('The message is not JSON with a type.')
  }

  #do(message: RelayMessage): void {
    switch (message.type) {
      case 'text':
        return this.#speak(message)
      case 'play':
        return this.#play(message)
      case 'sendDigits':
        return this.#sendDigits(message)
      case 'language':
        return this.#speakIn(message)
      case 'end':
        return this.#finished({
          by: 'server',
          ...(text(message.handoffData) !== undefined && { handoffData: text(message.handoffData) ?? '' }),
        })
      default:
        this.#refuse(`Messages of the type ${message.type.slice(0, 40)} are not known.`)
    }
  }

  #speak(message: RelayMessage): void {
    const last = message.last === true
    if (this.#notListening) {
      if (last) this.#notListening = false
      return
    }
    if (!this.#words.open) this.#begin(message)
    this.#words.put(text(message.token) ?? '', this.#turn, this.#fields(text(message.lang)))
    if (!last) return
    this.#words.end()
    this.#deps.service.act({ type: 'done', turn: this.#turn })
  }

  /** Starts a new speech and drops a preemptible one. */
  #begin({ interruptible, preemptible }: RelayMessage): void {
    const { settings, service } = this.#deps
    this.#toldInterrupt = false
    this.#preempted = this.#preemptible
    if (this.#preemptible) service.act({ type: 'barge_in', turn: this.#turn })
    this.#signs = readSigns(interruptible, settings.interruptible)
    this.#preemptible = typeof preemptible === 'boolean' ? preemptible : settings.preemptible
  }

  #play(message: RelayMessage): void {
    const source = text(message.source)
    if (source === undefined) return this.#refuse('play has no source.')
    this.#words.end()
    this.#begin(message)
    this.#deps.service.act({ type: 'speak', turn: this.#turn, ssml: soundAt(source, message.loop), ...this.#bargeIn() })
  }

  #sendDigits(message: RelayMessage): void {
    const digits = sendableDigits(text(message.digits) ?? '')
    if (digits === '') return this.#refuse('sendDigits has no digits.')
    this.#deps.service.act({ type: 'send_dtmf', digits })
  }

  #speakIn(message: RelayMessage): void {
    this.#ttsLanguage = text(message.ttsLanguage) ?? this.#ttsLanguage
    const heard = text(message.transcriptionLanguage)
    if (heard === undefined) return
    this.#language = heard
    this.#deps.service.act({ type: 'configure_transcription', languages: [heard] })
  }

  #fields(language: string | undefined): SpeechFields {
    const { ttsLanguage } = this.#deps.settings
    const spoken = language ?? this.#ttsLanguage ?? ttsLanguage
    return { ...(spoken !== undefined && { tts: { language: spoken } }), ...this.#bargeIn() }
  }

  /** By default the flow's barge-in setting applies. */
  #bargeIn(): Pick<SpeechFields, 'barge_in'> {
    if (bySpeech(this.#signs)) return {}
    return { barge_in: { strategy: bySpeech(this.#deps.settings.reportInputDuringAgentSpeech) ? 'manual' : 'none' } }
  }

  #refuse(description: string): void {
    this.#deps.service.problem(description)
    this.#notify({ type: 'error', description })
  }

  #finished(end: RelayEnd): void {
    if (this.#ended) return
    this.#words.end()
    this.close()
    this.#deps.onEnd(end)
  }
}
