import { randomUUID } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { OutboundFailure, type OutboundHttp, type OutboundReply } from '#core/kernel/ports/outbound-http.ts'
import type { SmsRouteState } from '#core/kernel/ports/sms-route-states.ts'
import { SmsLater, SmsRefused, type SmsPart, type SmsRoute } from '#core/kernel/ports/sms-routes.ts'
import type { SmsGateway } from './gateway-url.ts'

export interface GatewayRouteDeps {
  clock: Clock
  gateway: SmsGateway
  outbound: OutboundHttp
  /** Where the gateway tells what became of a message; known once the service listens. */
  receiptsUrl: () => string
}

const deadlineMs = 20_000
const maxBytes = 10_000
/** Delivered to the phone, not delivered, refused by the message centre: how it ended, and nothing on the way there. */
const endings = '19'
const soonThresholdMs = 5_000
const delayMs = 60_000

/** A gateway that takes messages by HTTP GET as Kannel's smsbox does; it cuts them into parts itself. */
export class GatewayRoute implements SmsRoute {
  readonly name = 'gateway'
  readonly takes = 'text'
  readonly #deps: GatewayRouteDeps
  #state: SmsRouteState

  constructor(deps: GatewayRouteDeps) {
    this.#deps = deps
    this.#state = { usable: true, reason: '', since: deps.clock.now() }
  }

  /** As the last message found it. */
  get state(): SmsRouteState {
    return this.#state
  }

  async submit(part: SmsPart): Promise<{ id: string }> {
    const { gateway, outbound, receiptsUrl } = this.#deps
    // Gateways name no id: receipts come back with ours, in the address that we give along.
    const id = randomUUID()
    const url = sendUrl(gateway, part, `${receiptsUrl()}?id=${id}&type=%d&answer=%A`)
    try {
      const reply = await outbound.request({ method: 'GET', url, deadlineMs, maxBytes }).catch(notSent)
      judge(reply, [gateway.password, part.sender, part.recipient, part.text])
    } catch (error) {
      this.#note(error instanceof SmsRefused ? '' : (error as Error).message)
      throw error
    }
    this.#note('')
    return { id }
  }

  #note(reason: string): void {
    if (reason !== this.#state.reason) this.#state = { usable: reason === '', reason, since: this.#deps.clock.now() }
  }
}

const sendUrl = ({ url, username, password }: SmsGateway, { sender, recipient, text, encoding }: SmsPart, receipts: string): string => {
  const address = new URL(url)
  const fields = {
    username,
    password,
    from: sender,
    to: recipient,
    text,
    charset: 'UTF-8',
    coding: encoding === 'GSM7' ? '0' : '2',
    'dlr-mask': endings,
    'dlr-url': receipts,
  }
  for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, value)
  return address.href
}

const notSent = (error: unknown): never => {
  if (error instanceof OutboundFailure && (error.kind === 'connect' || error.kind === 'refused'))
    throw new SmsLater(`The gateway cannot be reached: ${error.message}`, soonThresholdMs)
  throw error
}

/** A wrong login is the operator's fault and not the message's: that waits until it is right. */
const judge = ({ status, body }: OutboundReply, asked: readonly string[]): void => {
  if (status >= 200 && status < 300) return
  const said = `the gateway answered ${status}${inWords(body.toString().trim(), asked)}`
  // Kannel has 403 for a wrong login and for recipients that it has no way to.
  if (status === 403 && /do not try again/i.test(body.toString())) throw new SmsRefused(said)
  if ([401, 403, 408, 429, 503].includes(status)) throw new SmsLater(said, status === 503 ? soonThresholdMs : delayMs)
  if (status >= 400 && status < 500) throw new SmsRefused(said)
  throw new Error(said)
}

/** Its words go to logs and to operators; some servers repeat what they were asked, with password, numbers and text. */
const inWords = (words: string, asked: readonly string[]): string => {
  const repeats = asked.some((one) => one !== '' && [one, one.replace('+', ''), encodeURIComponent(one)].some((it) => words.includes(it)))
  return words === '' || repeats ? '' : `: ${words.slice(0, 200)}`
}
