import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Trunk } from '#core/kernel/ports/store/operate.ts'
import type { Leg, TrunkHealth } from '#core/kernel/ports/telephony.ts'
import type { TrunkCallEnd, TrunkHolding, TrunkState, TrunkStates } from '#core/kernel/ports/calls.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { StoredTrunk, type StoredTrunkOptions } from './kept-trunk.ts'
import { TrunkCalls, type Direction, type SharedTrunkCalls } from './trunk-calls.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseUri } from '@offhook/sip/grammar/uri.ts'
import type { Edge } from '../guard/authenticate.ts'
import { networks } from '../transport/networks.ts'

interface TrunksOptions extends Pick<StoredTrunkOptions, 'clock' | 'vault' | 'ua' | 'resolver'> {
  store: Store
  random?: () => number
  /** Counted together with the other nodes. */
  shared?: SharedTrunkCalls
  /** Decides which node registers; default: this one. */
  holding?: TrunkHolding
  /** Interval of reading the table, in case another node changed it. */
  readIntervalMs?: number
  /** Its registration or usability changed. */
  onStateChanged?: (trunk: Trunk, state: TrunkState) => void
  /** A call over a trunk has ended. */
  onCallEnded?: (call: TrunkCallEnd) => void
  onError: (error: unknown) => void
}

/** A fax has no packets to count. */
type WatchedLeg = Pick<Leg, 'ended' | 'answered' | 'quality'>

const READ_EVERY_MS = 30_000
/** Milliseconds that closing waits for carriers to confirm the deregistration. */
const GOODBYE_MS = 1_000

/** Keeps trunks in step with their table: registrations, health, source addresses, calls. */
export class Trunks implements TrunkStates {
  readonly calls: TrunkCalls
  readonly #options: TrunksOptions
  readonly #sources = new TrunkSources()
  readonly #kept = new Map<string, StoredTrunk>()
  readonly #leaving = new Set<Promise<void>>()
  #reading: Promise<void> | undefined
  #readAgain = false
  #closed = false
  #closing: Promise<void> | undefined
  #stopTimer = (): void => {}

