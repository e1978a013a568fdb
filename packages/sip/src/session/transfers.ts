import type { HeaderLines } from '../message/build.ts'
import { hasElement, parseValue } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import type { ReferOptions } from './session.ts'
import type { RequestServer } from '../transaction/request-server.ts'
import { Referral, withReplaces } from './referral.ts'
import type { ReferralContext } from './referral.ts'
import type { SessionContext } from './session-context.ts'

/** Accepted, but the outcome was not reported. */
const unknownOutcome = 202

/** A REFER of ours whose outcome we wait for. */
interface Asked {
  /** Of the REFER; unknown until it is answered. NOTIFY may be faster. */
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

/** REFER in both directions (RFC 3515) and how the new call goes. */
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

  /** The progress of a call that we asked for with REFER. */
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
