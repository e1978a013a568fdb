/** Session descriptions (RFC 8866) in a typed form. What is not known here is kept in `attributes`. */

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'
export type Setup = 'active' | 'passive' | 'actpass' | 'holdconn'

export interface Connection {
  family: 'IP4' | 'IP6'
  /** An address or a host name; a multicast suffix is left out. */
  address: string
}

export interface Origin extends Connection {
  username: string
  /** Digits, perhaps more than a number can hold. */
  sessionId: string
  /** Digits. */
  version: string
}

/** `a=name:value` or `a=name`. */
export interface Attribute {
  name: string
  value: string | undefined
}

/** One payload type of an RTP stream: its number, its rtpmap (or what RFC 3551 says about it) and its fmtp. */
export interface Payload {
  type: number
  /** As written: `PCMA`, `telephone-event`. Empty when nothing says what it is. */
  encoding: string
  clockRate: number
  channels: number
  fmtp: string | undefined
}

/** SRTP keys in the description, RFC 4568; those with one key only. */
export interface Crypto {
  tag: number
  suite: string
  /** Base64. */
  key: string
  /** What follows the key: lifetime and MKI, without the leading bar. */
  keyOptions: string | undefined
  /** `UNENCRYPTED_SRTP` and the like. */
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
  /** Everything behind the type, as written. */
  extensions: string
}

/** What a media line may take over from the session. */
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
  /** 0 means refused. */
  port: number
  /** `RTP/AVP`, `RTP/SAVP`, `UDP/TLS/RTP/SAVPF`, `udptl` … */
  protocol: string
  /** In the order of preference; for RTP only. */
  payloads: readonly Payload[]
  /** For everything that is not RTP. */
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
  /** Of the session, and not those which the media lines took over. */
  attributes: readonly Attribute[]
  /** Each one complete: what the session says for all of them is in each. */
  media: readonly Media[]
}

export const isRtp = (protocol: string): boolean => protocol.toUpperCase().includes('RTP/')

/** What a media line has until its attributes say otherwise; new lists each time, because a parser adds to them. */
export const noDetails = () => ({
  ptime: undefined,
  maxptime: undefined,
  crypto: [],
  candidates: [],
  rtcpMux: false,
  rtcp: undefined,
  mid: undefined,
})
