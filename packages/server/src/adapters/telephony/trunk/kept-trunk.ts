import { isIPv6, isIP } from 'node:net'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { HeldTrunk, Trunk, TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import type { Holder } from '#core/kernel/ports/calls.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import { Registration, type RegistrationState } from '@offhook/sip/user-agent/registration.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { parseNameAddr } from '@offhook/sip/grammar/headers.ts'
import { formatUri, makeUri, parseUri } from '@offhook/sip/grammar/uri.ts'
import type { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { Resolver } from '../transport/resolver.ts'
import { PING_TIMEOUT_MS, PULSE_MS, TrunkPulse } from './trunk-pulse.ts'

export interface StoredTrunkOptions {
  clock: Clock
  vault: Vault
  ua: Pick<UserAgent, 'request'>
  resolver: Pick<Resolver, 'locate' | 'avoid' | 'approve'>
  random: () => number
  /** Its registration or usability changed. */
  changed: (trunk: StoredTrunk) => void
  /** The addresses of its host changed. */
  moved: () => void
}

/** One active trunk: its registration, health checks and addresses. */
export class StoredTrunk {
  readonly trunk: Trunk
  /** Answers the carrier's challenges in every request. */
  readonly digest: DigestClient | undefined
  readonly #options: StoredTrunkOptions
  readonly #pulse: TrunkPulse
  #registration: Registration | undefined
  #holder: Holder
  #registeredUntil = 0
  #serviceRoute: readonly string[] = []
  #address: string
  #hostAddresses: readonly string[] = []
  #since: number
  #seen: Pick<StoredTrunk, 'registered' | 'usable' | 'problem'> = { registered: false, usable: false, problem: undefined }
  #refusedLogin: string | undefined
  #refusedCall: string | undefined
  #cancelExpiry = (): void => {}

  constructor(trunk: Trunk, options: StoredTrunkOptions) {
    this.trunk = trunk
    this.#options = options
    this.#since = options.clock.now()
    this.#address = trunk.settings.host
    this.digest = digestFor(trunk, options.vault)
    this.#pulse = new TrunkPulse({
      clock: options.clock,
      locate: () => this.#locate(),
      ping: (to) => this.#ping(to),
      heard: (from, answered) => this.#heard(from, answered),
      changed: () => this.#poll(),
    })
    this.#seen = { registered: this.registered, usable: this.usable, problem: undefined }
  }

  /** Registered by any node. */
  get registered(): boolean {
    return this.#elsewhere?.state.registered ?? this.#options.clock.now() < this.#registeredUntil
  }

  get usable(): boolean {
    return this.#pulse.alive && (!this.trunk.settings.register || this.registered)
  }

  get since(): number {
    return this.#elsewhere?.state.since ?? this.#since
  }

  /** Reason for the carrier's rejection. */
  get problem(): string | undefined {
    return this.#elsewhere?.state.problem ?? this.#refusedLogin ?? this.#refusedCall
  }

  /** The other node that registers it, if any. */
  get #elsewhere(): Exclude<Holder, { us: true } | undefined> | undefined {
    return this.#holder?.us === false ? this.#holder : undefined
  }

  get holder(): Holder {
    return this.#holder
  }

  /** Registers it on this node, or leaves that to another one. */
  hold(holder: Holder): void {
    if (!this.trunk.settings.register) return
    this.#holder = holder
    if (holder?.us && !this.#registration) {
      this.#registration = this.#registrationOf(this.trunk)
      this.#registration.register()
    }
    if (holder?.us === false) this.#abandon()
    this.#poll()
  }

  /** State for other nodes when this one registers it. */
  get state(): HeldTrunk {
    const { registered, since, problem } = this
    return { registered, since, ...(problem !== undefined && { problem }), serviceRoute: this.#serviceRoute }
  }

  /** Records the result of a call. */
  noteCall(status: number | undefined): void {
    this.#refusedCall = status === 402 ? '402 Payment Required' : undefined
    this.#poll()
  }

  /** Its current address for calls. */
  get address(): string {
    return this.#address
  }

  get hostAddresses(): readonly string[] {
    return this.#hostAddresses
  }

  /** Route values for calls: through the outbound proxy, then the Service-Route of the registrar (RFC 3608). */
  get routes(): readonly string[] {
    return [...trunkRoutes(this.trunk.settings), ...(this.#elsewhere?.state.serviceRoute ?? this.#serviceRoute)]
  }

  start(): void {
    this.#pulse.start()
  }

  /**
   * A carrier calls us over the registered connection; when that closes we must register again. After a failure the registration retries on
   * its own schedule.
   */
  connectionClosed({ kind, address }: Flow): void {
    if (this.#registration?.state.state !== 'registered') return
    if (kind === this.trunk.settings.transport.toLowerCase() && this.#hostAddresses.includes(address)) this.#registration.register()
  }

  /** Resolves when the carrier has confirmed; that may take long if the carrier does not answer. */
  async stop(): Promise<void> {
    this.#pulse.stop()
    this.#cancelExpiry()
    await this.#registration?.close()
  }

  #abandon(): void {
    const registration = this.#registration
    this.#registration = undefined
    registration?.abandon()
    this.#refusedLogin = undefined
  }

  #registrationOf({ settings }: Trunk): Registration {
    const { clock, ua, random } = this.#options
    return new Registration({
      ua,
      clock,
      random,
      registrar: trunkUri(settings),
      address: addressOf(settings),
      routes: trunkRoutes(settings),
      contactUser: settings.username,
      digest: this.digest,
      expires: settings.registerSeconds,
      changed: (state) => this.#registrationChanged(state),
    })
  }

  #registrationChanged(state: RegistrationState): void {
    if (state.state === 'registered') {
      this.#refusedLogin = undefined
      this.#registeredUntil = state.until
      this.#serviceRoute = state.serviceRoute
    } else if (state.state === 'closed') this.#registeredUntil = 0
    else this.#expireInTime()
    if (state.state === 'failed') this.#refusedLogin = printable(`${state.status} ${state.reason}`)
    this.#poll()
  }

  /** A renewal failed: the previous registration is valid until its end. */
  #expireInTime(): void {
    const left = this.#registeredUntil - this.#options.clock.now()
    this.#cancelExpiry()
    if (left > 0) this.#cancelExpiry = this.#options.clock.after(left, () => this.#poll())
  }

  /** Addresses for health checks: its own, or those of its proxy. */
  async #locate(): Promise<readonly Flow[]> {
    const flows = await this.#locateHost()
    const [proxy] = trunkRoutes(this.trunk.settings)
    return proxy === undefined ? flows : this.#options.resolver.locate(parseUri(parseNameAddr(proxy).uri))
  }

  async #locateHost(): Promise<readonly Flow[]> {
    const flows = await this.#options.resolver.locate(parseUri(trunkUri(this.trunk.settings)))
    this.#address = flows[0]?.address ?? this.#address
    const addresses = [...new Set(flows.map(({ address }) => address))].toSorted()
    // Keeps the old addresses while DNS has none.
    if (addresses.length > 0 && addresses.join() !== this.#hostAddresses.join()) {
      this.#hostAddresses = addresses
      this.#options.moved()
    }
    return flows
  }

  async #ping(flow: Flow): Promise<number> {
    const { settings } = this.trunk
    const from = `<${addressOf(settings)}>`
    const routes = trunkRoutes(settings)
    const { status } = await this.#options.ua.request({ method: 'OPTIONS', uri: trunkUri(settings), routes, from, flow })
    return status
  }

  /** Long enough to be renewed before it expires. */
  #heard(from: Flow, answered: boolean): void {
    if (answered) this.#options.resolver.approve(from)
    else this.#options.resolver.avoid(from, PULSE_MS + 2 * PING_TIMEOUT_MS)
  }

  #poll(): void {
    const { registered, usable, problem } = this
    const { registered: wasRegistered, usable: wasUsable, problem: before } = this.#seen
    const isOther = registered !== wasRegistered || usable !== wasUsable
    if (!isOther && problem === before) return
    this.#seen = { registered, usable, problem }
    if (isOther) this.#since = this.#options.clock.now()
    this.#options.changed(this)
  }
}

