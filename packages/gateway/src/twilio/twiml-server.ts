import type { Session } from '@offhook/contract/assistant/session.ts'
import { GatewayFailure, type ForeignReply, type GatewaySettings, type GatewayWays, type ServiceSide } from '../gateway.ts'
import { signatureHeader, twilioCall } from '../twilio-names.ts'
import { readTwiml, type Method, type Verb } from './twiml.ts'
import { XmlRefused } from './xml.ts'

const deadlineMs = 15_000

export interface TwimlServerDeps {
  settings: GatewaySettings
  ways: Pick<GatewayWays, 'request'>
  service: Pick<ServiceSide, 'problem'>
  session: Session
}

export interface TwimlRequest {
  /** As the document before said it: also relative, also empty for the same once more. */
  url: string
  method: Method
  fields?: Readonly<Record<string, string>>
  status?: 'ringing' | 'in-progress' | 'completed'
}

/** Asks the customer's server what to do next. */
export class TwimlServer {
  readonly #deps: TwimlServerDeps
  /** Of the document that is in force: what is relative counts from here. */
  #url: string

  constructor(deps: TwimlServerDeps) {
    this.#deps = deps
    this.#url = deps.settings.url
  }

  /** Rejects with GatewayFailure when there is no document. */
  async ask(input: TwimlRequest): Promise<Verb[]> {
    const url = this.#resolved(input.url)
    this.#url = url
    return this.#read(await this.#request(url, input))
  }

  #resolved(url: string): string {
    const resolved = url === '' ? this.#url : URL.parse(url, this.#url)?.href
    if (resolved !== undefined) return resolved
    throw new GatewayFailure({ opened: true, final: true, message: 'An address in the TwiML cannot be read' })
  }

  async #request(url: string, { method, fields = {}, status = 'in-progress' }: TwimlRequest): Promise<ForeignReply> {
    const { settings, ways, session } = this.#deps
    const form = { ...callFields(session, status), ...fields }
    const asked = method === 'GET' ? withQuery(url, form) : url
    const headers = {
      ...signatureHeader(settings.secret, asked, method === 'GET' ? {} : form),
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }),
    }
    const request = { method, url: asked, headers, deadlineMs, ...(method === 'POST' && { body: new URLSearchParams(form).toString() }) }
    try {
      return await ways.request(request)
    } catch (error) {
      if (!(error instanceof GatewayFailure) || error.end.refused) throw error
      return ways.request(request) // as Twilio does when a connection did not come about
    }
  }

  #read({ status, headers, body }: ForeignReply): Verb[] {
    if (status !== 200 && status !== 201) {
      if (status === 204) return []
      throw new GatewayFailure({ opened: true, status, message: `The endpoint answered ${status} instead of TwiML` })
    }
    const text = body.toString()
    if (text.trim() === '') return []
    if ((headers['content-type'] ?? '').startsWith('text/plain')) return [{ verb: 'say', text, loop: 1 }]
    try {
      return readTwiml(text)
    } catch (error) {
      if (!(error instanceof XmlRefused)) throw error
      this.#deps.service.problem(`The TwiML cannot be read: ${error.message}`)
      throw new GatewayFailure({ opened: true, final: true, message: 'The TwiML cannot be read' })
    }
  }
}

const callFields = (session: Session, status: NonNullable<TwimlRequest['status']>): Record<string, string> => {
  const { accountSid, callSid, from, to, direction } = twilioCall(session)
  const numbers = { From: from, To: to, Caller: from, Called: to }
  return { AccountSid: accountSid, ApiVersion: '2010-04-01', CallSid: callSid, CallStatus: status, Direction: direction, ...numbers }
}

const withQuery = (url: string, form: Readonly<Record<string, string>>): string => {
  const asked = new URL(url)
  for (const [name, value] of Object.entries(form)) asked.searchParams.append(name, value)
  return asked.href
}
