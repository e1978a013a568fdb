import type { CodecName } from '../../media/engine.ts'
import { bareHost } from '../../sip/host.ts'
import type { IncomingRefer, Session } from '../../sip/session.ts'
import type { Flow, SipClock, Transport } from '../../sip/transport.ts'
import { formatUri, makeUri, parseUri } from '../../sip/uri.ts'
import { LegAudio, type AudioParts } from './leg-audio.ts'
import { Negotiation } from './negotiate.ts'
import type { OurLegs } from './our-legs.ts'
import { SipLeg, type LegOptions } from './sip-leg.ts'
import type { TransferAsked } from '../../core/ports/telephony.ts'

export interface LegMakerOptions {
  clock: SipClock
  transport: Transport
  audio: AudioParts
  legs: OurLegs
  onError: (error: unknown) => void
}

/** Builds legs of one kind, whoever they are with. */
export class LegMaker {
  readonly #options: LegMakerOptions

  constructor(options: LegMakerOptions) {
    this.#options = options
  }

  /** Undefined when the offer has nothing that we speak. */
  incoming({
    session,
    sdp,
    from,
    codecs,
  }: {
    session: Session
    sdp: string | undefined
    from: Flow
    codecs: readonly CodecName[]
  }): SipLeg | undefined {
    const talk = this.#negotiation(codecs, from)
    if (sdp !== undefined && !talk.likes(sdp)) return undefined
    return this.make(this.#audio(talk), {
      offer: { sdp, from },
      connect: (observer, attempt) => {
        if (attempt > 0) return undefined
        session.observe(observer)
        return session
      },
    })
  }

  /** Sound for a call that is about to go out towards `to`. */
  audioTowards(to: Pick<Flow, 'kind' | 'address'>, codecs: readonly CodecName[]): LegAudio {
    return this.#audio(this.#negotiation(codecs, to))
  }

  make(audio: LegAudio, options: Pick<LegOptions, 'connect' | 'offer'>): SipLeg {
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

  #audio(talk: Negotiation): LegAudio {
    return new LegAudio(this.#options.audio, talk)
  }

  #negotiation(codecs: readonly CodecName[], { kind, address }: Pick<Flow, 'kind' | 'address'>): Negotiation {
    const { host } = this.#options.transport.localAddress(kind, address)
    return new Negotiation({ codecs, address: bareHost(host) })
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
