import type { Clock } from '#core/kernel/ports/platform.ts'
import type { BlfEntry, BlfKind, BlfEntries, Watcher, BlfCall, BlfState } from '#core/kernel/ports/calls.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import type { BlfSubscription } from '#core/kernel/ports/store/device.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import { SipError } from '@offhook/sip/grammar/scan.ts'
import {
  type Telling,
  readSubscribe,
  minSeconds,
  type SubscribeRequest,
  dialogPackage,
  notifyDialogs,
  type WatchedDialog,
  type EventPackage,
  messageSummary,
  notifyMessages,
} from '@offhook/sip/subscription/event-packages.ts'
import type { Subscription, SavedSubscription } from '@offhook/sip/subscription/subscriptions.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import type { DeviceAuthenticator } from '../guard/authenticate.ts'
import { dialledUser } from '../identity/identity.ts'
import { wayBack, wayWithoutConnection } from './binding.ts'
import { parseNameAddr } from '@offhook/sip/grammar/headers.ts'
import { formatUri, makeUri, parseUri } from '@offhook/sip/grammar/uri.ts'

interface SipBlfOptions {
  clock: Clock
  store: Store
  agent: UserAgent
  authenticator: DeviceAuthenticator
  /** Address at which phones reach this node, also after a restart. */
  place: string
  onError: (error: unknown) => void
}

/** An active subscription. */
interface Lit {
  watcher: Watcher
  kind: BlfKind
  name: string
  blfEntry: BlfEntry
  subscription: Subscription
  stopWatching: () => void
}

const maxPerDevice = 100
const max = 10_000
const later: HeaderLines = [['Retry-After', '60']]

/** MWI (RFC 3842) and BLF (RFC 4235) subscriptions of phones. */
export class SipBlf {
  readonly #options: SipBlfOptions
  /** By device, then by our tag. */
  readonly #lit = new Map<string, Map<string, Lit>>()
  /** Rows are written one after the other, so that the last write wins. */
  #writing: Promise<void> = Promise.resolve()
  #blf: BlfEntries | undefined

  constructor(options: SipBlfOptions) {
    this.#options = options
  }

  /** Starts notifications, also for phones that subscribed before a restart. */
  async start(blf: BlfEntries): Promise<void> {
    this.#blf = blf
    const { store, clock, place } = this.#options
    const now = clock.now()
    await store.write((tables) => tables.lampWatches.removeExpired(now))
    for (const watch of await store.read.lampWatches.listAt(place, now)) await this.#resume(watch, blf)
  }

  /** Resolves when everything is written. */
  async idle(): Promise<void> {
    await this.#writing
  }

  /** Answers a SUBSCRIBE; never rejects. */
  async answer(incoming: IncomingRequest): Promise<void> {
    const { request, from } = incoming
    const proof = await this.#options.authenticator.prove(request, from)
    if ('status' in proof) return incoming.respond(proof.status, { headers: proof.headers })
    try {
      const input = readSubscribe(request, allPackages)
      if (request.toTag === undefined) await this.#begin(incoming, proof.device, input)
      else this.#refresh(incoming, proof.device, input)
    } catch (error) {
      this.#refuse(incoming, error)
    }
  }

