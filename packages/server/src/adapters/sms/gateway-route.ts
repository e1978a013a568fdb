import { randomUUID } from 'node:crypto'
import { OutboundFailure, type OutboundHttp, type OutboundReply } from '../../core/ports/outbound-http.ts'
import { SmsLater, SmsRefused, type SmsPart, type SmsRoute } from '../../core/ports/sms-routes.ts'
import type { SmsGateway } from './gateway-url.ts'

export interface GatewayRouteParts {
  gateway: SmsGateway
  outbound: OutboundHttp
  /** Where the gateway tells what became of a message; known once the service listens. */
  receiptsUrl: () => string
}

const deadlineMs = 20_000
const maxBytes = 10_000
/** Delivered to the phone, not delivered, refused by the message centre: how it ended, and nothing on the way there. */
const endings = '19'
const soonMs = 5_000
const laterMs = 60_000

/** A gateway that takes messages by HTTP GET as Kannel's smsbox does; it cuts them into parts itself. */
export const gatewayRoute = ({ gateway, outbound, receiptsUrl }: GatewayRouteParts): SmsRoute => ({
  name: 'gateway',
  takes: 'text',
  async submit(part) {
    // Gateways name no id: receipts come back with ours, in the address that we give along.
    const id = randomUUID()
    const url = sendUrl(gateway, part, `${receiptsUrl()}?id=${id}&type=%d&answer=%A`)
    const reply = await outbound.request({ method: 'GET', url, deadlineMs, maxBytes }).catch(notSent)
    judge(reply)
    return { id }
  },
})

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
    throw new SmsLater(`The gateway cannot be reached: ${error.message}`, soonMs)
  throw error
}

/** A wrong login is the operator's fault and not the message's: that waits until it is right. */
const judge = ({ status, body }: OutboundReply): void => {
  if (status >= 200 && status < 300) return
  const said = `the gateway answered ${status}: ${body.toString().trim().slice(0, 200)}`
  if ([401, 403, 408, 429, 503].includes(status)) throw new SmsLater(said, status === 503 ? soonMs : laterMs)
  if (status >= 400 && status < 500) throw new SmsRefused(said)
  throw new Error(said)
}
