import { limits, malformed, parseNumber, readNumber, SipError } from '../grammar/scan.ts'
import {
  isRtp,
  noDetails,
  type Attribute,
  type Connection,
  type Crypto,
  type Direction,
  type Fingerprint,
  type IceCandidate,
  type Media,
  type MediaDefaults,
  type Origin,
  type Payload,
  type Sdp,
  type Setup,
} from './sdp.ts'

/** Fields of both the session and each media section. */
interface Section {
  connection: Connection | undefined
  direction: Direction | undefined
  setup: Setup | undefined
  ufrag: string | undefined
  password: string | undefined
  fingerprints: Fingerprint[]
  attributes: Attribute[]
}

interface MediaSection extends Section {
  kind: string
  port: number
  protocol: string
  payloads: Map<number, Payload>
  formats: string[]
  ptime: number | undefined
  maxptime: number | undefined
  crypto: Crypto[]
  candidates: IceCandidate[]
  rtcpMux: boolean
  rtcp: Media['rtcp']
  mid: string | undefined
}

interface SessionSection extends Section {
  origin: Origin | undefined
  name: string
  iceLite: boolean
}

const emptySection = (): Section => ({
  connection: undefined,
  direction: undefined,
  setup: undefined,
  ufrag: undefined,
  password: undefined,
  fingerprints: [],
  attributes: [],
})

const setups: readonly string[] = ['active', 'passive', 'actpass', 'holdconn'] satisfies Setup[]

const pushed = <T>(list: T[], item: T | undefined): boolean => item !== undefined && list.push(item) > 0

const turn = (section: Section, direction: Direction): boolean => {
  section.direction ??= direction
  return true
}

/** Returns true if the value was understood. */
type Reader<S> = (section: S, value: string) => boolean

const sharedReaders: Readonly<Record<string, Reader<Section>>> = {
  sendrecv: (section) => turn(section, 'sendrecv'),
  sendonly: (section) => turn(section, 'sendonly'),
  recvonly: (section) => turn(section, 'recvonly'),
  inactive: (section) => turn(section, 'inactive'),
  fingerprint: (section, value) => pushed(section.fingerprints, readFingerprint(value)),
  setup: (section, value) => {
    if (!setups.includes(value)) return false
    section.setup ??= value as Setup
    return true
  },
  'ice-ufrag': (section, value) => (section.ufrag ??= value) !== undefined,
  'ice-pwd': (section, value) => (section.password ??= value) !== undefined,
}

const mediaReaders: Readonly<Record<string, Reader<MediaSection>>> = {
  rtpmap: ({ payloads }, value) => {
    const map = readRtpmap(value)
    const payload = map && payloads.get(map.type)
    return payload !== undefined && Object.assign(payload, map) === payload
  },
  fmtp: ({ payloads }, value) => {
    const read = readFmtp(value)
    const payload = read && payloads.get(read.type)
    if (payload === undefined || read === undefined) return false
    payload.fmtp ??= read.fmtp
    return true
  },
  ptime: (media, value) => (media.ptime ??= readNumber(value, 1000)) !== undefined,
  maxptime: (media, value) => (media.maxptime ??= readNumber(value, 1000)) !== undefined,
  crypto: (media, value) => pushed(media.crypto, readCrypto(value)),
  candidate: (media, value) => pushed(media.candidates, readCandidate(value)),
  'rtcp-mux': (media) => (media.rtcpMux = true),
  rtcp: (media, value) => (media.rtcp ??= readRtcp(value)) !== undefined,
  mid: (media, value) => (media.mid ??= value) !== undefined,
}

const sessionReaders: Readonly<Record<string, Reader<SessionSection>>> = {
  'ice-lite': (session) => (session.iceLite = true),
}

const readerFor = <S extends Section>(readers: Readonly<Record<string, Reader<S>>>, name: string): Reader<S> | undefined => {
  if (Object.hasOwn(readers, name)) return readers[name]
  return Object.hasOwn(sharedReaders, name) ? sharedReaders[name] : undefined
}

const takeAttribute = <S extends Section>(section: S, readers: Readonly<Record<string, Reader<S>>>, text: string): void => {
  const colon = text.indexOf(':')
  const name = colon < 0 ? text : text.slice(0, colon)
  const value = colon < 0 ? undefined : text.slice(colon + 1)
  const understood = readerFor(readers, name)?.(section, value ?? '') ?? false
  if (!understood) section.attributes.push({ name, value })
}

