import type { HeaderLines } from '../message/build.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import { parseRetryAfter, type NameAddr } from '../grammar/headers.ts'
import { leniently } from '../grammar/scan.ts'
import type { Response } from '../message/message.ts'
import { newCallId } from '../transaction/transactions.ts'
import { nothing } from '../transaction/timers.ts'
import type { Flow, SipClock } from '../transport/transport.ts'
import { parseUri } from '../grammar/uri.ts'
import type { UserAgent } from './user-agent.ts'

/** Times in milliseconds of the clock. */
export type RegistrationState =
  | { state: 'registering' }
  /** `serviceRoute`: Route values for calls over it (RFC 3608). */
  | { state: 'registered'; until: number; serviceRoute: readonly string[] }
  /** 408: no response; 503: unreachable. Retries automatically. */
  | { state: 'failed'; status: number; reason: string; retryAt: number }
  | { state: 'closed' }

export interface RegistrationOptions {
  ua: Pick<UserAgent, 'request'>
  clock: SipClock
  /** 0 to 1, as jitter, so that clients do not return at the same moment. */
  random(): number
  /** The Request-URI: `sip:example.org`. */
  registrar: string
  /** The address-of-record: `sip:alice@example.org`. */
  address: string
  /** The user part of our Contact. */
  contactUser: string
  routes?: readonly string[]
  headers?: HeaderLines
  digest?: DigestClient | undefined
  flow?: Flow | undefined
  /** Requested seconds. Default: 3600. */
  expires?: number
  /** Called on each change. */
  changed?(state: RegistrationState): void
}

/** Fraction of the granted time after which it is renewed. */
const renewAfter = 0.85
/** RFC 5626 §4.5, in milliseconds. */
const firstWait = 30_000
const maxWaitLength = 1_800_000
/** Minimum seconds between two REGISTERs, regardless of the granted time. */
const minExpires = 10
const maxExpires = 86_400
/** Number of 423 retries before it counts as a failure. */
const maxIntervals = 3

const numberIn = (text: string | undefined): number | undefined => {
  const number = Number(text)
  return text !== undefined && text.trim() !== '' && Number.isInteger(number) && number >= 0 ? number : undefined
}

/** Stays registered at a registrar: refreshes, backs off after failures, and unregisters at the end. */
export class Registration {
  readonly #options: RegistrationOptions
  readonly #callId = newCallId()
  #state: RegistrationState = { state: 'registering' }
  #cseq = 0
  #expires: number
  #failures = 0
  #bound = false
  #closed = false
  #stopTimer = nothing
  #running: Promise<void> | undefined

  constructor(options: RegistrationOptions) {
    this.#options = options
    this.#expires = options.expires ?? 3_600
  }

  get state(): RegistrationState {
    return this.#state
  }

  /** Registers now: at the start, or because our address or connection has changed. */
  register(): void {
    if (this.#closed || this.#running) return
    this.#stopTimer()
    this.#running = this.#attempt().finally(() => {
      this.#running = undefined
    })
  }

  /** Resolves when the registration, if any, was removed. The user agent must still be open. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#stopTimer()
    await this.#running
    if (this.#bound) await this.#send(0)
    this.#become({ state: 'closed' })
  }

  /** Another process registers from now on: sends no more requests. */
  abandon(): void {
    if (this.#closed) return
    this.#closed = true
    this.#stopTimer()
    this.#become({ state: 'closed' })
  }

  async #attempt(): Promise<void> {
    if (this.#state.state !== 'registered') this.#become({ state: 'registering' })
    let response = await this.#send(this.#expires)
    for (let tries = 1; response.status === 423 && tries < maxIntervals; tries++) {
      this.#expires = Math.min(Math.max(numberIn(response.header('min-expires')) ?? 0, this.#expires), maxExpires)
      response = await this.#send(this.#expires)
    }
    if (response.status < 300) this.#bound = true
    if (this.#closed) return
    if (response.status < 300) this.#succeeded(response)
    else this.#failed(response)
  }

  async #send(expires: number): Promise<Response> {
    const { address, contactUser, digest, flow, headers = [], registrar, routes = [], ua } = this.#options
    const response = await ua.request({
      method: 'REGISTER',
      uri: registrar,
      from: `<${address}>`,
      to: `<${address}>`,
      callId: this.#callId,
      cseq: this.#cseq + 1,
      contactUser,
      contactParams: `;expires=${expires}`,
      headers: [['Expires', String(expires)], ...headers],
      routes,
      digest,
      flow,
    })
    this.#cseq = response.cseq.number
    return response
  }

  #succeeded(response: Response): void {
    this.#failures = 0
    const granted = Math.min(Math.max(this.#granted(response), minExpires), maxExpires)
    const now = this.#options.clock.now()
    this.#become({ state: 'registered', until: now + granted * 1000, serviceRoute: leniently(() => response.list('service-route')) ?? [] })
    this.#again(granted * 1000 * renewAfter)
  }

  #failed(response: Response): void {
    this.#failures++
    const maxLength = Math.min(firstWait * 2 ** (this.#failures - 1), maxWaitLength)
    const asked = leniently(() => parseRetryAfter(response.header('retry-after') ?? '')) ?? 0
    const wait = Math.max(maxLength * (0.5 + this.#options.random() / 2), Math.min(asked * 1000, maxWaitLength))
    this.#become({ state: 'failed', status: response.status, reason: response.reason, retryAt: this.#options.clock.now() + wait })
    this.#again(wait)
  }

  #again(ms: number): void {
    this.#stopTimer = this.#options.clock.after(ms, () => this.register())
  }

  /** The response lists all contacts of this address; ours has our user part, and the newest expires last. */
  #granted(response: Response): number {
    const ours = response.contacts.filter((contact) => this.#isOurs(contact))
    const each = ours.map((contact) => numberIn(contact.params['expires'])).filter((value) => value !== undefined)
    return each.length > 0 ? Math.max(...each) : (numberIn(response.header('expires')) ?? this.#expires)
  }

  #isOurs(contact: NameAddr): boolean {
    return leniently(() => parseUri(contact.uri).user ?? '') === this.#options.contactUser
  }

  #become(state: RegistrationState): void {
    this.#state = state
    this.#options.changed?.(state)
  }
}
