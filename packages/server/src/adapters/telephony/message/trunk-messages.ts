import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { TokenBuckets, type TokenRate } from '#core/kernel/token-bucket.ts'
import type { TakeTrunkText } from '#core/kernel/ports/messages.ts'
import type { Trunk } from '#core/kernel/ports/store/operate.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import { dialledOver, trunkCaller, readNumber } from '../identity/identity.ts'
import { rejectionOf, tooMany, messageId, textOf } from './message-text.ts'

interface TrunkMessagesOptions {
  clock: Clock
  /** Country for carriers' national numbers. */
  country: string
  onError: (error: unknown) => void
}

/** A carrier sends for many customers. */
const rate: TokenRate = { burst: 200, perSecond: 50 }
const keptSenders = 10_000

/** Text messages from carriers over trunks (RFC 3428). */
export class TrunkMessages {
  readonly #options: TrunkMessagesOptions
  readonly #limit: TokenBuckets
  #take: TakeTrunkText = () => Promise.reject(new Problem('line_unavailable'))

  constructor(options: TrunkMessagesOptions) {
    this.#options = options
    this.#limit = new TokenBuckets(options.clock, keptSenders)
  }

  onText(take: TakeTrunkText): void {
    this.#take = take
  }

  /** Answers a MESSAGE from this trunk; never rejects. */
  async answer(incoming: IncomingRequest, trunk: Trunk): Promise<void> {
    const { request } = incoming
    if (request.toTag !== undefined) return incoming.respond(481)
    const { status, headers } = await this.#takeFrom(trunk, request)
    incoming.respond(status, { headers })
  }

  async #takeFrom({ id: trunkId, settings }: Trunk, request: Request): Promise<SipRejection> {
    const { country, onError } = this.#options
    const said = textOf(request)
    if ('status' in said) return said
    if (!this.#limit.take(trunkId, rate)) return tooMany(503, Math.ceil(this.#limit.secondsUntil(trunkId, rate)))
    const read = (written: string) => readNumber(written, settings.numberFormat, country)
    const { number, withheld } = trunkCaller(request, read)
    const sender = withheld ? undefined : number
    try {
      await this.#take({ sender, recipient: dialledOver(request, settings, read), text: said.text, id: messageId(trunkId, request) })
      return { status: 200, headers: [] }
    } catch (error) {
      return rejectionOf(error, onError)
    }
  }
}
