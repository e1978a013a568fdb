import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import { GatewayFailure, type Translator, type TranslatorParts } from '../gateway.ts'
import { TwimlRun } from './twiml-run.ts'
import { TwimlServer } from './twiml-server.ts'

/** After these the caller waits for an answer. */
const awaited: readonly LiveEvent['type'][] = ['user_speak', 'user_speech_unclear', 'transfer_failed']

/** A flow whose webhook answers with TwiML. */
export class TwilioTranslator implements Translator {
  readonly #deps: TranslatorParts
  #run: TwimlRun | undefined

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** The first event asks for the first document, whichever it is: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return
    if (event.type === 'session_end') return this.#run?.end()
    if (!this.#run) return this.#begin(event)
    const meant = this.#run.take(event)
    if (!meant && awaited.includes(event.type)) this.#deps.service.act({ type: 'done' })
  }

  close(): void {
    this.#run?.close()
  }

  async #begin({ session, turn = 0 }: LiveEvent): Promise<void> {
    const server = new TwimlServer({ ...this.#deps, session })
    const status = session.direction === 'outbound' ? 'in-progress' : 'ringing'
    const verbs = await server.ask({ url: '', method: 'POST', status })
    const run = new TwimlRun({ ...this.#deps, server, session, turn })
    this.#run = run
    run.conduct(verbs).catch((error: unknown) => this.#failed(error))
    this.#deps.service.act({ type: 'done' })
  }

  /** The call has begun, and goes on as the flow has it for an endpoint that is gone. */
  #failed(error: unknown): void {
    const message = error instanceof GatewayFailure ? error.message : 'The gateway failed because of a fault in the service'
    this.#run?.close()
    this.#deps.service.lost({ message, final: true })
  }
}
