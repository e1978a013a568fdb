import { isIP } from 'node:net'
import type { TransferAsked } from '../../core/ports/telephony.ts'
import type { CodecName } from '../../media/engine.ts'
import type { WebRtcGateway } from '../../media/webrtc-gateway.ts'
import { bareHost } from '../../sip/host.ts'
import type { IncomingRefer, Session } from '../../sip/session.ts'
import type { Flow, SipClock, Transport } from '../../sip/transport.ts'
import { formatUri, makeUri, parseUri } from '../../sip/uri.ts'
import { LegAudio, type AudioParts } from './leg-audio.ts'
import { Negotiation } from './negotiate.ts'
import type { OurLegs } from './our-legs.ts'
import { SipLeg, type LegOptions } from './sip-leg.ts'
import type { Talk } from './talk.ts'
import { WebRtcTalk } from './webrtc-talk.ts'

/** How audio goes: as RTP, as SRTP with keys in the description, or as browsers do it. What others offer decides between the first two by itself. */
export type AudioWay = 'plain' | 'encrypted' | 'webrtc'

type Towards = Pick<Flow, 'kind' | 'address'>

export const isBrowser = ({ kind }: Pick<Flow, 'kind'>): boolean => kind === 'ws' || kind === 'wss'

interface IncomingSide {
  session: Session
  sdp: string | undefined
  from: Flow
  codecs: readonly CodecName[]
}

export interface LegMakerOptions {
  clock: SipClock
  transport: Transport
  audio: AudioParts
  webrtc: WebRtcGateway
  legs: OurLegs
  /** Where audio finds us from outside, when our address for SIP is a name. */
  publicIp: () => string | undefined
  onError: (error: unknown) => void
}

/** Builds legs of one kind, whoever they are with. */
export class LegMaker {
  readonly #options: LegMakerOptions

  constructor(options: LegMakerOptions) {
    this.#options = options
  }

  /** Undefined when the offer has nothing that we speak. */
  incoming({ session, sdp, from, codecs }: IncomingSide): SipLeg | undefined {
    const talk = this.#talkFor(sdp, from, codecs)
    if (!talk) return undefined
    return this.make(new LegAudio(this.#options.audio, talk), {
      offer: { sdp, from },
      connect: (observer) => {
        session.observe(observer)
        return session
      },
    })
  }

  /** Sound for a call that is about to go out towards `to`. */
  audio(way: AudioWay, to: Towards, codecs: readonly CodecName[]): LegAudio {
    return new LegAudio(this.#options.audio, this.talk(way, to, codecs))
  }

  talk(way: AudioWay, { kind, address }: Towards, codecs: readonly CodecName[]): Talk {
    if (way === 'webrtc') return new WebRtcTalk({ gateway: this.#options.webrtc, codecs })
    const { host } = this.#options.transport.localAddress(kind, address)
    const ours = bareHost(host)
    const reachable = isIP(ours) === 0 ? (this.#options.publicIp() ?? ours) : ours
    return new Negotiation({ codecs, address: reachable, encrypted: way === 'encrypted' })
  }

  make(audio: LegAudio, options: Pick<LegOptions, 'connect' | 'reconnect' | 'offer'>): SipLeg {
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

  /** The way that fits an offer. Who leaves the offer to us gets the one that its connection suggests. */
  #talkFor(offer: string | undefined, from: Flow, codecs: readonly CodecName[]): Talk | undefined {
    if (offer === undefined) return this.talk(isBrowser(from) ? 'webrtc' : 'plain', from, codecs)
    const ways = ['plain', 'webrtc'] as const
    for (const way of ways) {
      const talk = this.talk(way, from, codecs)
      if (talk.likes(offer)) return talk
    }
    return undefined
  }

  #transferTarget({ referTo, replaces, replaced }: IncomingRefer): TransferAsked['to'] | undefined {
    if (replaces !== undefined) {
      const leg = this.#options.legs.of(replaced)
      return leg && { leg }
    }
    const { user } = parseUri(referTo.uri)
    const dialled = user?.split(';')[0] ?? ''
    return dialled === '' ? undefined : { dialled }
  }

  #uriAtOurs(user: string, peer: Flow | undefined): string {
    const { host, port } = this.#options.transport.localAddress(peer?.kind ?? 'udp', peer?.address ?? '')
    return formatUri(makeUri({ user, host, port }))
  }
}