  #refuse(incoming: IncomingRequest, error: unknown): void {
    if (error instanceof SipError) return incoming.respond(error.status, { headers: headersOf(error.status) })
    this.#options.onError(error)
    if (error instanceof StoreUnavailable) incoming.respond(503, { headers: later })
    else incoming.respond(500)
  }

  async #begin(incoming: IncomingRequest, watcher: Watcher, input: SubscribeRequest): Promise<void> {
    if (!this.#blf) throw new SipError(503, 'Nothing is known yet')
    const blf = this.#blf
    const { request, from } = incoming
    const [kind, name] = [kindOf(input.package), dialledUser(request)]
    const blfEntry = await blf.find(watcher, kind, name)
    if (!blfEntry) throw new SipError(404, 'There is nothing of that name to watch')
    const flow = wayBack(request, from)
    this.#replace(watcher, kind, name, { ...flow, contact: request.contacts[0]?.uri ?? '' })
    this.#requireCapacity(watcher)
    const { subscriptions } = this.#options.agent
    const read = (): Promise<Telling | undefined> => publishing(blfEntry, blf, request.header('to') ?? '')
    const { event, seconds } = input
    const { contentType } = input.package
    const subscription = subscriptions.accept(incoming, seconds, {
      event,
      contentType,
      flow,
      read,
      onEnd: () => this.#forget(watcher, subscription),
    })
    if (seconds > 0) this.#keep({ watcher, kind, name, blfEntry, subscription })
  }

  #refresh(incoming: IncomingRequest, { accountId, deviceId }: Watcher, { event, seconds }: SubscribeRequest): void {
    const { request, from } = incoming
    const subscription = this.#options.agent.subscriptions.of(request)
    const lit = subscription && this.#ofDevice({ accountId, deviceId }).get(subscription.dialog.localTag)
    // A subscription of another device is treated as missing, and a dialog has only one.
    if (!lit || subscription.event !== event) throw new SipError(481, 'There is no such subscription')
    this.#options.agent.subscriptions.refresh(incoming, seconds, subscription, wayBack(request, from))
    if (seconds > 0) this.#save(lit)
  }

  /** A restarted phone, for example after a power cut, has forgotten its earlier subscriptions. */
  #replace(watcher: Watcher, kind: BlfKind, name: string, { address, port, contact }: Flow & { contact: string }): void {
    for (const lit of this.#ofDevice(watcher).values()) {
      const { flow, dialog } = lit.subscription
      const samePlace = flow.address === address && flow.port === port && samePhone(dialog.state.target, contact)
      if (lit.kind === kind && lit.name === name && samePlace) lit.subscription.abandon()
    }
  }

  #requireCapacity(watcher: Watcher): void {
    if (this.#options.agent.subscriptions.size >= max) throw new SipError(503, 'Too many lamps')
    if (this.#ofDevice(watcher).size >= maxPerDevice) throw new SipError(403, 'Too many lamps of one phone')
  }

  async #resume({ accountId, deviceId, kind, name, way }: BlfSubscription, blf: BlfEntries): Promise<void> {
    const device = await this.#options.store.read.devices.find(accountId, deviceId)
    const watcher = { accountId, deviceId, username: device?.sip?.username ?? '' }
    const blfEntry = await blf.find(watcher, kind, name)
    if (!blfEntry) return
    const saved = way as unknown as SavedSubscription
    const subscription = this.#options.agent.subscriptions.resume(saved, {
      contentType: blfPackages[kind].contentType,
      read: () => publishing(blfEntry, blf, saved.dialog.local),
      onEnd: () => this.#forget(watcher, subscription),
    })
    this.#keep({ watcher, kind, name, blfEntry, subscription })
  }

  #keep(parts: Omit<Lit, 'stopWatching'>): void {
    const { watcher, blfEntry, subscription } = parts
    const lit = { ...parts, stopWatching: blfEntry.watch(() => subscription.changed()) }
    this.#lit.set(keyOf(watcher), this.#ofDevice(watcher).set(subscription.dialog.localTag, lit))
    this.#save(lit)
  }

  #forget(watcher: Watcher, { dialog }: Subscription): void {
    const lit = this.#ofDevice(watcher)
    lit.get(dialog.localTag)?.stopWatching()
    if (!lit.delete(dialog.localTag)) return
    if (lit.size === 0) this.#lit.delete(keyOf(watcher))
    this.#write(() => this.#options.store.write((tables) => tables.lampWatches.remove(watcher.accountId, dialog.localTag)))
  }

  #ofDevice(watcher: Pick<Watcher, 'accountId' | 'deviceId'>): Map<string, Lit> {
    return this.#lit.get(keyOf(watcher)) ?? new Map<string, Lit>()
  }

  /** A phone that is only reachable over its own connection subscribes again after it reconnects. */
  #save({ watcher: { accountId, deviceId }, kind, name, subscription }: Lit): void {
    const { store, agent, place } = this.#options
    const saved = agent.subscriptions.save(subscription)
    const flow = wayWithoutConnection(saved.dialog, saved.flow)
    if (!flow) return
    const { localTag: id } = subscription.dialog
    const watch = { id, accountId, deviceId, kind, name, way: { ...saved, flow }, place, expiresAt: saved.expiresAt }
    this.#write(async () => {
      if (!subscription.isOver) await store.write((tables) => tables.lampWatches.put(watch))
    })
  }

  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work).catch(this.#options.onError)
  }
}

/** Behind a proxy all phones of a device have its address, and only their Contact differs; the alias was added by the proxy. */
const samePhone = (one: string, other: string): boolean => withoutAlias(one) === withoutAlias(other)
const withoutAlias = (contact: string): string => contact.replace(/;alias=[^;?]*/, '')

const keyOf = ({ accountId, deviceId }: Pick<Watcher, 'accountId' | 'deviceId'>): string => `${accountId}/${deviceId}`

const publishing = async (blfEntry: BlfEntry, { messageAccess }: BlfEntries, watched: string): Promise<Telling | undefined> => {
  const state = await blfEntry.state()
  return state && notifyBlf(state, watched, messageAccess)
}

const headersOf = (status: number): HeaderLines => {
  if (status === 489) return [allowEvents]
  if (status === 423) return [['Min-Expires', String(minSeconds)]]
  return status === 503 ? later : []
}

const blfPackages: Record<BlfKind, EventPackage> = { messages: messageSummary, calls: dialogPackage }

const allPackages: readonly EventPackage[] = Object.values(blfPackages)

export const allowEvents = ['Allow-Events', allPackages.map(({ name }) => name).join(', ')] as const

const kindOf = (wanted: EventPackage): BlfKind => (wanted === messageSummary ? 'messages' : 'calls')

/** `watched`: the phone's header with the watched address, unparsed. */
const notifyBlf = (state: BlfState, watched: string, messageAccess: string): Telling => {
  const { uri } = parseNameAddr(watched)
  if (state.kind === 'calls') return notifyDialogs(uri, state.calls.map(watchedDialog))
  const { host, port } = parseUri(uri)
  return notifyMessages({ ...state, account: formatUri(makeUri({ user: messageAccess, host, port })) })
}

const watchedDialog = ({ id, direction, state }: BlfCall): WatchedDialog => ({
  id,
  direction: direction === 'outgoing' ? 'initiator' : 'recipient',
  state: state === 'talking' ? 'confirmed' : 'early',
})
