import { randomUUID } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { OutboundFailure, type OutboundHttp, type OutboundReply } from '#core/kernel/ports/outbound.ts'
import type { SmsRouteState } from '#core/kernel/ports/messages.ts'
import { SmsLater, SmsRefused, type SmsPart, type SmsRoute } from '#core/kernel/ports/messages.ts'
import type { SmsGateway } from './gateway-url.ts'

interface GatewayRouteDeps {
  clock: Clock
  gateway: SmsGateway
  outbound: OutboundHttp
  /** URL for the gateway's receipts; known once the service listens. */
  receiptsUrl: () => string
}

const deadlineMs = 20_000
const maxBytes = 10_000
/** Delivered to the phone, not delivered, rejected by the message centre: final states only. */
const endings = '19'
const soonThresholdMs = 5_000
const delayMs = 60_000

/** A gateway that accepts messages by HTTP GET like Kannel's smsbox; it splits them into parts itself. */
export class GatewayRoute implements SmsRoute {
  readonly name = 'gateway'
  readonly takes = 'text'
  readonly #deps: GatewayRouteDeps
  #state: SmsRouteState

  constructor(deps: GatewayRouteDeps) {
    this.#deps = deps
    this.#state = { usable: true, reason: '', since: deps.clock.now() }
  }

  /** As of the last message. */
  get state(): SmsRouteState {
    return this.#state
  }

  async submit(part: SmsPart): Promise<{ id: string }> {
    const { gateway, outbound, receiptsUrl } = this.#deps
    // Gateways return no id: receipts come back with ours, in the URL that we pass.
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

/** A wrong login is the operator's fault and not the message's: the message waits until it is fixed. */
const judge = ({ status, body }: OutboundReply, asked: readonly string[]): void => {
  if (status >= 200 && status < 300) return
  const said = `the gateway answered ${status}${inWords(body.toString().trim(), asked)}`
  // Kannel answers 403 for a wrong login and for recipients without a route.
  if (status === 403 && /do not try again/i.test(body.toString())) throw new SmsRefused(said)
  if ([401, 403, 408, 429, 503].includes(status)) throw new SmsLater(said, status === 503 ? soonThresholdMs : delayMs)
  if (status >= 400 && status < 500) throw new SmsRefused(said)
  throw new Error(said)
}

/** Its text goes to logs and operators; some servers repeat the request, with password, numbers and text. */
const inWords = (words: string, asked: readonly string[]): string => {
  const repeats = asked.some((one) => one !== '' && [one, one.replace('+', ''), encodeURIComponent(one)].some((it) => words.includes(it)))
  return words === '' || repeats ? '' : `: ${words.slice(0, 200)}`
}
