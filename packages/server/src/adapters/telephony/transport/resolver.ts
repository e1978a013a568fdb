import { lookup as systemLookup, Resolver as DnsResolver } from 'node:dns/promises'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { locate, type LocateResolver } from '@offhook/sip/transport/locate.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { SipUri } from '@offhook/sip/grammar/uri.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'

interface ResolverOptions {
  clock: Clock
  /** Address families that our sockets can reach. */
  families: readonly (4 | 6)[]
  /** DNS servers with their ports, `127.0.0.1:53`; default: those of the system. */
  servers?: readonly string[]
  random?: () => number
}

const MOST_NAMES = 2_000
const SHORTEST_MS = 1_000
const LONGEST_MS = 300_000
/** Node does not report the TTL of records other than addresses. */
const RECORDS_MS = 60_000
const NOT_THERE_MS = 30_000
const NO_ANSWER_MS = 5_000
const AVOIDED_MS = 30_000
const DNS_TIMEOUT = { timeout: 1_500, tries: 2 }

interface Found<T> {
  values: readonly T[]
  ttlMs: number
}

interface Known<T> {
  found: Promise<Found<T>>
  /** Unknown during a query. */
  until: number
}

/** Resolves SIP URIs (RFC 3263), with a cache of DNS answers and of unresponsive servers. */
export class Resolver {
  readonly #options: ResolverOptions
  readonly #dns = new DnsResolver(DNS_TIMEOUT)
  readonly #known = new BoundedMap<string, Known<unknown>>(MOST_NAMES)
  readonly #avoidedUntil = new BoundedMap<string, number>(MOST_NAMES)
  readonly #records: LocateResolver

  constructor(options: ResolverOptions) {
    this.#options = options
    if (options.servers) this.#dns.setServers([...options.servers])
    const fixed = <T>(values: readonly T[]): Found<T> => ({ values, ttlMs: RECORDS_MS })
    this.#records = {
      naptr: (domain) => this.#ask(`naptr ${domain}`, async () => fixed(await this.#dns.resolveNaptr(domain))),
      srv: (name) => this.#ask(`srv ${name}`, async () => fixed(await this.#dns.resolveSrv(name))),
      addresses: async (host) => (await Promise.all(options.families.map((family) => this.#addresses(host, family)))).flat(),
    }
  }

  /** Best first; recently unresponsive ones last. */
  async locate(uri: SipUri): Promise<Flow[]> {
    const flows = await locate(uri, { resolver: this.#records, random: this.#options.random ?? Math.random })
    const now = this.#options.clock.now()
    const avoided = (flow: Flow): boolean => (this.#avoidedUntil.get(placeKey(flow)) ?? 0) > now
    return [...flows.filter((flow) => !avoided(flow)), ...flows.filter(avoided)]
  }

  /** The server did not answer. */
  avoid(flow: Flow, ms: number = AVOIDED_MS): void {
    this.#avoidedUntil.set(placeKey(flow), this.#options.clock.now() + ms)
  }

  /** The server answered. */
  approve(flow: Flow): void {
    this.#avoidedUntil.delete(placeKey(flow))
  }

  close(): void {
    this.#dns.cancel()
  }

  #addresses(host: string, family: 4 | 6): Promise<readonly string[]> {
    return this.#ask(
      `${family} ${host}`,
      async () => {
        const records = await (family === 4 ? this.#dns.resolve4(host, { ttl: true }) : this.#dns.resolve6(host, { ttl: true }))
        const ttl = Math.min(...records.map((record) => record.ttl)) * 1_000
        return { values: records.map(({ address }) => address), ttlMs: Math.min(Math.max(ttl, SHORTEST_MS), LONGEST_MS) }
      },
      () => systemAddresses(host, family),
    )
  }

  /** One query at a time per name. The last answer stays while DNS fails. */
  #ask<T>(key: string, question: () => Promise<Found<T>>, otherwise?: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const { clock } = this.#options
    const known = this.#known.get(key) as Known<T> | undefined
    if (known && clock.now() < known.until) return known.found.then(({ values }) => values)
    const found = question().catch((error: unknown) => whenNothingCame(error, known, otherwise))
    const entry: Known<T> = { found, until: Number.POSITIVE_INFINITY }
    this.#known.set(key, entry)
    return found.then(({ values, ttlMs }) => {
      entry.until = clock.now() + ttlMs
      return values
    })
  }
}

const notThere = new Set(['ENOTFOUND', 'ENODATA'])

const whenNothingCame = async <T>(
  error: unknown,
  before: Known<T> | undefined,
  otherwise: (() => Promise<readonly T[]>) | undefined,
): Promise<Found<T>> => {
  if (notThere.has((error as NodeJS.ErrnoException).code ?? '')) return { values: (await otherwise?.()) ?? [], ttlMs: NOT_THERE_MS }
  return { values: (await before?.found)?.values ?? [], ttlMs: NO_ANSWER_MS }
}

/** Names from the hosts file of this machine. */
const systemAddresses = async (host: string, family: 4 | 6): Promise<string[]> =>
  systemLookup(host, { family, all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  )

const placeKey = ({ kind, address, port }: Flow): string => `${kind} ${address} ${port}`
