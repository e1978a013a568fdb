import type { Clock } from '#core/kernel/ports/clock.ts'
import type { BlfEntry, BlfKind, BlfEntries, Watcher } from '#core/kernel/ports/lamps.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import type { BlfSubscription } from '#core/kernel/ports/store/device/lamp-watches.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import { SipError } from '@offhook/sip/grammar/sip-error.ts'
import type { Telling } from '@offhook/sip/subscription/event-package.ts'
import { readSubscribe, shortestSeconds, type SubscribeWish } from '@offhook/sip/subscription/subscribe-wish.ts'
import type { Subscription } from '@offhook/sip/subscription/subscription.ts'
import type { SavedSubscription } from '@offhook/sip/subscription/subscriptions.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import type { DeviceAuthenticator } from '../guard/authenticate.ts'
import { dialledUser } from '../identity/identity.ts'
import { allowEvents, allPackages, kindOf, blfPackages, notifyBlf } from './lamp-packages.ts'
import { wayBack, wayWithoutConnection } from './binding.ts'

export interface SipBlfOptions {
  clock: Clock
  store: Store
  agent: UserAgent
  authenticator: DeviceAuthenticator
  /** Where phones find this process, also after a restart. */
  place: string
  onError: (error: unknown) => void
}

/** A lamp that is told of changes. */
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

/** Lamps of phones: messages that wait (RFC 3842) and extensions that are busy (RFC 4235). */
export class SipBlf {
  readonly #options: SipBlfOptions
  /** By device, then by our tag. */
  readonly #lit = new Map<string, Map<string, Lit>>()
  /** Rows are written one after the other, so that the last word stays. */
  #writing: Promise<void> = Promise.resolve()
  #blf: BlfEntries | undefined

  constructor(options: SipBlfOptions) {
    this.#options = options
  }

  /** From now on there is something to show: phones that subscribed before a restart are notified again. */
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

  async #begin(incoming: IncomingRequest, watcher: Watcher, input: SubscribeWish): Promise<void> {
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

  #refresh(incoming: IncomingRequest, { accountId, deviceId }: Watcher, { event, seconds }: SubscribeWish): void {
    const { request, from } = incoming
    const subscription = this.#options.agent.subscriptions.of(request)
    const lit = subscription && this.#ofDevice({ accountId, deviceId }).get(subscription.dialog.localTag)
    // Of another device it does not exist, and in the same dialog there is no other one.
    if (!lit || subscription.event !== event) throw new SipError(481, 'There is no such subscription')
    this.#options.agent.subscriptions.refresh(incoming, seconds, subscription, wayBack(request, from))
    if (seconds > 0) this.#save(lit)
  }

  /** A phone that begins anew, such as after a power cut, does not know any more what it was told before. */
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

  /** A phone that can be reached over its own connection only subscribes again when it has a new one. */
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

/** Behind a proxy all phones of a device are at its address, and only their Contact differs; what the proxy wrote into it is not the phone's. */
const samePhone = (one: string, other: string): boolean => withoutAlias(one) === withoutAlias(other)
const withoutAlias = (contact: string): string => contact.replace(/;alias=[^;?]*/, '')

const keyOf = ({ accountId, deviceId }: Pick<Watcher, 'accountId' | 'deviceId'>): string => `${accountId}/${deviceId}`

const publishing = async (blfEntry: BlfEntry, { messageAccess }: BlfEntries, watched: string): Promise<Telling | undefined> => {
  const state = await blfEntry.state()
  return state && notifyBlf(state, watched, messageAccess)
}

const headersOf = (status: number): HeaderLines => {
  if (status === 489) return [allowEvents]
  if (status === 423) return [['Min-Expires', String(shortestSeconds)]]
  return status === 503 ? later : []
}
