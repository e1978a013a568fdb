import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import { GatewayFailure, type Translator, type TranslatorParts } from '../gateway.ts'
import { signatureHeader } from '../twilio-names.ts'
import { RelaySession, type RelayEnd } from './relay-session.ts'
import { plainRelay } from './relay-settings.ts'

/** A flow whose WebSocket address is a ConversationRelay server: what Twilio is told by TwiML has its default. */
export class RelayTranslator implements Translator {
  readonly #deps: TranslatorParts
  #relay: RelaySession | undefined
  #ending = false

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** The first event opens the connection, whichever it is: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return this.#resume(event.last_sequence)
    if (event.type === 'session_end') return this.close()
    if (!this.#relay) await this.#open(event)
    this.#relay?.take(event)
    // Twilio does not listen any more once the server has said that it is over.
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
    this.#relay = new RelaySession({ settings: plainRelay(language), ways, service, wish: input, session, onEnd: (end) => this.#ended(end) })
    await this.#relay.open(turn)
  }

  /** There is no TwiML that says what comes next: the call is over. */
  #ended(end: RelayEnd): void {
    const { service } = this.#deps
    if (end.by === 'connection' && end.end.left !== true) return service.lost({ ...end.end, final: true })
    this.#ending = true
    service.act({ type: 'hangup' })
  }
}
