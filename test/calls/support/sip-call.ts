import { header, token, uriOf, type Draft, type SipText, type SipWire } from './sip-text.ts'

/** Telephone's callbacks for its call. */
export interface CallObserver {
  /** The far end answered; `sdp` is its answer to the offer. */
  answered(sdp: string): void
  /** Re-INVITE from the far end; returns the SDP answer or a rejection status. */
  offered(sdp: string): string | number
  /** Called once. `status`: final status if the call was rejected. */
  ended(status: number | undefined): void
}

interface Ends {
  local: string
  remote: string
  invite?: SipText
}

const retryMs = 500
const ackLimitMs = 30_000
const timeoutMs = 30_000

/** One call as a plain telephone sees it: the subset of RFC 3261 for two well-behaved peers, including glare and packet loss. */
export class SipCall {
  readonly id: string
  /** Caller's SDP offer. */
  readonly offer: string
  readonly invitation: SipText | undefined
  observer: CallObserver | undefined
  readonly #wire: SipWire
  readonly #tag = token()
  readonly #local: string
  #remote: string
  #target = ''
  #cseq = 1
  #state: 'calling' | 'called' | 'talking' | 'over' = 'calling'
  #busy = false
  #repeating: NodeJS.Timeout | undefined

  constructor(wire: SipWire, { local, remote, invite }: Ends) {
    this.#wire = wire
    this.id = invite ? header(invite, 'call-id') : token()
    this.offer = invite?.body ?? ''
    this.invitation = invite
    this.#local = `${local};tag=${this.#tag}`
    this.#remote = remote
    if (!invite) return
    this.#state = 'called'
    this.#target = uriOf(header(invite, 'contact'))
  }

  get over(): boolean {
    return this.#state === 'over'
  }

  get talking(): boolean {
    return this.#state === 'talking'
  }

  invite(uri: string, sdp: string): void {
    this.#target = uri
    const draft = { ...this.#draft('INVITE'), body: sdp }
    this.#cseq += 1 // the authenticated request has the next CSeq
    void this.#wire.ask(draft).then((response) => this.#wasAnswered(response))
  }

  ring(): void {
    if (this.#state === 'called' && this.invitation) this.#wire.reply(this.invitation, 180, { tag: this.#tag })
  }

  accept(sdp: string): void {
    if (this.#state !== 'called' || !this.invitation) return
    this.#state = 'talking'
    this.#agree(this.invitation, sdp)
  }

  refuse(status: number): void {
    if (this.#state !== 'called' || !this.invitation) return
    this.#wire.reply(this.invitation, status, { tag: this.#tag })
    this.#finish(status)
  }

  hangUp(): void {
    if (this.#state === 'talking') {
      const bye = this.#draft('BYE')
      this.#finish(undefined)
      void this.#wire.ask(bye)
    } else if (this.#state === 'calling') this.#wire.cancel(this.id)
    else this.refuse(486)
  }

  /** Sends a re-INVITE. Returns the answer; undefined if it was rejected or the call has ended. */
  async reoffer(sdp: string): Promise<string | undefined> {
    for (const since = performance.now(); performance.now() - since < timeoutMs && this.#state === 'talking';) {
      if (this.#busy) {
        await pause(30)
        continue
      }
      this.#busy = true
      const draft = { ...this.#draft('INVITE'), body: sdp }
      const response = await this.#wire.ask(draft)
      this.#busy = false
      if (response.status < 300) this.#wire.acknowledge(response, draft)
      if (response.status !== 491) return response.status < 300 ? response.body : undefined
      await pause(50 + Math.random() * 150)
    }
    return undefined
  }

  receive(request: SipText): void {
    if (request.method === 'ACK') return this.#acknowledged()
    if (this.over) return this.#wire.reply(request, 481)
    if (request.method === 'INVITE') return this.#offered(request)
    this.#wire.reply(request, 200)
    if (request.method === 'BYE') this.#finish(undefined)
    if (request.method === 'CANCEL' && this.#state === 'called' && this.invitation) {
      this.#wire.reply(this.invitation, 487, { tag: this.#tag })
      this.#finish(487)
    }
  }

  /** Clears its timers. */
  forget(): void {
    clearInterval(this.#repeating)
  }

  #offered(request: SipText): void {
    if (this.#busy || this.#repeating) return this.#wire.reply(request, 491)
    const answer = this.observer?.offered(request.body) ?? 488
    if (typeof answer === 'number') this.#wire.reply(request, answer)
    else this.#agree(request, answer)
  }

  /** Retransmits the 200 until the ACK arrives. */
  #agree(request: SipText, sdp: string): void {
    const say = (): void => this.#wire.reply(request, 200, { tag: this.#tag, body: sdp })
    const since = performance.now()
    say()
    this.#repeating = setInterval(() => {
      if (performance.now() - since > ackLimitMs) this.#acknowledged()
      else say()
    }, retryMs)
  }

  #acknowledged(): void {
    clearInterval(this.#repeating)
    this.#repeating = undefined
  }

  #wasAnswered(response: SipText): void {
    if (response.status >= 300) return this.#finish(response.status)
    this.#remote = header(response, 'to')
    this.#target = uriOf(header(response, 'contact'))
    const cseq = Number(header(response, 'cseq').split(' ')[0])
    this.#cseq = cseq + 1
    this.#wire.acknowledge(response, { ...this.#draft('ACK'), cseq })
    this.#cseq = cseq + 1
    if (this.over) return void this.#wire.ask(this.#draft('BYE')) // the CANCEL came too late
    this.#state = 'talking'
    this.observer?.answered(response.body)
  }

  #finish(status: number | undefined): void {
    if (this.over) return
    this.#state = 'over'
    this.#acknowledged()
    this.observer?.ended(status)
  }

  #draft(method: string): Draft {
    const [from, to] = [this.#local, this.#remote]
    return { method, uri: this.#target, from, to, callId: this.id, cseq: this.#cseq++ }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
