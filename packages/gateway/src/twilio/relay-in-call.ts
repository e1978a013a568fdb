import type { Session } from '@offhook/contract/assistant/session.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import { GatewayFailure, type TranslatorParts } from '../gateway.ts'
import { RelaySession, type RelayEnd } from '../relay/relay-translator.ts'
import { sid, signatureHeader } from '../twilio-names.ts'
import { type XmlElement, childrenOf } from './twiml.ts'
import { plainRelay, readSigns, type RelaySettings } from '../relay/relay-messages.ts'

interface RelayInCallDeps extends TranslatorParts {
  relay: XmlElement
  session: Session
  turn: number
  /** The caller hung up: fields for the action address. */
  onHungUp: (fields: Record<string, string>) => Promise<void>
}

/** Result for the action address. */
interface RelayOver {
  fields: Record<string, string>
  /** The server was unreachable, or the connection broke. */
  failure?: GatewayFailure
}

/** `<Connect><ConversationRelay>`: a part of the call handled by another server. */
export class RelayInCall {
  readonly over: Promise<RelayOver>
  readonly #deps: RelayInCallDeps
  readonly #relay: RelaySession
  readonly #started: number
  #finish: (over: RelayOver) => void = () => {}

  constructor(deps: RelayInCallDeps) {
    this.#deps = deps
    this.#started = deps.ways.clock.now()
    this.over = new Promise((resolve) => (this.#finish = resolve))
    const { settings, ways, service, session, relay } = deps
    const wanted = relayIn(relay, settings.language)
    const url = relay.attributes.url ?? ''
    const input = { url, headers: signatureHeader(settings.secret, url) }
    if (relay.attributes.transcriptionLanguage !== undefined || relay.attributes.language !== undefined)
      service.act({ type: 'configure_transcription', languages: [wanted.transcriptionLanguage] })
    this.#relay = new RelaySession({ settings: wanted, ways, service, wish: input, session, onEnd: (end) => this.#ended(end) })
    this.#relay.open(deps.turn).catch((error: unknown) => this.#failed(error))
  }

  take(event: LiveEvent): void {
    this.#relay.take(event)
  }

  async hungUp(): Promise<void> {
    this.#relay.close()
    await this.#deps.onHungUp(this.#fields('completed'))
  }

  close(): void {
    this.#relay.close()
  }

  #ended(end: RelayEnd): void {
    if (end.by === 'server') {
      const handoff = end.handoffData !== undefined && { HandoffData: end.handoffData }
      return this.#finish({ fields: { ...this.#fields('ended'), ...handoff } })
    }
    if (end.end.left) return this.#finish({ fields: this.#fields('ended') })
    this.#failed(new GatewayFailure(end.end))
  }

  #failed(error: unknown): void {
    const failure = error instanceof GatewayFailure ? error : new GatewayFailure({ opened: true, message: 'The gateway failed' })
    const fields = { ...this.#fields('failed'), ErrorCode: '64102', ErrorMessage: failure.message }
    this.#finish({ fields, failure })
  }

  #fields(status: 'ended' | 'completed' | 'failed'): Record<string, string> {
    const seconds = Math.round((this.#deps.ways.clock.now() - this.#started) / 1000)
    return { SessionId: sid('VX', this.#deps.session.id), SessionStatus: status, SessionDuration: String(seconds) }
  }
}

/** Reads the attributes of `<ConversationRelay>` and its `<Parameter>`s. */
const relayIn = (element: XmlElement, language: string): RelaySettings => {
  const { attributes: given } = element
  const spoken = given.ttsLanguage ?? given.language
  const parameters = childrenOf(element).filter(({ name }) => name === 'Parameter')
  return {
    ...plainRelay(given.transcriptionLanguage ?? given.language ?? language),
    ...(given.welcomeGreeting !== undefined && { welcomeGreeting: given.welcomeGreeting }),
    ...(spoken !== undefined && { ttsLanguage: spoken }),
    welcomeGreetingInterruptible: readSigns(given.welcomeGreetingInterruptible, 'any'),
    interruptible: readSigns(given.interruptible, 'any'),
    reportInputDuringAgentSpeech: readSigns(given.reportInputDuringAgentSpeech, 'none'),
    preemptible: given.preemptible === 'true',
    partialPrompts: given.partialPrompts === 'true',
    dtmfDetection: given.dtmfDetection === 'true',
    customParameters: Object.fromEntries(parameters.map(({ attributes: { name = '', value = '' } }) => [name, value])),
  }
}
