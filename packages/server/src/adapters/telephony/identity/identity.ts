import type { CallerIdentity, Dial, CivicAddress } from '#core/kernel/ports/telephony.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import { parsePrivacy, type NameAddr, parseNameAddr, formatNameAddr } from '@offhook/sip/grammar/headers.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import { parseUri, type SipUri, formatUri, makeUri } from '@offhook/sip/grammar/uri.ts'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import type { HeaderLines, BodyPart } from '@offhook/sip/message/build.ts'

/** Parses a number in this peer's format; undefined if it is not a number. */
type ReadNumber = (written: string) => string | undefined

const maxNameLength = 80
const maxUserLength = 64

/** The caller of a call over a trunk. P-Asserted-Identity and its predecessor are only trusted there (RFC 3325 §8). */
export const trunkCaller = (request: Request, read: ReadNumber): CallerIdentity => {
  const party = remoteParty(request)
  const said = asserted(request) ?? party ?? request.from
  const user = userOf(said.uri)
  const anonymousFrom = isAnonymous(userOf(request.from.uri), uriOf(request.from.uri)?.host)
  const withheld = wantsPrivacy(request) || anonymousFrom || (party !== undefined && hidesParty(party))
  const number = user === undefined || isAnonymous(user) ? undefined : (read(user) ?? user)
  return { number, name: nameOf(said, user), withheld }
}

/** A device is identified by its password; of its own identity headers only the request for anonymity counts. */
export const deviceCaller = (request: Request): CallerIdentity => {
  const { uri } = request.from
  return { number: undefined, name: '', withheld: wantsPrivacy(request) || isAnonymous(userOf(uri), uriOf(uri)?.host) }
}

/** RFC 5806: the latest first. */
export const diversionsOf = (request: Request, read: ReadNumber): string[] => {
  const users = nameAddrs(request, 'diversion').map(({ uri }) => userOf(uri))
  return users.flatMap((user) => (user === undefined ? [] : [read(user) ?? user])).slice(0, 10)
}

/** Number of earlier passes through an Offhook. */
export const hopsOf = (request: Request): number => {
  const written = request.header('x-offhook-hops') ?? '0'
  return /^\d{1,3}$/.test(written) ? Number(written) : 0
}

/** The dialled number. `ownUsers`: user parts with which we registered, which only mean ourselves; To is then more specific. */
export const dialledUser = (request: Request, ownUsers: readonly string[] = []): string => {
  const calledParty = nameAddrs(request, 'p-called-party-id')[0] // RFC 7315 §4.2
  const candidates = [calledParty && userOf(calledParty.uri), cleanUser(request.target), userOf(request.to.uri)]
  return candidates.find((user) => user !== undefined && !ownUsers.includes(user)) ?? ''
}

/**
 * The number that a carrier calls. If it only dials our registered user name, that means the trunk's default number, or the name itself,
 * which often is a number.
 */
export const dialledOver = (
  request: Request,
  { username, defaultNumber }: Pick<TrunkSettings, 'username' | 'defaultNumber'>,
  read: ReadNumber,
): string => {
  const dialled = dialledUser(request, username === '' ? [] : [username])
  if (dialled === '' && defaultNumber !== '') return defaultNumber
  const meant = dialled === '' ? username : dialled
  return read(meant) ?? meant
}

const asserted = (request: Request): NameAddr | undefined =>
  nameAddrs(request, 'p-asserted-identity').find(({ uri }) => userOf(uri) !== undefined)

const remoteParty = (request: Request): NameAddr | undefined =>
  nameAddrs(request, 'remote-party-id').find(({ params }) => (params['party'] ?? 'calling') === 'calling')

const hidesParty = ({ params }: NameAddr): boolean => ['full', 'uri'].includes((params['privacy'] ?? '').toLowerCase())

const wantsPrivacy = (request: Request): boolean =>
  request.lines('privacy').some((line) => parsePrivacy(line).some((word) => ['id', 'user', 'full'].includes(word)))

const isAnonymous = (user: string | undefined, host = ''): boolean =>
  host.endsWith('anonymous.invalid') || ['anonymous', 'restricted', 'unavailable', 'unknown'].includes((user ?? '').toLowerCase())

/** Ignores unparsable identity headers instead of rejecting the call. */
const nameAddrs = (request: Request, header: string): NameAddr[] => {
  try {
    return request.list(header).map(parseNameAddr)
  } catch {
    return []
  }
}

const uriOf = (text: string): SipUri | undefined => {
  try {
    return parseUri(text)
  } catch {
    return undefined
  }
}

const userOf = (text: string): string | undefined => {
  const uri = uriOf(text)
  return uri && cleanUser(uri)
}

/**
 * Strips parameters after a number (RFC 3261 §19.1.6: `+4930;phone-context=…`), and rejects characters that could break a line or a log.
 */
const cleanUser = ({ user }: SipUri): string | undefined => {
  const plain = user?.split(';')[0] ?? ''
  return plain === '' || plain.length > maxUserLength || /[^\x21-\x7e]/.test(plain) ? undefined : plain
}

const nameOf = ({ display }: NameAddr, user: string | undefined): string => {
  const name = display
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxNameLength)
  return name === user ? '' : name
}

type NumberFormat = TrunkSettings['numberFormat']

/** Formats a number for this carrier. `country`: the carrier's country. */
export const writeNumber = (e164: string, format: NumberFormat, country: string): string => {
  if (!e164.startsWith('+')) return e164 // an emergency number is sent as dialled
  const digits = e164.slice(1)
  if (format === 'PLUS') return e164
  if (format === 'DIGITS') return digits
  return (format === 'NATIONAL' ? nationalForm(e164, country) : undefined) ?? `00${digits}`
}