const parseConnection = (value: string): Connection => {
  const connection = readConnection(words(value))
  if (connection === undefined) throw malformed('An address in the SDP is not one')
  return connection
}

/** `- 3724394400 2 IN IP4 192.0.2.1` */
const parseOrigin = (value: string): Origin => {
  const [username = '', sessionId = '', version = '', ...address] = words(value)
  const connection = readConnection(address)
  if (connection === undefined) throw malformed('The origin of the SDP is not one')
  return { username, sessionId, version, ...connection }
}

/** `audio 49170/2 RTP/AVP 8 0 101` */
const parseMediaLine = (value: string): MediaSection => {
  const [kind = '', ports = '', protocol, ...formats] = words(value)
  const slash = ports.indexOf('/')
  const port = parseNumber(slash < 0 ? ports : ports.slice(0, slash), 65_535, 'A media port')
  if (protocol === undefined) throw malformed('A media line has no protocol')
  const rtp = isRtp(protocol)
  const types = rtp ? formats.map((format) => parseNumber(format, 127, 'A payload type')) : []
  return {
    ...emptySection(),
    kind: kind.toLowerCase(),
    port,
    protocol,
    payloads: new Map(types.map((type) => [type, plainPayload(type)])),
    formats: rtp ? [] : formats,
    ...noDetails(),
  }
}

class Reading {
  readonly session: SessionSection = { ...emptySection(), origin: undefined, name: '-', iceLite: false }
  readonly media: MediaSection[] = []

  line(type: string, value: string): void {
    const media = this.media.at(-1)
    if (type === 'm') this.#addMedia(value)
    else if (type === 'c') (media ?? this.session).connection ??= parseConnection(value)
    else if (type === 'a' && media !== undefined) takeAttribute(media, mediaReaders, value)
    else if (type === 'a') takeAttribute(this.session, sessionReaders, value)
    else if (type === 'o' && media === undefined) this.session.origin ??= parseOrigin(value)
    else if (type === 's' && media === undefined) this.session.name = value
  }

  #addMedia(value: string): void {
    if (this.media.length === limits.mediaLines) throw new SipError(488, 'The SDP has too many media lines')
    this.media.push(parseMediaLine(value))
  }
}

const defaultsOf = (section: Section, outer?: MediaDefaults): MediaDefaults => {
  const { ufrag, password } = section
  return {
    connection: section.connection ?? outer?.connection,
    direction: section.direction ?? outer?.direction ?? 'sendrecv',
    ice: ufrag !== undefined && password !== undefined ? { ufrag, password } : outer?.ice,
    fingerprints: section.fingerprints.length > 0 ? section.fingerprints : (outer?.fingerprints ?? []),
    setup: section.setup ?? outer?.setup,
  }
}

const complete = (media: MediaSection, outer: MediaDefaults): Media => {
  const { kind, port, protocol, formats, ptime, maxptime, crypto, candidates, rtcpMux, rtcp, mid, attributes } = media
  const payloads = [...media.payloads.values()]
  const own = { kind, port, protocol, payloads, formats, ptime, maxptime, crypto, candidates, rtcpMux, rtcp, mid, attributes }
  return { ...own, ...defaultsOf(media, outer) }
}

/** Each line is `x=text`. The last one may be truncated: some senders miscount Content-Length. */
const readLines = (text: string, reading: Reading): void => {
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const stop = end > start && text.charCodeAt(end - 1) === 13 ? end - 1 : end
    if (stop > start) {
      if (text.charCodeAt(start + 1) === 61 && stop >= start + 2) reading.line(text.charAt(start), text.slice(start + 2, stop))
      else if (newline >= 0) throw malformed('The SDP has a line that is not one')
    }
    start = end + 1
  }
}

/** Throws SipError: 400 for malformed input, 413 if too long, 488 for too many media lines. */
export const parseSdp = (body: string | Uint8Array): Sdp => {
  if (body.length > limits.sdpBytes) throw new SipError(413, 'The SDP is too long')
  const text = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  if (!text.startsWith('v=0\r') && !text.startsWith('v=0\n')) throw malformed('The SDP does not begin with v=0')
  const reading = new Reading()
  readLines(text, reading)
  const { origin, name, connection, iceLite, attributes } = reading.session
  if (origin === undefined) throw malformed('The SDP has no origin')
  const outer = defaultsOf(reading.session)
  return { origin, name, connection, iceLite, attributes, media: reading.media.map((media) => complete(media, outer)) }
}