/** The carrier's text appears in logs and on a page. */
const printable = (said: string): string =>
  said
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    .trim()
    .slice(0, 100)

/** `realm` keeps the password from any other server that requests it. */
const digestFor = ({ settings, passwordSealed }: Trunk, vault: Vault): DigestClient | undefined =>
  passwordSealed === undefined
    ? undefined
    : new DigestClient({ username: settings.username, password: vault.open(passwordSealed), realm: settings.realm || settings.host })

/** Our identity at the carrier. */
const addressOf = ({ username, host }: Trunk['settings']): string =>
  formatUri(makeUri({ user: username === '' ? undefined : username, host: isIPv6(host) ? `[${host}]` : host }))

/** Route through an outbound proxy, as a list. */
const trunkRoutes = ({ outboundProxy = '' }: Pick<TrunkSettings, 'outboundProxy'>): string[] => {
  if (outboundProxy === '') return []
  return [`<sip:${outboundProxy}${outboundProxy.includes(';') ? '' : ';transport=udp'};lr>`]
}

/** URI of a trunk. A host name with the default port is written without it, so that the carrier's SRV records apply (RFC 3263 §4.2). */
export const trunkUri = ({ host, port, transport }: Pick<TrunkSettings, 'host' | 'port' | 'transport'>, user?: string): string => {
  const usual = transport === 'TLS' ? 5061 : 5060
  return formatUri(
    makeUri({
      user,
      host: isIPv6(host) ? `[${host}]` : host,
      port: isIP(host) === 0 && port === usual ? undefined : port,
      params: { transport: transport.toLowerCase() },
    }),
  )
}
