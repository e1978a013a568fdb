import type { Clock } from '#core/kernel/ports/platform.ts'
import { StoreUnavailable, type Store, type Tables } from '#core/kernel/ports/store/index.ts'
import type { Registration, Refresh } from '#core/kernel/ports/store/device.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { formatNameAddr, type NameAddr } from '@offhook/sip/grammar/headers.ts'
import { registeredOrigin, type IsProxy } from '@offhook/sip/transport/origin.ts'
import { SipError } from '@offhook/sip/grammar/scan.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { sameUri, parseUri } from '@offhook/sip/grammar/uri.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import { type DeviceAuthenticator, type Proven, type ProvenDevice, writeFlow, type Edge } from '../guard/authenticate.ts'

interface RegistrarOptions {
  clock: Clock
  store: Store
  authenticator: DeviceAuthenticator
  edge: Edge
  /** Our own proxies. */
  isProxy: IsProxy
  /** Milliseconds that the first of many refreshes waits for others to be written with it. */
  refreshWindowMs: number
  onError: (error: unknown) => void
}

/** Per device. */
const MOST_BINDINGS = 10

/** Registrar: RFC 3261 §10.3, with Path (RFC 3327). */
export class Registrar {
  readonly #options: RegistrarOptions
  readonly #refreshes: Refreshes

  constructor(options: RegistrarOptions) {
    this.#options = options
    this.#refreshes = new Refreshes({ ...options, windowMs: options.refreshWindowMs })
  }

  /** Answers a REGISTER; never rejects. */
  async answer(incoming: IncomingRequest): Promise<void> {
    const { request, from } = incoming
    const { authenticator } = this.#options
    const proof = await authenticator.prove(request, from, { mayRemember: true })
    if ('status' in proof) return incoming.respond(proof.status, { headers: proof.headers })
    try {
      const change = this.#read(request, from, proof.device)
      const bindings =
        (await this.#refresh(change, proof)) ?? ((await authenticator.confirms(proof)) ? await this.#change(change) : undefined)
      if (bindings) return incoming.respond(200, { headers: this.#reply(change, bindings) })
      incoming.respond(401, { headers: authenticator.challenge(request, from).headers })
    } catch (error) {
      const { status, headers } = this.#failure(error)
      incoming.respond(status, { headers })
    }
  }

  #read(request: Request, from: Flow, device: ProvenDevice): Change {
    if (parseUri(request.to.uri).user !== device.username) throw new SipError(403, 'A phone registers itself only')
    const { clock, edge, isProxy } = this.#options
    const via = edge.isAt(from) ? writeFlow(from) : ''
    const source = sourceOf(request, edge.sourceOf(request, from), { via, origin: registeredOrigin(request, from, isProxy) ?? '' })
    return { wish: readRegister(request), leaseMs: 1000 * edge.leaseOf(request, from), device, request, source, now: clock.now() }
  }

  /** Undefined if it is not a plain refresh, or something has changed. */
  async #refresh({ wish: input, ...change }: Change, { identity }: Proven): Promise<Registration[] | undefined> {
    const [only, ...others] = input.contacts
    if (!only || others.length > 0 || only.seconds === 0) return undefined
    return this.#refreshes.renew({ identity, registration: registrationOf(only, change) })
  }

  async #change(change: Change): Promise<Registration[]> {
    const { store } = this.#options
    const { wish: input, device, now } = change
    if (input.contacts.length === 0 && !input.forgetAll) return bindingsOf(store.read, device, now)
    return store.write(async (tables) => {
      await apply(tables, change)
      return trimmed(tables, device, now)
    })
  }

