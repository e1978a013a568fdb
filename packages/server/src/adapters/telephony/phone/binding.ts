import type { Registration } from '#core/kernel/ports/store/device.ts'
import { bareHost, parseUri, type SipUri } from '@offhook/sip/grammar/uri.ts'
import { leniently, splitList } from '@offhook/sip/grammar/scan.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseNameAddr } from '@offhook/sip/grammar/headers.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { readFlow } from '../guard/authenticate.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

/**
 * Location of a phone. Customers write Contact, Path and Record-Route and may name any host: these are trusted only if they name the source
 * address of the request, and names in them are never resolved. Everything else goes back to its source.
 */
export interface Binding {
  uri: string
  /** Through proxies (RFC 3327). */
  routes: readonly string[]
  /** Destination of requests. */
  flow: Flow
  /** Location of the phone, which differs behind our edge: determines its capabilities, and which of our addresses its sound can reach. */
  phone: Pick<Flow, 'kind' | 'address'>
  /** Address of the phone itself, in front of our proxies; undefined when they do not report it. */
  origin: string | undefined
}

/** Undefined for a phone that cannot be called: its connection is closed and only the phone can reopen it. */
export const bindingOf = (
  { contact, path, ip, port, transport, via, origin }: Registration,
  reaches: (flow: Flow) => boolean,
): Binding | undefined => {
  const phone: Flow = { kind: transport as TransportKind, address: ip, port }
  const edge = readFlow(via)
  const scheme = leniently(() => parseUri(contact).scheme)
  if (scheme === undefined || scheme === 'tel') return undefined
  const routes: string[] = []
  splitList(path, routes)
  const flow = edge ?? directFlow(routes[0] ?? `<${contact}>`, phone, reaches)
  return flow && { uri: contact, routes, flow, phone, origin: origin === '' ? undefined : origin }
}

const directFlow = (next: string, came: Flow, reaches: (flow: Flow) => boolean): Flow | undefined => {
  const named = namedFlow(next, came)
  if (came.kind === 'udp') return named ?? came
  return reaches(came) ? came : named
}

/** Destination of requests to a calling phone: its connection, or the address in its Contact or of its proxy. */
export const wayBack = (request: Request, from: Flow): Flow => {
  const [route] = request.list('record-route')
  if (route === undefined && from.kind !== 'udp') return from
  const contact = request.contacts[0]
  const next = route ?? (contact && `<${contact.uri}>`)
  return (next !== undefined && namedFlow(next, from)) || from
}

/**
 * Destination for ending a phone's call after our connections are closed. Undefined when only the phone can connect: browsers, and phones
 * that do not name their listening address.
 */
export const wayWithoutConnection = ({ target, routes }: { target: string; routes: readonly string[] }, flow: Flow): Flow | undefined =>
  flow.kind === 'udp' ? flow : namedFlow(routes[0] ?? `<${target}>`, flow)

/** Another port or transport at the same address. Browsers can only be reached over their own connection. */
const namedFlow = (nameAddr: string, came: Flow): Flow | undefined => {
  const uri = leniently(() => parseUri(parseNameAddr(nameAddr).uri))
  const kind = uri && kindOf(uri, came.kind)
  if (!kind || uri.params['maddr'] !== undefined || bareHost(uri.host) !== came.address) return undefined
  return { kind, address: came.address, port: uri.port ?? (kind === 'tls' ? 5061 : 5060) }
}

const kindOf = ({ scheme, params }: SipUri, came: TransportKind): 'udp' | 'tcp' | 'tls' | undefined => {
  const kind = scheme === 'sips' ? 'tls' : (params['transport']?.toLowerCase() ?? came)
  return kind === 'udp' || kind === 'tcp' || kind === 'tls' ? kind : undefined
}

interface BindingsOptions {
  clock: Clock
  store: Store
  transport: { reaches(to: Flow): boolean }
}

/** All reachable registrations of a device. */
export class Bindings {
  readonly #options: BindingsOptions

  constructor(options: BindingsOptions) {
    this.#options = options
  }

  async of(accountId: string, deviceId: string): Promise<Binding[]> {
    const { store, clock, transport } = this.#options
    const found = await store.read.devices.registrations(accountId, [deviceId], clock.now())
    const reaches = (flow: Flow) => transport.reaches(flow)
    return (found.get(deviceId) ?? []).flatMap((registration) => bindingOf(registration, reaches) ?? [])
  }
}
