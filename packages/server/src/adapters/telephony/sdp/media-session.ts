import type { StreamSettings, CodecName, SrtpSettings } from '#media/engine.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { Sdp, Media, Connection, Payload } from '@offhook/sip/sdp/sdp.ts'
import type { SavedOrigin } from './sdp-writer.ts'
import { isIP } from 'node:net'
import { isLoopback, isPrivate } from '../transport/networks.ts'

/** State for another node to resume the audio of a leg, as JSON. */
export type SavedMedia = SavedRtp | SavedWebRtc

interface Saved {
  origin: SavedOrigin
  /** Codecs that we may offer, best first. */
  codecs: readonly CodecName[]
  codec: ChosenCodec
  settings: Omit<StreamSettings, 'srtp'>
}

export interface SavedRtp extends Saved {
  kind: 'rtp'
  farEnd?: FarEnd
  /** Address of the far end, for the choice of our own. */
  towards?: string
  protocol: string
  /** Index of the audio line. */
  index: number
  /** All lines. */
  lines: readonly Pick<Media, 'kind' | 'protocol' | 'formats'>[]
  /**
   * Encrypted with SDES keys; ours is sealed. Phones keep the first key that they received, so it stays the same. The far end repeats its
   * own in its answer.
   */
  encrypted?: { suite: SrtpSettings['suite']; tag: number; key: string }
}

/** Keys and path are renegotiated: an ICE restart with another DTLS association. */
export interface SavedWebRtc extends Saved {
  kind: 'webrtc'
  /** SDP form of the far end; see `termsOf`. */
  terms: string
}

/** Current agreement of both sides. */
export interface Agreed {
  settings: StreamSettings
  /** The far end does not want our sound. */
  heldByPeer: boolean
}

export interface OfferOptions {
  /** Offers everything that we support, because the far end requested it (RFC 3261 §14.2); formats in use keep their payload types. */
  everything?: boolean
}

/** Offer/answer of one leg, for one kind of media transport. */
export interface MediaSession {
  /** We hold the far end: it hears music and is not heard. Part of the next offer or answer. */
  holding: boolean
  /** Address that its stream is bound to; undefined: that of the media engine. */
  readonly boundAddress?: string | undefined
  /** Resolves when the audio fails without any signalling. */
  readonly broken?: Promise<void>
  /** Whether `answer` would accept it. */
  likes(offer: string): boolean
  /** The first offer has everything we support; later ones keep the agreement. */
  offer(port: number, options?: OfferOptions): string | Promise<string>
  /** Undefined when their offer has no usable line. `from`: source address of their signalling. */
  answer(offer: string, port: number, from: string | undefined): Answered | undefined | Promise<Answered | undefined>
  /** Their answer to our last offer; undefined if it rejects or contradicts it. */
  confirm(answer: string, from: string | undefined): Agreed | undefined
  /** State for another node to resume it; undefined if that is impossible, or before an agreement. */
  saved?(): SavedMedia | undefined
  close?(): void
}

export interface Answered {
  sdp: string
  agreed: Agreed
}

/** Undefined if it cannot be parsed. */
export const readSdp = (text: string): Sdp | undefined => {
  try {
    return parseSdp(text)
  } catch {
    return undefined
  }
}

/** Destination of a media session's packets, and its accepted sources. */
export type RemoteMedia = Pick<StreamSettings, 'remote' | 'alsoFrom'>

/** Facts about a far end known before its first message. */
export interface FarEnd {
  /** Address of its registration. */
  origin?: string | undefined
  /** Further media addresses and networks of a carrier. */
  mediaAddresses?: readonly string[]
}

/** The addresses of this machine if the given one belongs to it, otherwise none. */
export type SameHost = (address: string) => readonly string[]

/** Hold signalling before RFC 3264. */
export const isUnspecified = (connection: Connection | undefined): boolean =>
  connection?.address === '0.0.0.0' || connection?.address === '::'

/**
 * Sound comes from the SDP address or from the signalling address: many phones do not know their public address, because they are behind a
 * router, in a container, or on this very machine. `from` is missing when our proxy does not report the address behind it. The kernel
 * chooses the source address of a softphone on this machine per destination, so all its addresses count as one host. Only the signalling
 * decides that: an SDP of another machine may name our address.
 */