  #reply({ request, wish: input, leaseMs }: Change, bindings: readonly Registration[]): HeaderLines {
    const now = this.#options.clock.now()
    const contacts = bindings.map(({ contact, q, expiresAt }) => {
      const asked = input.contacts.find((each) => isSame(each.contact, contact))
      // The phone does not see the lease: it refreshes as it asked for.
      const seconds = Math.ceil((expiresAt - now - (asked ? leaseMs : 0)) / 1000)
      const expires = String(Math.max(0, seconds))
      return ['Contact', formatNameAddr({ uri: contact, params: { expires, ...(q !== '' && { q }) } })] as const
    })
    const path = request.list('path').join(', ')
    const knowsPath = request.list('supported').some((tag) => tag.trim().toLowerCase() === 'path')
    const isLeased = leaseMs > 0 && bindings.length === 1 && input.contacts.some(({ seconds }) => seconds > 0)
    const lease = isLeased ? [['X-Offhook-Lease', String(leaseMs / 1000)] as const] : []
    return [...contacts, ...lease, ...(path !== '' && knowsPath ? [['Path', path] as const] : []), ['Date', new Date(now).toUTCString()]]
  }

  #failure(error: unknown): { status: number; headers: HeaderLines } {
    if (error instanceof SipError)
      return { status: error.status, headers: error.status === 423 ? [['Min-Expires', String(SHORTEST_S)]] : [] }
    this.#options.onError(error)
    return error instanceof StoreUnavailable ? { status: 503, headers: [['Retry-After', '5']] } : { status: 500, headers: [] }
  }
}

interface Change {
  wish: RegisterRequest
  /** Time for which our edge answers refreshes itself. */
  leaseMs: number
  device: ProvenDevice
  request: Request
  source: ReturnType<typeof sourceOf>
  now: number
}

/** All or nothing: an exception rolls the transaction back. */
const apply = async (tables: Tables, change: Change): Promise<void> => {
  const { wish: input, device, request, now } = change
  const { accountId, deviceId } = device
  const present = await bindingsOf(tables, device, now)
  if (input.forgetAll) {
    for (const binding of present) requireNewer(request, binding)
    return tables.devices.unregister(accountId, deviceId)
  }
  for (const requested of input.contacts) {
    const same = present.find((binding) => isSame(binding.contact, requested.contact))
    if (same) requireNewer(request, same)
    if (requested.seconds > 0) {
      const registration = registrationOf({ ...requested, contact: same?.contact ?? requested.contact }, change)
      if (!(await tables.devices.register(accountId, deviceId, registration, now))) throw outOfOrder()
    } else if (same) await tables.devices.unregister(accountId, deviceId, same.contact)
  }
}

const registrationOf = (
  { contact, q, seconds }: WishedContact,
  { request, source, now, leaseMs }: Pick<Change, 'request' | 'source' | 'now' | 'leaseMs'>,
): Registration => ({
  contact,
  q,
  path: request.list('path').join(', '),
  ...source,
  expiresAt: now + seconds * 1000 + leaseMs,
})

const bindingsOf = async (tables: Tables, { accountId, deviceId }: ProvenDevice, now: number): Promise<Registration[]> =>
  (await tables.devices.registrations(accountId, [deviceId], now)).get(deviceId) ?? []

/** A phone with a new address each time must not accumulate bindings: the latest ones stay. */
const trimmed = async (tables: Tables, device: ProvenDevice, now: number): Promise<Registration[]> => {
  const freshest = (await bindingsOf(tables, device, now)).toSorted((a, b) => b.expiresAt - a.expiresAt)
  for (const { contact } of freshest.slice(MOST_BINDINGS)) await tables.devices.unregister(device.accountId, device.deviceId, contact)
  return freshest.slice(0, MOST_BINDINGS)
}

const sourceOf = (request: Request, { address, port, kind }: Flow, way: Pick<Registration, 'via' | 'origin'>) => ({
  ...way,
  ip: address,
  port,
  transport: kind,
  userAgent: (request.header('user-agent') ?? '').slice(0, 256),
  callId: request.callId,
  cseq: request.cseq.number,
})

/** Within one Call-ID the higher CSeq wins, in any order of arrival. */
const requireNewer = (request: Request, { callId, cseq }: Registration): void => {
  if (callId === request.callId && request.cseq.number <= cseq) throw outOfOrder()
}

