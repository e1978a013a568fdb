import type { Clock } from '#core/kernel/ports/clock.ts'
import { StoreUnavailable, type Store, type Tables } from '#core/kernel/ports/store/index.ts'
import type { Registration } from '#core/kernel/ports/store/device/registrations.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { formatNameAddr } from '@offhook/sip/grammar/name-addr.ts'
import { registeredOrigin, type IsProxy } from '@offhook/sip/transport/origin.ts'
import { SipError } from '@offhook/sip/grammar/sip-error.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { sameUri } from '@offhook/sip/grammar/uri-equality.ts'
import { parseUri } from '@offhook/sip/grammar/uri.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import type { DeviceAuthenticator, Proven, ProvenDevice } from '../guard/authenticate.ts'
import { writeFlow, type Edge } from '../guard/edge.ts'
import { Refreshes } from './refreshes.ts'
import { readRegister, SHORTEST_S, type RegisterRequest, type WishedContact } from './register-wish.ts'

export interface RegistrarOptions {
  clock: Clock
  store: Store
  authenticator: DeviceAuthenticator
  edge: Edge
  /** Proxies of ours. */
  isProxy: IsProxy
  /** How long the first of many phones waits for others to be written with it. */
  refreshWindowMs: number
  onError: (error: unknown) => void
}

/** For one device. */
const MOST_BINDINGS = 10

/** Keeps where phones are: RFC 3261 §10.3, with Path (RFC 3327). */
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
      if (bindings) return incoming.respond(200, { headers: this.#reply(request, bindings) })
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
    return { wish: readRegister(request), device, request, source, now: clock.now() }
  }

  /** Undefined when it asks for something else, or something has changed. */
  async #refresh({ wish: input, request, source, now }: Change, { identity }: Proven): Promise<Registration[] | undefined> {
    const [only, ...others] = input.contacts
    if (!only || others.length > 0 || only.seconds === 0) return undefined
    return this.#refreshes.renew({ identity, registration: registrationOf(only, { request, source, now }) })
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

  #reply(request: Request, bindings: readonly Registration[]): HeaderLines {
    const now = this.#options.clock.now()
    const contacts = bindings.map(({ contact, q, expiresAt }) => {
      const expires = String(Math.max(0, Math.ceil((expiresAt - now) / 1000)))
      return ['Contact', formatNameAddr({ uri: contact, params: { expires, ...(q !== '' && { q }) } })] as const
    })
    const path = request.list('path').join(', ')
    const knowsPath = request.list('supported').some((tag) => tag.trim().toLowerCase() === 'path')
    return [...contacts, ...(path !== '' && knowsPath ? [['Path', path] as const] : []), ['Date', new Date(now).toUTCString()]]
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
  device: ProvenDevice
  request: Request
  source: ReturnType<typeof sourceOf>
  now: number
}

/** All of it or nothing: what throws here takes the transaction back. */
const apply = async (tables: Tables, { wish: input, device, request, source, now }: Change): Promise<void> => {
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
      const registration = registrationOf({ ...requested, contact: same?.contact ?? requested.contact }, { request, source, now })
      if (!(await tables.devices.register(accountId, deviceId, registration, now))) throw outOfOrder()
    } else if (same) await tables.devices.unregister(accountId, deviceId, same.contact)
  }
}

const registrationOf = (
  { contact, q, seconds }: WishedContact,
  { request, source, now }: Pick<Change, 'request' | 'source' | 'now'>,
): Registration => ({ contact, q, path: request.list('path').join(', '), ...source, expiresAt: now + seconds * 1000 })

const bindingsOf = async (tables: Tables, { accountId, deviceId }: ProvenDevice, now: number): Promise<Registration[]> =>
  (await tables.devices.registrations(accountId, [deviceId], now)).get(deviceId) ?? []

/** A phone that comes back from a new address each time must not collect bindings: the freshest stay. */
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

/** Of one phone (one Call-ID) the later request counts, in whatever order they arrive. */
const requireNewer = (request: Request, { callId, cseq }: Registration): void => {
  if (callId === request.callId && request.cseq.number <= cseq) throw outOfOrder()
}

const outOfOrder = (): SipError => new SipError(500, 'A later REGISTER was here before')

const isSame = (one: string, other: string): boolean => one === other || sameUri(parseUri(one), parseUri(other))
