import type { Registration } from '#core/kernel/ports/store/device/registrations.ts'
import { bareHost } from '@offhook/sip/grammar/host.ts'
import { leniently } from '@offhook/sip/grammar/lenient.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseNameAddr } from '@offhook/sip/grammar/name-addr.ts'
import { splitList } from '@offhook/sip/grammar/scan.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { parseUri, type SipUri } from '@offhook/sip/grammar/uri.ts'
import { readFlow } from '../guard/edge.ts'

/**
 * Where phones are. Contact, Path and Record-Route are written by customers and may name any host: they are believed only as far as
 * they name the address that the request came from, and no name in them is ever looked up. Everything else goes back to where it came from.
 */
export interface Binding {
  uri: string
  /** Through proxies (RFC 3327). */
  routes: readonly string[]
  /** Where requests go. */
  flow: Flow
  /** Where the phone is, which is somewhere else behind our edge: what it can do, and which of our addresses its sound finds. */
  phone: Pick<Flow, 'kind' | 'address'>
  /** The address that the phone itself is at, in front of our proxies; undefined when they do not say. */
  origin: string | undefined
}

/** Undefined for a phone that cannot be called: its connection is gone and only the phone can open it again. */
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

/** Where requests to a phone go that calls: its connection, or the place that its Contact or its proxy names. */
export const wayBack = (request: Request, from: Flow): Flow => {
  const [route] = request.list('record-route')
  if (route === undefined && from.kind !== 'udp') return from
  const contact = request.contacts[0]
  const next = route ?? (contact && `<${contact.uri}>`)
  return (next !== undefined && namedFlow(next, from)) || from
}

/**
 * Where a phone can be told that its call is over after our connections are gone. Undefined when only the phone can connect: browsers, and
 * phones that do not say where they listen.
 */
export const wayWithoutConnection = ({ target, routes }: { target: string; routes: readonly string[] }, flow: Flow): Flow | undefined =>
  flow.kind === 'udp' ? flow : namedFlow(routes[0] ?? `<${target}>`, flow)

/** Another port or transport at the same address. Browsers cannot be reached but over their own connection. */
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