const outOfOrder = (): SipError => new SipError(500, 'A later REGISTER was here before')

const isSame = (one: string, other: string): boolean => one === other || sameUri(parseUri(one), parseUri(other))

const SHORTEST_S = 60
const LONGEST_S = 3600
const MOST_CONTACTS = 10

interface WishedContact {
  /** As received. */
  contact: string
  q: string
  /** 0 removes it. */
  seconds: number
}

/** Content of a REGISTER: a query if both are empty. */
interface RegisterRequest {
  contacts: WishedContact[]
  /** Removes all contacts. */
  forgetAll: boolean
}

/** RFC 3261 §10.3, steps 6 and 7. Throws SipError for an invalid request. */
const readRegister = (request: Request): RegisterRequest => {
  const { contacts } = request
  const expires = request.header('expires')
  if (contacts.some(({ uri }) => uri === '*')) {
    if (contacts.length > 1 || expires?.trim() !== '0') throw new SipError(400, '* goes alone and with Expires: 0')
    return { contacts: [], forgetAll: true }
  }
  if (contacts.length > MOST_CONTACTS) throw new SipError(400, 'Too many contacts')
  return { contacts: contacts.map((contact) => readContact(contact, expires)), forgetAll: false }
}

const readContact = ({ uri, params }: NameAddr, expires: string | undefined): WishedContact => {
  if (parseUri(uri).scheme === 'tel') throw new SipError(400, 'A contact must be a SIP address')
  const seconds = readSeconds(params['expires'] ?? expires)
  if (seconds > 0 && seconds < SHORTEST_S) throw new SipError(423, 'Too short')
  return { contact: uri, q: readQ(params['q']), seconds: Math.min(seconds, LONGEST_S) }
}

/** Unreadable values count as the default, as §10.3 requires. */
const readSeconds = (text: string | undefined): number => (text !== undefined && /^\s*\d{1,10}\s*$/.test(text) ? Number(text) : LONGEST_S)

const readQ = (text: string | undefined): string => (text !== undefined && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? text : '')

interface RefreshesOptions {
  clock: Clock
  store: Store
  /** Milliseconds that the first refresh may wait for others: less than the time after which phones repeat a request (T1). */
  windowMs: number
}

const maxConcurrent = 500

interface Waiting {
  refresh: Refresh
  answer: PromiseWithResolvers<Registration[] | undefined>
}

/**
 * Refreshes of registrations, which are most of what phones send: one statement for all within the window. Each is answered after its
 * write, so that an answered phone stays reachable whatever happens to this process.
 */
export class Refreshes {
  readonly #options: RefreshesOptions
  #waiting: Waiting[] = []
  #isWriting = false
  #writtenAt = -Infinity

  constructor(options: RefreshesOptions) {
    this.#options = options
  }

  /** All bindings of the device; undefined when something has changed: then no row was written. */
  renew(refresh: Refresh): Promise<Registration[] | undefined> {
    const answer = Promise.withResolvers<Registration[] | undefined>()
    this.#waiting.push({ refresh, answer })
    if (!this.#isWriting) void this.#writeAll()
    return answer.promise
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      await this.#window()
      this.#writtenAt = this.#options.clock.elapsed()
      await this.#write(this.#waiting.splice(0, maxConcurrent))
    }
    this.#isWriting = false
  }

  /** A single one does not wait. */
  async #window(): Promise<void> {
    const { clock, windowMs } = this.#options
    const wait = this.#writtenAt + windowMs - clock.elapsed()
    if (wait > 0) await new Promise<void>((resolve) => void clock.after(wait, resolve))
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { clock, store } = this.#options
    try {
      const now = clock.now()
      const list = batch.map(({ refresh }) => refresh)
      const renewed = await store.write(({ devices }) => devices.refresh(list, now))
      for (const [index, { answer }] of batch.entries()) answer.resolve(renewed[index])
    } catch (error) {
      for (const { answer } of batch) answer.reject(error)
    }
  }
}
