import { sdpOf } from '../message/body.ts'
import type { HeaderLines } from '../message/build.ts'
import { hasElement } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import type { SessionEnd } from './session.ts'
import { nothing } from '../transaction/timers.ts'
import type { InviteServer } from '../transaction/invite-server.ts'
import type { RequestServer } from '../transaction/request-server.ts'
import { Confirmation } from './confirmation.ts'
import { ReliableProvisionals } from './reliable-provisional.ts'
import { reasonHeader } from './session-core.ts'
import type { SessionCore } from './session-core.ts'

/** RFC 3261 §13.3.1.1: proxies on the way forget a call that says nothing for three minutes. */
const repeatProgressAfter = 60_000

/** The INVITE that starts an incoming session, until it is accepted and confirmed, refused or cancelled. */
export class IncomingSetup {
  readonly #core: SessionCore
  readonly #server: InviteServer
  readonly #offered: boolean
  readonly #reliability: 'required' | 'supported' | 'unknown'
  readonly #reliable: ReliableProvisionals
  /** accept() was called; nothing provisional any more. */
  #accepting = false
  /** A final response is out. */
  #answered = false
  /** A reliable response had the description, so that the 200 needs none. */
  #described = false
  #stopRepeating = nothing

  constructor(core: SessionCore, server: InviteServer) {
    this.#core = core
    this.#server = server
    const { request } = server
    this.#offered = sdpOf(request) !== undefined
    const required = hasElement(request.lines('require'), '100rel')
    this.#reliability = required ? 'required' : hasElement(request.lines('supported'), '100rel') ? 'supported' : 'unknown'
    this.#reliable = new ReliableProvisionals(core, server, () => this.refuse({ by: 'network', status: 504 }, 504))
    core.atEnd(() => this.#stopRepeating())
  }

  async progress(status: number, options: { sdp?: string | undefined; reliable?: boolean; headers?: HeaderLines }): Promise<boolean> {
    if (this.#accepting || this.#answered || this.#core.hasEnded()) return false
    this.#stopRepeating()
    this.#core.state = 'early'
    const { sdp, headers = [] } = options
    const reliable = this.#reliability === 'required' || (this.#reliability === 'supported' && options.reliable === true)
    if (reliable) return this.#progressReliably(status, sdp, headers)
    // An offer of ours has to be reliable (RFC 3261 §13.2.1), so it waits for the 200.
    const shown = this.#offered ? sdp : undefined
    const bytes = this.#core.reply(this.#server, status, { contact: true, sdp: shown, headers })
    this.#repeat(status, bytes)
    return true
  }

  async accept(options: { sdp?: string | undefined; headers?: HeaderLines }): Promise<boolean> {
    if (this.#accepting || this.#answered || this.#core.hasEnded()) return false
    this.#accepting = true
    this.#stopRepeating()
    // RFC 3262 §3: what was described reliably must be confirmed before the 2xx.
    if (this.#described) await this.#reliable.settled
    if (this.#core.hasEnded()) return false
    const ack = await this.#sendSuccess(options.sdp, options.headers ?? [])
    if (!ack) {
      this.#core.hangUp({ by: 'network', status: 408 }, reasonHeader('SIP;cause=408;text="No ACK"'))
      return false
    }
    if (!this.#offered && !this.#described) this.#takeAnswer(ack)
    return !this.#core.hasEnded()
  }

  /** A final response other than 2xx. */
  refuse(end: SessionEnd, status: number, headers: HeaderLines = []): void {
    if (this.#answered) return
    this.#answered = true
    this.#core.reply(this.#server, status, { headers })
    this.#core.finish(end)
  }

  /** By CANCEL, or by a BYE that came early. */
  cancelled(request: Request): void {
    const reason = request.header('reason')
    this.refuse({ by: 'peer', status: 487, message: request, ...(reason === undefined ? {} : { reason }) }, 487)
  }

  get answered(): boolean {
    return this.#answered
  }

  prack(request: Request, server: RequestServer): void {
    this.#reliable.prack(request, server)
  }

  #progressReliably(status: number, sdp: string | undefined, headers: HeaderLines): Promise<boolean> {
    // The same description again would be a new offer.
    const shown = this.#described ? undefined : sdp
    if (shown !== undefined) this.#describe(shown)
    return this.#reliable.send(status, { sdp: shown, offers: shown !== undefined && !this.#offered, headers })
  }

  #describe(sdp: string): void {
    this.#described = true
    this.#core.localSdp = sdp
    this.#core.negotiated = true
  }

  #sendSuccess(sdp: string | undefined, headers: HeaderLines): Promise<Request | undefined> {
    this.#answered = true
    this.#core.state = 'confirmed'
    this.#core.negotiated = this.#offered || this.#described
    const shown = this.#described ? undefined : sdp
    if (shown !== undefined) this.#core.localSdp = shown
    const { request } = this.#server
    const all = [...this.#core.timerAnswer(request), ...headers]
    const bytes = this.#core.reply(this.#server, 200, { contact: true, sdp: shown, headers: all })
    const confirmation = new Confirmation(this.#core.stack.clock, () => this.#server.respond(200, bytes))
    this.#core.confirmations.set(request.cseq.number, confirmation)
    this.#core.established = confirmation.done
    return confirmation.done
  }

  #takeAnswer(ack: Request): void {
    const answer = sdpOf(ack)
    if (answer === undefined) return this.#core.hangUp({ by: 'us', status: 488 }, reasonHeader('SIP;cause=488;text="No answer in ACK"'))
    this.#core.negotiated = true
    this.#core.tell((observer) => observer.acknowledged?.(answer, ack))
  }

  #repeat(status: number, bytes: Uint8Array): void {
    this.#stopRepeating = this.#core.stack.clock.after(repeatProgressAfter, () => {
      this.#server.respond(status, bytes)
      this.#repeat(status, bytes)
    })
  }
}
