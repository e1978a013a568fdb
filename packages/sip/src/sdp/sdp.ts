import { unsendable } from '../grammar/scan.ts'

/** Typed session descriptions (RFC 8866). Unknown attributes are kept in `attributes`. */

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'
export type Setup = 'active' | 'passive' | 'actpass' | 'holdconn'

export interface Connection {
  family: 'IP4' | 'IP6'
  /** An address or a host name, without multicast suffix. */
  address: string
}

export interface Origin extends Connection {
  username: string
  /** Digits, possibly beyond the number range. */
  sessionId: string
  /** Digits. */
  version: string
}

/** `a=name:value` or `a=name`. */
export interface Attribute {
  name: string
  value: string | undefined
}

/** One payload type of an RTP stream: its number, its rtpmap (or the RFC 3551 default) and its fmtp. */
export interface Payload {
  type: number
  /** As written: `PCMA`, `telephone-event`. Empty if undefined. */
  encoding: string
  clockRate: number
  channels: number
  fmtp: string | undefined
}

/** SRTP keys in SDP, RFC 4568; single-key lines only. */
export interface Crypto {
  tag: number
  suite: string
  /** Base64. */
  key: string
  /** Rest of the key parameter: lifetime and MKI, without the leading bar. */
  keyOptions: string | undefined
  /** For example `UNENCRYPTED_SRTP`. */
  sessionParams: readonly string[]
}

export interface Fingerprint {
  /** In lower case: `sha-256`. */
  hash: string
  value: string
}

export interface IceCandidate {
  foundation: string
  component: number
  /** In lower case. */
  protocol: string
  priority: number
  address: string
  port: number
  type: string
  /** Everything after the type, as written. */
  extensions: string
}

/** Fields that a media line may inherit from the session. */
export interface MediaDefaults {
  connection: Connection | undefined
  direction: Direction
  ice: { ufrag: string; password: string } | undefined
  fingerprints: readonly Fingerprint[]
  setup: Setup | undefined
}

export interface Media extends MediaDefaults {
  /** `audio`, `video`, `image` … */
  kind: string
  /** 0 means rejected. */
  port: number
  /** `RTP/AVP`, `RTP/SAVP`, `UDP/TLS/RTP/SAVPF`, `udptl` … */
  protocol: string
  /** In order of preference; RTP only. */
  payloads: readonly Payload[]
  /** For all other protocols. */
  formats: readonly string[]
  ptime: number | undefined
  maxptime: number | undefined
  crypto: readonly Crypto[]
  candidates: readonly IceCandidate[]
  rtcpMux: boolean
  rtcp: { port: number; connection: Connection | undefined } | undefined
  mid: string | undefined
  attributes: readonly Attribute[]
}

export interface Sdp {
  origin: Origin
  name: string
  connection: Connection | undefined
  iceLite: boolean
  /** Session attributes, except those inherited by the media lines. */
  attributes: readonly Attribute[]
  /** Each one is complete, including inherited session fields. */
  media: readonly Media[]
}

export const isRtp = (protocol: string): boolean => protocol.toUpperCase().includes('RTP/')

/** Media details before parsing; returns new lists each time, because the parser appends to them. */
export const noDetails = () => ({
  ptime: undefined,
  maxptime: undefined,
  crypto: [],
  candidates: [],
  rtcpMux: false,
  rtcp: undefined,
  mid: undefined,
})

const formatConnection = ({ family, address }: Connection): string => `IN ${family} ${address}`

const sameConnection = (a: Connection | undefined, b: Connection | undefined): boolean =>
  a?.family === b?.family && a?.address === b?.address

const formatRtpmap = ({ type, encoding, clockRate, channels }: Payload): string =>
  `a=rtpmap:${type} ${encoding}/${clockRate}${channels === 1 ? '' : `/${channels}`}`

const formatCrypto = ({ tag, suite, key, keyOptions, sessionParams }: Crypto): string =>
  [
    'a=crypto:',
    tag,
    ' ',
    suite,
    ' inline:',
    key,
    keyOptions === undefined ? '' : `|${keyOptions}`,
    ...sessionParams.map((each) => ` ${each}`),
  ].join('')

