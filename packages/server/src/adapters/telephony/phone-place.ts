import { isIP } from 'node:net'
import type { Registration } from '../../core/ports/store/registrations.ts'
import { bareHost } from '../../sip/host.ts'
import type { Flow, TransportKind } from '../../sip/transport.ts'
import { parseUri, type SipUri } from '../../sip/uri.ts'

/** Where a phone is called. */
export interface Place {
  uri: string
  /** Through proxies (RFC 3327). */
  routes: readonly string[]
  /** The only way there; without it the URI says the way. */
  flow: Flow | undefined
  /** Roughly, for our address towards it. */
  towards: Pick<Flow, 'kind' | 'address'>
}

/** Undefined for a phone that cannot be called: its connection is gone and nobody but itself can open it again. */
export const placeOf = ({ contact, path, ip, port, transport }: Registration, reaches: (flow: Flow) => boolean): Place | undefined => {
  const came: Flow = { kind: transport as TransportKind, address: ip, port }
  const uri = uriOf(contact)
  if (!uri || uri.scheme === 'tel') return undefined
  const place = { uri: contact, routes: path === '' ? [] : [path], towards: came }
  if (path !== '') return { ...place, flow: undefined }
  if (came.kind === 'udp') return { ...place, flow: isElsewhere(uri, came) ? came : undefined }
  if (reaches(came)) return { ...place, flow: came }
  return isElsewhere(uri, came) || came.kind === 'ws' || came.kind === 'wss' ? undefined : { ...place, flow: undefined }
}

/** A phone that calls is answered where it came from when its Contact leads elsewhere, or nowhere. */
export const mustStayOn = (from: Flow, contact: string | undefined): boolean => {
  const uri = contact === undefined ? undefined : uriOf(contact)
  return from.kind !== 'udp' || uri === undefined || isElsewhere(uri, from)
}

/** NAT: the phone knows itself by another address than we do. Names such as `abc.invalid` are no addresses at all (RFC 7118 §5). */
const isElsewhere = ({ host }: SipUri, { address }: Flow): boolean => {
  const bare = bareHost(host)
  return isIP(bare) === 0 ? bare.endsWith('.invalid') : bare !== address
}

const uriOf = (text: string): SipUri | undefined => {
  try {
    return parseUri(text)
  } catch {
    return undefined
  }
}
