import { isIP } from 'node:net'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { CodecName } from '#media/engine.ts'
import type { FaxEngine } from '#media/fax/engine.ts'
import type { WebRtcGateway } from '#media/webrtc/webrtc-gateway.ts'
import { parseReplaces } from '@offhook/sip/grammar/headers.ts'
import { bareHost, bracketed } from '@offhook/sip/grammar/host.ts'
import type { IncomingRefer, Session, SessionObserver } from '@offhook/sip/session/session.ts'
import type { Flow, SipClock, Transport } from '@offhook/sip/transport/transport.ts'
import { formatUri, makeUri, parseUri } from '@offhook/sip/grammar/uri.ts'
import { SipFaxLeg, type FaxLegOptions } from './fax-leg.ts'
import { FaxMedia } from './fax-media.ts'
import { FaxNegotiation } from '../sdp/fax-negotiation.ts'
import { FittingMediaSession } from '../sdp/fitting-media-session.ts'
import { LegAudio, type AudioParts } from './leg-audio.ts'
import { RtpMediaSession, type RtpMediaSessionOptions } from '../sdp/rtp-media-session.ts'
import type { ResumableLeg } from './saved-leg.ts'
import type { DialogName } from './dialogs-elsewhere.ts'
import type { OurLegs } from './our-legs.ts'
import type { FarEnd } from '../sdp/remote-media.ts'
import type { TransferTarget } from './leg-refer.ts'
import { SipLeg, type LegOptions } from './sip-leg.ts'
import type { MediaSession } from '../sdp/media-session.ts'
import type { SavedWebRtc } from '../sdp/saved-media.ts'
import { WebRtcMediaSession } from '../sdp/webrtc-media-session.ts'

/** What we offer: RTP, SRTP with keys in the description (RFC 4568), or nothing, so that the far end says what it wants. Browsers are served like that only. */
export type AudioWay = 'plain' | 'encrypted' | 'theirs'

export type Towards = Pick<Flow, 'kind' | 'address'>

export const isBrowser = ({ kind }: Pick<Flow, 'kind'>): boolean => kind === 'ws' || kind === 'wss'

/** The far end of a leg, as far as its sound goes. */
export interface Partner {
  at: Towards
  codecs: readonly CodecName[]
  farEnd?: FarEnd | undefined
}

/** The caller of an incoming call. */
export interface IncomingSide extends Partner {
  session: Session
  sdp: string | undefined
  trunkId?: string | undefined
}

export type BringLeg = (dialog: DialogName) => Promise<Leg | undefined>

export interface LegMakerOptions {
  clock: SipClock
  transport: Transport
  audio: AudioParts
  vault: Pick<Vault, 'seal' | 'open'>
  webrtc: WebRtcGateway
  fax: FaxEngine
  legs: OurLegs
  /** Brings the call of a dialog here that another process has; undefined when there are no others. */
  bring?: () => BringLeg | undefined
  /** Whether a browser may make us send something there before it was heard from there. */
  mayReach: (address: string, port: number) => boolean
  /** What phones know us by; the address that they reach us at unless given. */
  domain?: string | undefined
  /** Where audio finds us from outside, when our address for SIP is a name. */
  publicIp: () => string | undefined
  onError: (error: unknown) => void
}

/** Builds SIP legs: phones and trunks, incoming and outgoing. */
export class LegMaker {
  readonly #options: LegMakerOptions

  constructor(options: LegMakerOptions) {
    this.#options = options
  }

  /** A leg that another process had. It has to be told to go on. Throws when its key was sealed with another vault. */
  resumed(session: Session, saved: ResumableLeg): SipLeg {
    const { media, trunkId, flow } = saved
    const at = saved.session.peer ?? flow ?? { kind: 'udp', address: media.settings.remote.address }
    const { codecs } = media
    const way =
      media.kind === 'webrtc' ? this.#webrtc({ codecs }, media) : this.#rtp({ at, codecs, farEnd: media.farEnd }, { resumed: media })
    return this.make(new LegAudio(this.#options.audio, way), {
      trunkId,
      resumed: saved,
      connect: (observer) => observed(session, observer),
    })
  }

  /** Undefined when the offer has nothing that we speak. */
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

  /** Sound for a call that is about to go out. */
  audio(way: AudioWay, partner: Partner): LegAudio {
    return new LegAudio(this.#options.audio, this.mediaSession(way, partner))
  }

  mediaSession(way: AudioWay, partner: Partner): MediaSession {
    if (way !== 'theirs') return this.#rtp(partner, { encrypted: way === 'encrypted' })
    const webrtc = this.#webrtc(partner)
    const rtp = this.#rtp(partner)
    return isBrowser(partner.at) ? new FittingMediaSession(webrtc, rtp) : new FittingMediaSession(rtp, webrtc)
  }

  /** A modem for a call, whichever way. */
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
    return new FaxNegotiation({ codecs, farEnd, address: this.#addressTowards(at), reaches: this.#reaches })
  }

  #rtp({ at, codecs, farEnd }: Partner, more: Pick<RtpMediaSessionOptions, 'encrypted' | 'resumed'> = {}): MediaSession {
    const { vault } = this.#options
    return new RtpMediaSession({ codecs, farEnd, address: this.#addressTowards(at), reaches: this.#reaches, vault, ...more })
  }

  #webrtc({ codecs }: Pick<Partner, 'codecs'>, resumed?: SavedWebRtc): MediaSession {
    const { webrtc: gateway, mayReach } = this.#options
    return new WebRtcMediaSession({ gateway, codecs, mayReach, resumed })
  }

  readonly #reaches = (address: string): boolean => this.#options.audio.media.reaches(address)

  #addressTowards({ kind, address }: Towards): string {
    const ours = bareHost(this.#options.transport.localAddress(kind, address).host)
    return isIP(ours) === 0 ? (this.#options.publicIp() ?? ours) : ours
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