const formatCandidate = (candidate: IceCandidate): string => {
  const { foundation, component, protocol, priority, address, port, type, extensions } = candidate
  const text = `a=candidate:${foundation} ${component} ${protocol} ${priority} ${address} ${port} typ ${type}`
  return extensions === '' ? text : `${text} ${extensions}`
}

const formatAttribute = ({ name, value }: Attribute): string => (value === undefined ? `a=${name}` : `a=${name}:${value}`)

const payloadLines = (payloads: readonly Payload[]): string[] => {
  const lines: string[] = []
  for (const payload of payloads) {
    if (payload.encoding !== '') lines.push(formatRtpmap(payload))
    if (payload.fmtp !== undefined) lines.push(`a=fmtp:${payload.type} ${payload.fmtp}`)
  }
  return lines
}

const securityLines = ({ ice, fingerprints, setup }: MediaDefaults): string[] => {
  const lines = fingerprints.map(({ hash, value }) => `a=fingerprint:${hash} ${value}`)
  if (setup !== undefined) lines.push(`a=setup:${setup}`)
  if (ice !== undefined) lines.push(`a=ice-ufrag:${ice.ufrag}`, `a=ice-pwd:${ice.password}`)
  return lines
}

const rtcpLines = ({ rtcp, rtcpMux }: Media): string[] => {
  const lines: string[] = []
  if (rtcp !== undefined) lines.push(`a=rtcp:${rtcp.port}${rtcp.connection === undefined ? '' : ` ${formatConnection(rtcp.connection)}`}`)
  if (rtcpMux) lines.push('a=rtcp-mux')
  return lines
}

const mediaLines = (media: Media, session: Connection | undefined): string[] => {
  const formats = media.payloads.length > 0 ? media.payloads.map(({ type }) => type) : media.formats
  const lines = [`m=${media.kind} ${media.port} ${media.protocol} ${formats.join(' ')}`]
  if (media.connection !== undefined && !sameConnection(media.connection, session)) lines.push(`c=${formatConnection(media.connection)}`)
  if (media.mid !== undefined) lines.push(`a=mid:${media.mid}`)
  lines.push(...payloadLines(media.payloads))
  if (media.ptime !== undefined) lines.push(`a=ptime:${media.ptime}`)
  if (media.maxptime !== undefined) lines.push(`a=maxptime:${media.maxptime}`)
  lines.push(`a=${media.direction}`, ...media.crypto.map(formatCrypto), ...securityLines(media), ...rtcpLines(media))
  return [...lines, ...media.candidates.map(formatCandidate), ...media.attributes.map(formatAttribute)]
}

const checked = (line: string): string => {
  if (line.includes('\r') || line.includes('\n')) throw unsendable('A value in the SDP has a line break')
  return line
}

export const formatSdp = (sdp: Sdp): string => {
  const { origin, connection } = sdp
  const lines = [
    'v=0',
    `o=${origin.username} ${origin.sessionId} ${origin.version} ${formatConnection(origin)}`,
    `s=${sdp.name}`,
    ...(connection === undefined ? [] : [`c=${formatConnection(connection)}`]),
    't=0 0',
    ...(sdp.iceLite ? ['a=ice-lite'] : []),
    ...sdp.attributes.map(formatAttribute),
    ...sdp.media.flatMap((media) => mediaLines(media, connection)),
  ]
  return lines.map((line) => `${checked(line)}\r\n`).join('')
}

/** A new media line; missing parts are empty. */
export const makeMedia = (parts: Partial<Media> & Pick<Media, 'kind' | 'port' | 'protocol'>): Media => ({
  connection: undefined,
  direction: 'sendrecv',
  ice: undefined,
  fingerprints: [],
  setup: undefined,
  payloads: [],
  formats: [],
  ...noDetails(),
  attributes: [],
  ...parts,
})
