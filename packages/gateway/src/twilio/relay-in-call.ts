import type { Session } from '@offhook/contract/assistant/session.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import { GatewayFailure, type TranslatorParts } from '../gateway.ts'
import { RelaySession, type RelayEnd } from '../relay/relay-session.ts'
import { sid, signatureHeader } from '../twilio-names.ts'
import { relayIn } from './relay-in-twiml.ts'
import type { XmlElement } from './xml.ts'

export interface RelayInCallDeps extends TranslatorParts {
  relay: XmlElement
  session: Session
  turn: number
  /** The caller is gone: what the address after it is told. */
  onHungUp: (fields: Record<string, string>) => Promise<void>
}

/** What the address after it is told. */
export interface RelayOver {
  fields: Record<string, string>
  /** Nobody could be reached, or it broke. */
  failure?: GatewayFailure
}

/** `<Connect><ConversationRelay>`: a part of the call that another server has. */
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
