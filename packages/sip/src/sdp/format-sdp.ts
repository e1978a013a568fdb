import { unsendable } from '../grammar/scan.ts'
import {
  noDetails,
  type Attribute,
  type Connection,
  type Crypto,
  type IceCandidate,
  type Media,
  type MediaDefaults,
  type Payload,
  type Sdp,
} from './sdp.ts'

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

/** A new media line with everything empty that is not given. */
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