export const remoteMediaOf = (
  { connection, port }: Pick<Media, 'connection' | 'port'>,
  from: string | undefined,
  { origin, mediaAddresses = [], sameHost = () => [] }: FarEnd & { sameHost?: SameHost | undefined } = {},
): RemoteMedia => {
  const named = connection?.address ?? ''
  const seen = from ?? origin
  const ours = seen === undefined ? [] : sameHost(seen)
  const address = ours.includes(named) || canBeReached(named, seen) ? named : (seen ?? unspecified)
  const others = [named, from, origin, ...ours].filter((one) => one !== undefined && one !== address && isIP(one) !== 0)
  return { remote: { address, port }, alsoFrom: [...new Set([...others, ...mediaAddresses] as string[])] }
}

const unspecified = '0.0.0.0'

/** A private address is only meaningful to a peer that has one, too. */
const canBeReached = (address: string, seen: string | undefined): boolean => {
  if (isIP(address) === 0) return false
  if (isLoopback(address)) return seen !== undefined && isLoopback(seen)
  return seen === undefined || !isPrivate(address) || isPrivate(seen) || isLoopback(seen)
}

/** Codecs in SDP; payload types above 95 are ours to choose. G.722 says 8000 for historical reasons (RFC 3551 §4.5.2). */
const codecs: Record<CodecName, Payload> = {
  PCMU: { type: 0, encoding: 'PCMU', clockRate: 8000, channels: 1, fmtp: undefined },
  PCMA: { type: 8, encoding: 'PCMA', clockRate: 8000, channels: 1, fmtp: undefined },
  G722: { type: 9, encoding: 'G722', clockRate: 8000, channels: 1, fmtp: undefined },
  opus: { type: 111, encoding: 'opus', clockRate: 48_000, channels: 2, fmtp: 'useinbandfec=1' },
}

const event = (type: number, clockRate: number): Payload => ({ type, encoding: 'telephone-event', clockRate, channels: 1, fmtp: '0-15' })
const events = [event(101, 8000), event(110, 48_000)]

/** All supported codecs, best first, with their telephone-events (RFC 4733). */
export const offeredPayloads = (names: readonly CodecName[]): Payload[] => {
  const spoken = names.map((name) => codecs[name])
  return [...spoken, ...events.filter(({ clockRate }) => spoken.some((codec) => codec.clockRate === clockRate))]
}

/** The codecs alone, without telephone-events. */
export const barePayloads = (names: readonly CodecName[]): Payload[] => names.map((name) => codecs[name])

export interface ChosenCodec {
  name: CodecName
  payload: Payload
  /** The telephone-event of the same clock rate. */
  keys: Payload | undefined
}

/** The first of their codecs that we support. */
export const chooseCodec = (theirs: readonly Payload[], ours: readonly CodecName[]): ChosenCodec | undefined => {
  for (const payload of theirs) {
    const name = ours.find((one) => isSame(codecs[one], payload))
    if (name) return { name, payload, keys: theirs.find((other) => isKeys(other) && other.clockRate === payload.clockRate) }
  }
  return undefined
}

/** Codecs offered to phones, best first. */
export const deviceCodecs: readonly CodecName[] = ['opus', 'G722', 'PCMA', 'PCMU']

const isKeys = ({ encoding }: Payload): boolean => encoding.toLowerCase() === 'telephone-event'

const isSame = (one: Payload, other: Payload): boolean =>
  one.encoding.toLowerCase() === other.encoding.toLowerCase() && one.clockRate === other.clockRate && one.channels === other.channels

/** For our description: their payload types, our parameters. */
export const agreedPayloads = ({ name, payload, keys }: ChosenCodec): Payload[] => {
  const ours = [{ ...codecs[name], type: payload.type }]
  return keys ? [...ours, { ...event(keys.type, keys.clockRate) }] : ours
}

/** Everything again; agreed formats keep their payload types (RFC 3264 §8.3.2). */
export const renewedPayloads = (chosen: ChosenCodec, names: readonly CodecName[]): Payload[] => {
  const agreed = agreedPayloads(chosen)
  const all = offeredPayloads(names).map((payload) => agreed.find((one) => isSame(one, payload)) ?? payload)
  return all.filter((payload) => agreed.includes(payload) || !agreed.some(({ type }) => type === payload.type))
}
