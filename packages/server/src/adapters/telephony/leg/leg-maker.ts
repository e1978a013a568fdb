import { isIP } from 'node:net'
import type { Vault } from '#core/kernel/ports/platform.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { CodecName } from '#media/engine.ts'
import type { FaxEngine } from '#media/fax/engine.ts'
import type { WebRtcGateway } from '#media/webrtc/webrtc-gateway.ts'
import { parseReplaces, type Replaces } from '@offhook/sip/grammar/headers.ts'
import { bareHost, bracketed, formatUri, makeUri, parseUri } from '@offhook/sip/grammar/uri.ts'
import type { IncomingRefer, Session, SessionObserver } from '@offhook/sip/session/session.ts'
import type { Flow, SipClock, Transport } from '@offhook/sip/transport/transport.ts'
import { SipFaxLeg, type FaxLegOptions } from './fax-leg.ts'
import { FaxMedia } from './fax-media.ts'
import { FaxNegotiation } from '../sdp/fax-negotiation.ts'
import { FittingMediaSession } from '../sdp/fitting-media-session.ts'
import { LegAudio, type AudioParts } from './leg-audio.ts'
import { RtpMediaSession, type RtpMediaSessionOptions } from '../sdp/rtp-media-session.ts'
import type { ResumableLeg } from './saved-leg.ts'
import type { FarEnd, SameHost, MediaSession, SavedWebRtc } from '../sdp/media-session.ts'
import type { OwnHost } from '../transport/networks.ts'
import { nearestAddress, needsPublicAddress } from '../transport/audio-address.ts'
import { reachesFrom } from '#media/socket/socket.ts'
import type { TransferTarget } from './leg-refer.ts'
import { SipLeg, type LegOptions } from './sip-leg.ts'
import { WebRtcMediaSession } from '../sdp/webrtc-media-session.ts'

/** Our offer: RTP, SRTP with SDES keys (RFC 4568), or none, so that the far end makes the offer. The last is the only way for browsers. */
export type AudioWay = 'plain' | 'encrypted' | 'theirs'

type Towards = Pick<Flow, 'kind' | 'address'>

export const isBrowser = ({ kind }: Pick<Flow, 'kind'>): boolean => kind === 'ws' || kind === 'wss'

/** Media properties of a leg's far end. */
export interface Partner {
  at: Towards
  codecs: readonly CodecName[]
  farEnd?: FarEnd | undefined
}

/** The caller of an inbound call. */
export interface IncomingSide extends Partner {
  session: Session
  sdp: string | undefined
  trunkId?: string | undefined
}

export type BringLeg = (dialog: DialogName) => Promise<Leg | undefined>

interface LegMakerOptions {
  clock: SipClock
  transport: Transport
  /** The machine that we run on. */
  host: Pick<OwnHost, 'addressesBeside' | 'interfaces'>
  audio: AudioParts
  vault: Pick<Vault, 'seal' | 'open'>
  webrtc: WebRtcGateway
  fax: FaxEngine
  legs: OurLegs
  /** Moves the call of another node's dialog here; undefined without other nodes. */
  bring?: () => BringLeg | undefined
  /** Whether a browser may make us send packets there before we received any from there. */
  mayReach: (address: string, port: number) => boolean
  /** Our domain for phones; default: the address at which they reach us. */
  domain?: string | undefined
  /** Public IP address for audio, when our SIP address is a name. */
  publicIp: () => string | undefined
  /** Our addresses for audio; default: that of SIP. */
  rtpAddresses?: readonly string[]
  onError: (error: unknown) => void
}

/** Builds SIP legs: phones and trunks, inbound and outbound. */
export class LegMaker {
  readonly #options: LegMakerOptions

  constructor(options: LegMakerOptions) {
    this.#options = options
  }

  /** A leg of another node; call its `resume`. Throws when its key was sealed with another vault. */
  resumed(session: Session, saved: ResumableLeg): SipLeg {
    const { media, trunkId, flow } = saved
    const peer = saved.session.peer ?? flow ?? { kind: 'udp', address: media.settings.remote.address }
    // Behind our edge the peer of the dialog is the edge.
    const at = media.kind === 'rtp' && media.towards !== undefined ? { ...peer, address: media.towards } : peer
    const { codecs } = media
    const way =
      media.kind === 'webrtc' ? this.#webrtc({ codecs }, media) : this.#rtp({ at, codecs, farEnd: media.farEnd }, { resumed: media })
    return this.make(new LegAudio(this.#options.audio, way), {
      trunkId,
      resumed: saved,
      connect: (observer) => observed(session, observer),
    })
  }

