import { type HeaderLines, reasonPhrase } from '../message/build.ts'
import { hasElement, parseValue, formatReplaces, parseReplaces, type NameAddr, parseNameAddr } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import type { ReferOptions, IncomingRefer, Session } from './session.ts'
import type { RequestServer } from '../transaction/server-transactions.ts'
import type { SessionContext } from './session-context.ts'
import { SipError } from '../grammar/scan.ts'
import { parseUri } from '../grammar/uri.ts'

/** Accepted, but the outcome was not reported. */
const unknownOutcome = 202

/** Our pending REFER. */
interface Asked {
  /** CSeq of the REFER; undefined until it is answered, because NOTIFY may arrive first. */
  cseq: number | undefined
  last: number
  notified: (status: number) => void
  resolve: (status: number) => void
}

/** The first line of a message/sipfrag: `SIP/2.0 200 OK`. */
const fragmentStatus = (request: Request): number | undefined => {
  const text = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength).toString('latin1', 0, 16)
  const status = Number(text.slice(8, 11))
  return text.toUpperCase().startsWith('SIP/2.0 ') && status >= 100 && status <= 699 ? status : undefined
}

/** REFER in both directions (RFC 3515) and the progress of the new call. */
export class Transfers {
  readonly #context: ReferralContext & Pick<SessionContext, 'observer'>
  readonly #asked = new Set<Asked>()
  #received = 0

  constructor(context: ReferralContext & Pick<SessionContext, 'observer'>) {
    this.#context = context
    context.lifecycle.atEnd(() => {
      for (const asked of this.#asked) this.#settle(asked, asked.last >= 200 ? asked.last : unknownOutcome)
    })
  }

  async refer(uri: string, options: ReferOptions): Promise<number> {
    if (this.#context.lifecycle.state !== 'confirmed') return 481
    const { promise, resolve } = Promise.withResolvers<number>()
    const asked: Asked = { cseq: undefined, last: 100, notified: (status) => options.notified?.(status), resolve }
    this.#asked.add(asked)
    const target = options.replaces ? withReplaces(uri, options.replaces) : uri
    const headers: (readonly [string, string])[] = [['Refer-To', `<${target}>`]]
    if (options.referredBy !== undefined) headers.push(['Referred-By', options.referredBy])
    void this.#ask(asked, [...headers, ...(options.headers ?? [])])
    return promise
  }

  async #ask(asked: Asked, headers: HeaderLines): Promise<void> {
    const { lifecycle, messages } = this.#context
    const { status, response } = await messages.send('REFER', { contact: true, headers }, lifecycle.dialog)
    asked.cseq = response?.cseq.number
    const silent = response?.header('refer-sub')?.trim().toLowerCase() === 'false'
    if (status >= 300) this.#settle(asked, status)
    else if (silent) this.#settle(asked, unknownOutcome)
  }

  /** Progress of a call requested by our REFER. */
  notify(request: Request, server: RequestServer): void {
    const event = parseValue(request.header('event') ?? '-')
    if (event.value.toLowerCase() !== 'refer')
      return void this.#context.messages.reply(server, 489, { headers: [['Allow-Events', 'refer']] })
    const asked = this.#meant(event.params['id'])
    if (!asked) return void this.#context.messages.reply(server, 481)
    const terminated = hasElement([parseValue(request.header('subscription-state') ?? '-').value], 'terminated')
    this.#context.messages.reply(server, 200)
    const status = fragmentStatus(request)
    if (status !== undefined) {
      asked.last = status
      this.#context.observer.notify(() => asked.notified(status))
    }
    if (asked.last >= 200) this.#settle(asked, asked.last)
    else if (terminated) this.#settle(asked, unknownOutcome)
  }

  received(server: RequestServer): void {
    const referral = new Referral(this.#context, server, this.#received++ === 0)
    if (this.#context.lifecycle.state !== 'confirmed') return referral.reject(481)
    const taken = this.#context.observer.notify((observer) => {
      observer.referred?.(referral)
      return observer.referred !== undefined
    })
    if (!taken) referral.reject(603)
  }

  #meant(id: string | undefined): Asked | undefined {
    for (const asked of this.#asked) if (id === undefined || asked.cseq === undefined || String(asked.cseq) === id) return asked
    return undefined
  }

  #settle(asked: Asked, status: number): void {
    this.#asked.delete(asked)
    asked.resolve(status)
  }
}

/** Seconds that the subscription of a REFER lasts: longer than any call rings. */
const subscriptionSeconds = 300

/** The Refer-To of an attended transfer: the new call replaces this session. */
const withReplaces = (uri: string, session: Session): string => {
  const { callId, localTag, remoteTag = '' } = session
  const value = formatReplaces({ callId, toTag: remoteTag, fromTag: localTag, earlyOnly: false })
  return `${uri}${uri.includes('?') ? '&' : '?'}Replaces=${encodeURIComponent(value)}`
}

/** Ignores other headers in a Refer-To URI. */
const withoutHeaders = (address: NameAddr): NameAddr => {
  const start = address.uri.indexOf('?')
  return start < 0 ? address : { ...address, uri: address.uri.slice(0, start) }
}

const replacesIn = (address: NameAddr): string | undefined =>
  address.uri.includes('?') && /^sips?:/i.test(address.uri) ? parseUri(address.uri).headers['replaces'] : undefined

type ReferralContext = Pick<SessionContext, 'stack' | 'lifecycle' | 'messages'>

/** An incoming REFER and its implicit subscription: RFC 3515, RFC 4488. */
class Referral implements IncomingRefer {
  readonly request: Request
  readonly referTo: NameAddr
  readonly replaces: string | undefined
  readonly replaced: Session | undefined
  readonly referredBy: string | undefined
  readonly #context: ReferralContext
  readonly #server: RequestServer
  /** Identifies the subscription if the dialog has had others. */
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
    parseUri(this.referTo.uri) // 416 if the target cannot be called
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

  /** Sends sequentially: the last NOTIFY must not overtake the others. */
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