const nationalForm = (e164: string, country: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(e164)
  return parsed?.country === country ? parsed.formatNational().replaceAll(/\D/g, '') : undefined
}

/** Parsing a number costs as much as parsing a message, and carriers send the same ones repeatedly. */
const known = new BoundedMap<string, { e164: string | undefined }>(1_000)

/** Converts a carrier's number to E.164; undefined if it is not a number. `+` and `00` are always understood. */
export const readNumber = (written: string, format: NumberFormat, country: string): string | undefined => {
  const bareDigitsAreE164 = format === 'DIGITS'
  const key = `${country} ${bareDigitsAreE164} ${written}`
  const before = known.get(key)
  if (before) return before.e164
  const e164 = parseNumber(written, country, { bareDigitsAreE164 })?.e164
  known.set(key, { e164 })
  return e164
}

export interface Presentation {
  /** Host part of our numbers: the carrier's host, or ours for devices. */
  host: string
  /** Formats a number for this peer. */
  write: (e164: string) => string
  /** May see a withheld number and is asked to hide it (RFC 3325): carriers. */
  trusted: boolean
  /** Emergency services always see the caller's number. */
  emergency: boolean
  /** Our identity without a known number: our account name at the carrier. */
  account?: string
}

const anonymous = '"Anonymous" <sip:anonymous@anonymous.invalid>'

/** The From header and all other caller identification. Header injection is impossible: URIs are escaped, names are quoted. */
export const presentCaller = ({ caller, diversions, hops }: Dial, peer: Presentation): { from: string; headers: HeaderLines } => {
  const hidden = caller.withheld && !peer.emergency
  const user = caller.number === undefined ? peer.account : peer.write(caller.number)
  const uri = user === undefined || user === '' ? undefined : numberUri(user, peer.host)
  const shown = uri === undefined ? anonymous : formatNameAddr({ display: printable(caller.name), uri })
  const headers: [string, string][] = []
  if (peer.trusted && uri !== undefined) headers.push(['P-Asserted-Identity', formatNameAddr({ uri })])
  if (hidden) headers.push(['Privacy', 'id'])
  for (const number of diversions.slice(0, 10))
    headers.push(['Diversion', `${formatNameAddr({ uri: numberUri(peer.write(number), peer.host) })};reason=unconditional`])
  if (hops > 0 && !peer.trusted) headers.push(['X-Offhook-Hops', String(hops)])
  return { from: hidden ? anonymous : shown, headers }
}

const numberUri = (user: string, host: string): string => formatUri(makeUri({ user, host }))

/** Names come from customers: no control characters, no invisible ones, and no more than a display can show. */
const printable = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 60)

/** Headers and body parts of an emergency call besides the caller. */
interface EmergencyMarks {
  headers: HeaderLines
  attachments: readonly BodyPart[]
}

const priority: HeaderLines = [['Priority', 'emergency']]

/** RFC 3261 §20.26; with the caller's address if the carrier requests it (RFC 6442): by value, also for routing. */
export const emergencyMarks = (
  location: CivicAddress | undefined,
  caller: { number: string | undefined; host: string },
): EmergencyMarks => {
  if (!location) return { headers: priority, attachments: [] }
  const id = `location@${caller.host.replace(/[^A-Za-z0-9.-]/g, '-')}`
  const headers: HeaderLines = [...priority, ['Geolocation', `<cid:${id}>`], ['Geolocation-Routing', 'yes']]
  const described = { type: 'application/pidf+xml', content: pidfLo(location, caller) }
  // A receiver that does not understand it may ignore it: a call without an address is better than none.
  const partHeaders: HeaderLines = [
    ['Content-ID', `<${id}>`],
    ['Content-Disposition', 'by-reference;handling=optional'],
  ]
  return { headers, attachments: [{ ...described, headers: partHeaders }] }
}

const namespaces = [
  'xmlns="urn:ietf:params:xml:ns:pidf"',
  'xmlns:dm="urn:ietf:params:xml:ns:pidf:data-model"',
  'xmlns:gp="urn:ietf:params:xml:ns:pidf:geopriv10"',
  'xmlns:ca="urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr"',
].join(' ')

/** A location object (RFC 4119, RFC 5491) with a civic address (RFC 5139), as short as possible, because it has to fit into a datagram. */
const pidfLo = (address: CivicAddress, { number = 'anonymous', host }: { number: string | undefined; host: string }): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<presence ${namespaces} entity="pres:${escaped(`${number}@${host}`)}">`,
    '<dm:device id="phone"><gp:geopriv><gp:location-info>',
    `<ca:civicAddress>${civicElements(address)}</ca:civicAddress>`,
    '</gp:location-info><gp:usage-rules/><gp:method>Manual</gp:method></gp:geopriv></dm:device>',
    '</presence>',
  ].join('\r\n')

/** In the order of the schema. */
const civicElements = (address: CivicAddress): string => {
  const [, house = address.houseNumber, suffix = ''] = /^(\d+)\s*(.*)$/.exec(address.houseNumber) ?? []
  const elements: [name: string, value: string][] = [
    ['country', address.country],
    ['A1', address.region],
    ['A3', address.locality],
    ['RD', address.street],
    ['HNO', house],
    ['HNS', suffix],
    ['LOC', address.extendedAddress],
    ['PC', address.postalCode],
    ['POBOX', address.poBox],
  ]
  return elements
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<ca:${name}>${escaped(value)}</ca:${name}>`)
    .join('')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML forbids control characters. */
const escaped = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')