  constructor(options: TrunksOptions) {
    this.#options = options
    this.calls = new TrunkCalls(options.clock, options.shared)
    options.holding?.onChange(() => this.#holdAll())
  }

  /** Resolves when the table is read; registration continues in the background. */
  async start(): Promise<void> {
    await this.#read()
  }

  /** Reads added, changed or removed trunks now instead of later. */
  changed(): void {
    if (this.#reading) this.#readAgain = true
    else void this.#read()
  }

  of(trunkId: string): TrunkState | undefined {
    const kept = this.#kept.get(trunkId)
    return kept && stateOf(kept, this.calls.running(trunkId))
  }

  all(): { id: string; name: string; state: TrunkState }[] {
    return [...this.#kept.values()].map((kept) => ({ ...nameOf(kept.trunk), state: stateOf(kept, this.calls.running(kept.trunk.id)) }))
  }

  hostsOf(trunkId: string): readonly string[] {
    return this.#kept.get(trunkId)?.hostAddresses ?? []
  }

  health(trunkId: string): TrunkHealth {
    return { usable: this.#kept.get(trunkId)?.usable ?? false, calls: this.calls.running(trunkId) }
  }

  /** Reports the result of a call at its end. */
  async watch(trunkId: string, direction: Direction, leg: WatchedLeg): Promise<void> {
    const { cause, status } = await leg.ended
    if (direction === 'outgoing') this.#kept.get(trunkId)?.noteCall(status)
    this.#options.onCallEnded?.({ trunkId, direction, answered: leg.answered, cause, quality: await leg.quality })
  }

  /** Data for a call over it: settings, digest client, route. */
  get(trunkId: string): Pick<StoredTrunk, 'trunk' | 'digest' | 'address' | 'routes'> | undefined {
    return this.#kept.get(trunkId)
  }

  /** The trunk of a request by its source; `calledUser` decides between several. */
  find(from: Flow, calledUser?: string): Trunk | undefined {
    return this.#sources.find(from, calledUser)
  }

  /** One of those that our edge names; `calledUser` decides between several. */
  among(...named: Parameters<TrunkSources['among']>): Trunk | undefined {
    return this.#sources.among(...named)
  }

  /** Whether a trunk may send from this address. */
  holds(address: string): boolean {
    return this.#sources.holds(address)
  }

  connectionClosed(flow: Flow): void {
    for (const kept of this.#kept.values()) kept.connectionClosed(flow)
  }

  /** The user agent must still be open. */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll())
  }

  async #closeAll(): Promise<void> {
    this.#closed = true
    this.#stopTimer()
    await this.#reading
    for (const id of this.#kept.keys()) this.#drop(id)
    const done = new AbortController()
    const timeout = sleep(GOODBYE_MS, undefined, { signal: done.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#leaving), timeout])
    done.abort()
    await this.#options.holding?.close()
  }

  async #read(): Promise<void> {
    this.#stopTimer()
    this.#reading = this.#readOnce()
    await this.#reading
    this.#reading = undefined
    if (this.#closed) return
    if (this.#readAgain) {
      this.#readAgain = false
      return this.#read()
    }
    this.#stopTimer = this.#options.clock.after(this.#options.readIntervalMs ?? READ_EVERY_MS, () => void this.#read())
  }

  async #readOnce(): Promise<void> {
    try {
      const trunks = await this.#options.store.read.trunks.list()
      if (!this.#closed) this.#follow(trunks.filter(({ active }) => active))
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #follow(trunks: readonly Trunk[]): void {
    const wanted = new Map(trunks.map((trunk) => [trunk.id, trunk]))
    let changed = false
    for (const [id, { trunk }] of this.#kept) {
      const now = wanted.get(id)
      if (now && isSame(now, trunk)) wanted.delete(id)
      else {
        this.#drop(id)
        changed = true
      }
    }
    for (const trunk of wanted.values()) changed = this.#keep(trunk) || changed
    if (changed) this.#updateSources()
    this.#options.holding?.want([...this.#kept.values()].filter(({ trunk }) => trunk.settings.register).map(({ trunk }) => trunk.id))
  }

  #holdAll(): void {
    for (const [id, kept] of this.#kept) kept.hold(this.#options.holding?.of(id))
  }

  #keep(trunk: Trunk): boolean {
    const { clock, vault, ua, resolver, random = Math.random, holding } = this.#options
    try {
      const kept = new StoredTrunk(trunk, {
        clock,
        vault,
        ua,
        resolver,
        random,
        changed: () => this.#changed(kept),
        moved: () => this.#updateSources(),
      })
      this.#kept.set(trunk.id, kept)
      kept.start()
      kept.hold(holding ? holding.of(trunk.id) : { us: true })
      return true
    } catch (error) {
      this.#options.onError(error) // a password that was sealed with another key
      return false
    }
  }

  #changed(kept: StoredTrunk): void {
    const { onStateChanged, holding } = this.#options
    onStateChanged?.(kept.trunk, stateOf(kept, this.calls.running(kept.trunk.id)))
    if (kept.holder?.us) holding?.note(kept.trunk.id, kept.state)
  }

  #drop(id: string): void {
    const kept = this.#kept.get(id)
    if (!kept) return
    this.#kept.delete(id)
    const leaving = kept.stop().finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }

  #updateSources(): void {
    this.#sources.set([...this.#kept.values()])
  }
}

const nameOf = ({ id, name }: Trunk) => ({ id, name })

const stateOf = ({ registered, usable, since, problem, holder }: StoredTrunk, calls: number): TrunkState => ({
  registered,
  usable,
  calls,
  since,
  ...(holder?.owner !== undefined && { registeredBy: holder.owner }),
  ...(problem !== undefined && { problem }),
})

const isSame = (one: Trunk, other: Trunk): boolean =>
  one.updatedAt === other.updatedAt &&
  one.passwordSealed === other.passwordSealed &&
  JSON.stringify(one.settings) === JSON.stringify(other.settings)

/** User name format of our devices: seven digits of the account and the extension. */
const deviceUser = /^\d{7}e\d{1,9}$/

/**
 * The trunk of a request; undefined: it has to authenticate as a device. Phones may be at a trunk's address, too: their user name or
 * credentials distinguish them. Behind our edge all have its address, so the address is ignored there.
 */
export const trunkOf = (
  trunks: Pick<Trunks, 'find' | 'among'>,
  edge: Edge,
  { request, from }: { request: Request; from: Flow },
): Trunk | undefined => {
  const proving = request.header('authorization') !== undefined || request.header('proxy-authorization') !== undefined
  if (proving || deviceUser.test(userOf(request.from.uri) ?? '')) return undefined
  if (edge.isAt(from)) return trunks.among(edge.trunksOf(request, from), edge.sourceOf(request, from).kind, request.target.user)
  return trunks.find(from, request.target.user)
}

const userOf = (uri: string): string | undefined => {
  try {
    return parseUri(uri).user
  } catch {
    return undefined
  }
}

interface TrunkSource {
  trunk: Trunk
  /** Current addresses of its host; used without configured source addresses. */
  hostAddresses: readonly string[]
}

interface Rule {
  trunk: Trunk
  addresses: readonly string[]
  holds: (address: string) => boolean
}

/** Resistance of a transport against forged sources. No trunk is a browser. */
const strength: Readonly<Record<TransportKind, number>> = { ws: -1, wss: -1, udp: 0, tcp: 1, tls: 2 }
const needed = { UDP: strength.udp, TCP: strength.tcp, TLS: strength.tls } as const

/** Finds the trunk of a request by its source. */
export class TrunkSources {
  #rules: readonly Rule[] = []
  #holds: (address: string) => boolean = () => false

  set(sources: readonly TrunkSource[]): void {
    this.#rules = sources
      .toSorted((a, b) => a.trunk.settings.priority - b.trunk.settings.priority)
      .map(({ trunk, hostAddresses }) => {
        const { sourceAddresses } = trunk.settings
        const addresses = sourceAddresses.length > 0 ? sourceAddresses : hostAddresses
        return { trunk, addresses, holds: networks(addresses) }
      })
    this.#holds = networks(this.#rules.flatMap(({ addresses }) => addresses))
  }

  holds(address: string): boolean {
    return this.#holds(address)
  }

  /** When several accounts at carriers share an address, prefers the one called by its user name (our Contact there). */
  find(from: Flow, calledUser?: string): Trunk | undefined {
    return this.#called(from.kind, calledUser, ({ holds }) => holds(from.address))
  }

  /** The same, when our edge has already checked the address. */
  among(ids: readonly string[], kind: TransportKind, calledUser?: string): Trunk | undefined {
    return this.#called(kind, calledUser, ({ trunk }) => ids.includes(trunk.id))
  }

  #called(kind: TransportKind, user: string | undefined, may: (rule: Rule) => boolean): Trunk | undefined {
    const matching = this.#rules.filter((rule) => strength[kind] >= needed[rule.trunk.settings.transport] && may(rule))
    const named = matching.find(({ trunk }) => trunk.settings.username !== '' && trunk.settings.username === user)
    return (named ?? matching[0])?.trunk
  }
}