  /** Undefined when the offer has no supported format. */
  incoming({ session, sdp, trunkId, ...partner }: IncomingSide): SipLeg | undefined {
    const mediaSession = this.mediaSession('theirs', partner)
    const faxOnly = sdp !== undefined && !mediaSession.likes(sdp)
    if (faxOnly && !this.#takesFax(sdp, partner)) return undefined
    const offer = { sdp }
    return this.make(new LegAudio(this.#options.audio, mediaSession), {
      offer,
      faxOnly,
      trunkId,
      fax: () => this.makeFax(this.fax(partner), { offer, connect: (observer) => observed(session, observer) }),
      connect: (observer) => observed(session, observer),
    })
  }

  /** Sound for a call about to be placed. */
  audio(way: AudioWay, partner: Partner): LegAudio {
    return new LegAudio(this.#options.audio, this.mediaSession(way, partner))
  }

  mediaSession(way: AudioWay, partner: Partner): MediaSession {
    if (way !== 'theirs') return this.#rtp(partner, { encrypted: way === 'encrypted' })
    const webrtc = this.#webrtc(partner)
    const rtp = this.#rtp(partner)
    return isBrowser(partner.at) ? new FittingMediaSession(webrtc, rtp) : new FittingMediaSession(rtp, webrtc)
  }

  /** A modem for a call in either direction. */
  fax(partner: Partner): FaxMedia {
    return new FaxMedia(this.#options.fax, this.#faxNegotiation(partner))
  }

  makeFax(media: FaxMedia, options: Pick<FaxLegOptions, 'connect' | 'reconnect' | 'offer' | 'trunkId'>): SipFaxLeg {
    const { clock, onError } = this.#options
    return new SipFaxLeg({ clock, media, onFailure: onError, ...options })
  }

  #takesFax(offer: string, partner: Partner): boolean {
    return this.#options.fax.missing === undefined && this.#faxNegotiation(partner).likes(offer)
  }

  #faxNegotiation({ at, codecs, farEnd }: Partner): FaxNegotiation {
    return new FaxNegotiation({ codecs, farEnd, ...this.#ownAddress(at), sameHost: this.#sameHost })
  }

  #rtp({ at, codecs, farEnd }: Partner, more: Pick<RtpMediaSessionOptions, 'encrypted' | 'resumed'> = {}): MediaSession {
    const { vault } = this.#options
    const towards = at.address
    return new RtpMediaSession({ codecs, farEnd, towards, ...this.#ownAddress(at), sameHost: this.#sameHost, vault, ...more })
  }

  #webrtc({ codecs }: Pick<Partner, 'codecs'>, resumed?: SavedWebRtc): MediaSession {
    const { webrtc: gateway, mayReach } = this.#options
    return new WebRtcMediaSession({ gateway, codecs, mayReach, resumed })
  }

  readonly #sameHost: SameHost = (address) => this.#options.host.addressesBeside(address)

  /** Our address for the audio of a far end, and what its socket reaches. */
  #ownAddress({ kind, address: farEnd }: Towards): Pick<RtpMediaSessionOptions, 'address' | 'boundAddress' | 'reaches'> {
    const { rtpAddresses = [], host, publicIp, transport, audio } = this.#options
    const boundAddress = nearestAddress(rtpAddresses, host.interfaces, farEnd)
    if (boundAddress === undefined) {
      const ours = bareHost(transport.localAddress(kind, farEnd).host)
      return { address: isIP(ours) === 0 ? (publicIp() ?? ours) : ours, reaches: (address) => audio.media.reaches(address) }
    }
    const outside = needsPublicAddress(boundAddress, farEnd) ? publicIp() : undefined
    return { address: outside ?? boundAddress, boundAddress, reaches: (address) => reachesFrom(boundAddress, address) }
  }

  make(audio: LegAudio, options: Omit<LegOptions, 'clock' | 'audio' | 'transferTarget' | 'referUri' | 'onFailure'>): SipLeg {
    const { clock, legs, onError } = this.#options
    const leg = new SipLeg({
      clock,
      audio,
      transferTarget: (refer) => this.#transferTarget(refer),
      referUri: (dialled) => this.#uriAtOurs(dialled, leg.session.peer),
      onFailure: onError,
      ...options,
    })
    legs.add(leg)
    return leg
  }

  #transferTarget({ referTo, replaces, replaced }: IncomingRefer): TransferTarget | undefined {
    if (replaces !== undefined) {
      const leg = this.#options.legs.of(replaced)
      const bring = this.#options.bring?.()
      if (!leg) return bring && { bring: () => bring(parseReplaces(replaces)) }
      return { leg }
    }
    const { user } = parseUri(referTo.uri)
    const dialled = user?.split(';')[0] ?? ''
    return dialled === '' ? undefined : { dialled }
  }

  #uriAtOurs(user: string, peer: Flow | undefined): string {
    const { domain, transport } = this.#options
    if (domain !== undefined) return `sip:${user}@${domain}`
    const { host, port } = transport.localAddress(peer?.kind ?? 'udp', peer?.address ?? '')
    return formatUri(makeUri({ user, host: bracketed(host), port }))
  }
}

const observed = (session: Session, observer: SessionObserver): Session => {
  session.observe(observer)
  return session
}

/** A SIP dialog, as seen by its owner. */
export type DialogName = Pick<Replaces, 'callId' | 'toTag' | 'fromTag'>

/** Dialogs of the other nodes, to which phones refer as if there were only one. */
export interface RemoteDialogs {
  /** SIP address of the node that owns it: `sip:10.0.0.11:5060`. */
  whoHas(dialog: DialogName): Promise<string | undefined>
  /** Moves its call to this node. False when it cannot. */
  bring(dialog: DialogName): Promise<boolean>
}

/** All current legs. */
export class OurLegs {
  readonly #legs = new Set<SipLeg>()

  add(leg: SipLeg): void {
    if (leg.over) return
    this.#legs.add(leg)
    void leg.ended.then(() => this.#legs.delete(leg))
  }

  /** Most calls replace no other: their cost must not depend on the number of legs. */
  of(session: Session | undefined): Leg | undefined {
    if (session === undefined) return undefined
    for (const leg of this.#legs) if (leg.session === session) return leg
    return undefined
  }
}
