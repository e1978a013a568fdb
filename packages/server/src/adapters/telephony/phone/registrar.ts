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
import type { DeviceAuthenticator, ProvenDevice } from '../guard/authenticate.ts'
import { writeFlow, type Edge } from '../guard/edge.ts'
import { readRegister, SHORTEST_S, type RegisterWish } from './register-wish.ts'

export interface RegistrarOptions {
  clock: Clock
  store: Store
  authenticator: DeviceAuthenticator
  edge: Edge
  /** Proxies of ours. */
  isProxy: IsProxy
  onError: (error: unknown) => void
}

/** For one device. */
const MOST_BINDINGS = 10

/** Keeps where phones are: RFC 3261 §10.3, with Path (RFC 3327). */
export class Registrar {
  readonly #options: RegistrarOptions

  constructor(options: RegistrarOptions) {
    this.#options = options
  }

  /** Answers a REGISTER; never rejects. */
  async answer(incoming: IncomingRequest): Promise<void> {
    const { request, from } = incoming
    const proof = await this.#options.authenticator.prove(request, from)
    if ('status' in proof) return incoming.respond(proof.status, { headers: proof.headers })
    try {
      incoming.respond(200, { headers: this.#reply(request, await this.#change(request, from, proof.device)) })
    } catch (error) {
      const { status, headers } = this.#failure(error)
      incoming.respond(status, { headers })
    }
  }

  async #change(request: Request, from: Flow, device: ProvenDevice): Promise<Registration[]> {
    if (parseUri(request.to.uri).user !== device.username) throw new SipError(403, 'A phone registers itself only')
    const wish = readRegister(request)
    const { store, clock } = this.#options
    const now = clock.now()
    if (wish.contacts.length === 0 && !wish.forgetAll) return bindingsOf(store.read, device, now)
    const { edge, isProxy } = this.#options
    const via = edge.isAt(from) ? writeFlow(from) : ''
    const source = sourceOf(request, edge.sourceOf(request, from), { via, origin: registeredOrigin(request, from, isProxy) ?? '' })
    const change = { wish, device, request, source, now }
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
  wish: RegisterWish
  device: ProvenDevice
  request: Request
  source: ReturnType<typeof sourceOf>
  now: number
}

/** All of it or nothing: what throws here takes the transaction back. */
const apply = async (tables: Tables, { wish, device, request, source, now }: Change): Promise<void> => {
  const { accountId, deviceId } = device
  const present = await bindingsOf(tables, device, now)
  if (wish.forgetAll) {
    for (const binding of present) demandNewer(request, binding)
    return tables.devices.unregister(accountId, deviceId)
  }
  for (const { contact, q, seconds } of wish.contacts) {
    const same = present.find((binding) => isSame(binding.contact, contact))
    if (same) demandNewer(request, same)
    if (seconds > 0) {
      const place = { contact: same?.contact ?? contact, q, path: request.list('path').join(', '), ...source }
      const registration = { ...place, expiresAt: now + seconds * 1000 }
      if (!(await tables.devices.register(accountId, deviceId, registration, now))) throw outOfOrder()
    } else if (same) await tables.devices.unregister(accountId, deviceId, same.contact)
  }
}

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
const demandNewer = (request: Request, { callId, cseq }: Registration): void => {
  if (callId === request.callId && request.cseq.number <= cseq) throw outOfOrder()
}

const outOfOrder = (): SipError => new SipError(500, 'A later REGISTER was here before')

const isSame = (one: string, other: string): boolean => one === other || sameUri(parseUri(one), parseUri(other))