/*
 * One parser per kind of value. Each returns undefined for malformed values: such an attribute counts as unknown and needs no exception.
 */

/** Splits at blanks. */
const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/** `IN IP4 192.0.2.1/127` */
const readConnection = ([net, family, address]: readonly string[]): Connection | undefined => {
  const upper = family?.toUpperCase()
  if (net?.toUpperCase() !== 'IN' || (upper !== 'IP4' && upper !== 'IP6') || address === undefined) return undefined
  const slash = address.indexOf('/')
  return { family: upper, address: slash < 0 ? address : address.slice(0, slash) }
}

/** `8 PCMA/8000` */
const readRtpmap = (value: string): Omit<Payload, 'fmtp'> | undefined => {
  const [number = '', map = ''] = words(value)
  const [encoding = '', rate = '', count = '1'] = map.split('/')
  const type = readNumber(number, 127)
  const clockRate = readNumber(rate, 10_000_000)
  const channels = readNumber(count, 255)
  if (type === undefined || encoding === '' || clockRate === undefined || channels === undefined) return undefined
  return { type, encoding, clockRate, channels }
}

/** `101 0-16` */
const readFmtp = (value: string): { type: number; fmtp: string } | undefined => {
  const blank = value.indexOf(' ')
  const type = readNumber(value.slice(0, Math.max(blank, 0)), 127)
  return type === undefined ? undefined : { type, fmtp: value.slice(blank + 1).trim() }
}

/** `1 AES_CM_128_HMAC_SHA1_80 inline:key|2^31|1:4 UNENCRYPTED_SRTCP` */
const readCrypto = (value: string): Crypto | undefined => {
  const [number = '', suite = '', keys = '', ...sessionParams] = words(value)
  const tag = readNumber(number, 999_999_999)
  const bar = keys.indexOf('|')
  const key = keys.slice(7, bar < 0 ? keys.length : bar)
  if (tag === undefined || keys.slice(0, 7).toLowerCase() !== 'inline:' || keys.includes(';') || key === '') return undefined
  return { tag, suite, key, keyOptions: bar < 0 ? undefined : keys.slice(bar + 1), sessionParams }
}

/** `sha-256 AB:CD:…` */
const readFingerprint = (text: string): Fingerprint | undefined => {
  const [hash, value] = words(text)
  return hash === undefined || value === undefined ? undefined : { hash: hash.toLowerCase(), value }
}

/** `1 1 UDP 2130706431 192.0.2.1 5000 typ host` */
const readCandidate = (text: string): IceCandidate | undefined => {
  const [foundation = '', second = '', protocol = '', fourth = '', address = '', sixth = '', typ, type, ...rest] = words(text)
  const component = readNumber(second, 256)
  const priority = readNumber(fourth, 2 ** 32 - 1)
  const port = readNumber(sixth, 65_535)
  if (component === undefined || priority === undefined || port === undefined || typ !== 'typ' || type === undefined) return undefined
  return { foundation, component, protocol: protocol.toLowerCase(), priority, address, port, type, extensions: rest.join(' ') }
}

/** `5001 IN IP4 192.0.2.1` or only the port. */
const readRtcp = (value: string): { port: number; connection: Connection | undefined } | undefined => {
  const [number = '', ...address] = words(value)
  const port = readNumber(number, 65_535)
  return port === undefined ? undefined : { port, connection: readConnection(address) }
}

/** RFC 3551: payload types that need no rtpmap. G.722 has a clock rate of 8000 for historical reasons. */
const statics: Readonly<Record<number, readonly [encoding: string, clockRate: number]>> = {
  0: ['PCMU', 8000],
  3: ['GSM', 8000],
  4: ['G723', 8000],
  8: ['PCMA', 8000],
  9: ['G722', 8000],
  13: ['CN', 8000],
  15: ['G728', 8000],
  18: ['G729', 8000],
  26: ['JPEG', 90000],
  31: ['H261', 90000],
  32: ['MPV', 90000],
  34: ['H263', 90000],
}

/** A payload type before its attributes are parsed. */
export const plainPayload = (type: number): Payload => {
  const [encoding, clockRate] = statics[type] ?? ['', 0]
  return { type, encoding, clockRate, channels: 1, fmtp: undefined }
}
