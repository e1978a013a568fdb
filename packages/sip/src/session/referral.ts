import { formatReplaces, parseReplaces } from '../grammar/headers.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Request } from '../message/message.ts'
import type { NameAddr } from '../grammar/name-addr.ts'
import { parseNameAddr } from '../grammar/name-addr.ts'
import { reasonPhrase } from '../message/reason-phrases.ts'
import type { IncomingRefer, Session } from './session.ts'
import { SipError } from '../grammar/sip-error.ts'
import type { RequestServer } from '../transaction/request-server.ts'
import { parseUri } from '../grammar/uri.ts'
import type { SessionContext } from './session-context.ts'

/** How long the subscription of a REFER lasts, in seconds: longer than any call rings. */
const subscriptionSeconds = 300

/** The Refer-To of an attended transfer: the new call shall take the place of this session. */
export const withReplaces = (uri: string, session: Session): string => {
  const { callId, localTag, remoteTag = '' } = session
  const value = formatReplaces({ callId, toTag: remoteTag, fromTag: localTag, earlyOnly: false })
  return `${uri}${uri.includes('?') ? '&' : '?'}Replaces=${encodeURIComponent(value)}`
}

/** Other headers in a Refer-To URI are not applied. */
const withoutHeaders = (address: NameAddr): NameAddr => {
  const start = address.uri.indexOf('?')
  return start < 0 ? address : { ...address, uri: address.uri.slice(0, start) }
}

const replacesIn = (address: NameAddr): string | undefined =>
  address.uri.includes('?') && /^sips?:/i.test(address.uri) ? parseUri(address.uri).headers['replaces'] : undefined

export type ReferralContext = Pick<SessionContext, 'stack' | 'lifecycle' | 'messages'>

/** A REFER that came in, and the subscription that comes with it: RFC 3515, RFC 4488. */
export class Referral implements IncomingRefer {
  readonly request: Request
  readonly referTo: NameAddr
  readonly replaces: string | undefined
  readonly replaced: Session | undefined
  readonly referredBy: string | undefined
  readonly #context: ReferralContext
  readonly #server: RequestServer
  /** Names the subscription when the dialog has had others. */
  readonly #id: string
  readonly #subscribed: boolean
  #state: 'asked' | 'accepted' | 'over' = 'asked'
  #queue: Promise<unknown> = Promise.resolve()

  /** Throws SipError(400) without exactly one readable Refer-To. */
  constructor(context: ReferralContext, server: RequestServer, first: boolean) {
    this.request = server.request
    this.#context = context
    this.#server = server
    this.#id = first ? '' : `;id=${server.request.cseq.number}`
    this.#subscribed = this.request.header('refer-sub')?.trim().toLowerCase() !== 'false'
    const lines = this.request.lines('refer-to')
    if (lines.length !== 1) throw new SipError(400, 'Refer-To is missing')
    const address = parseNameAddr(lines[0] ?? '')
    this.referTo = withoutHeaders(address)
    parseUri(this.referTo.uri) // 416: the target cannot be called
    this.replaces = replacesIn(address)
    this.replaced = this.#findReplaced()
    this.referredBy = this.request.header('referred-by')
  }

  accept(): void {
    if (this.#state !== 'asked') return
    this.#state = 'accepted'
    this.#context.messages.reply(this.#server, 202, { contact: true, headers: this.#subscribed ? [] : [['Refer-Sub', 'false']] })
    this.#send(100, undefined)
  }

  reject(status: number, headers: HeaderLines = []): void {
    if (this.#state !== 'asked') return
    this.#state = 'over'
    this.#context.messages.reply(this.#server, status, { headers })
  }

  notify(status: number, reason?: string): void {
    this.accept()
    if (this.#state !== 'accepted') return
    if (status >= 200) this.#state = 'over'
    this.#send(status, reason)
  }

  #findReplaced(): Session | undefined {
    if (this.replaces === undefined) return undefined
    const { callId, toTag, fromTag } = parseReplaces(this.replaces)
    return this.#context.stack.find(callId, toTag, fromTag)
  }

  /** One after the other: the last NOTIFY must not overtake the others. */
  #send(status: number, reason: string | undefined): void {
    if (!this.#subscribed) return
    const state = status < 200 ? `active;expires=${subscriptionSeconds}` : 'terminated;reason=noresource'
    const headers: HeaderLines = [
      ['Event', `refer${this.#id}`],
      ['Subscription-State', state],
    ]
    const body = { type: 'message/sipfrag;version=2.0', content: `SIP/2.0 ${status} ${reason ?? reasonPhrase(status)}\r\n` }
    const { lifecycle, messages } = this.#context
    const notify = (): unknown => (lifecycle.left ? undefined : messages.send('NOTIFY', { contact: true, headers, body }, lifecycle.dialog))
    this.#queue = this.#queue.then(notify)
    if (!lifecycle.hasEnded()) lifecycle.byeWaitsFor(this.#queue)
  }
}
