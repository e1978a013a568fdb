import type { CodecName, StreamSettings } from '#media/engine.ts'
import { withoutCandidates } from '#media/webrtc/webrtc-sdp.ts'
import type { RtpFormat, WebRtcGateway, WebRtcLeg } from '#media/webrtc/webrtc-gateway.ts'
import type { Media, Payload } from '@offhook/sip/sdp/sdp.ts'
import { agreedPayloads, chooseCodec, offeredPayloads, type ChosenCodec } from './sdp-codecs.ts'
import { directionOf, hears, ptimeOf, speaks } from './sdp-direction.ts'
import { readSdp, type Agreed, type Answered, type MediaSession } from './media-session.ts'

export interface WebRtcMediaSessionOptions {
  gateway: WebRtcGateway
  /** Best first. */
  codecs: readonly CodecName[]
  /** Which candidates of theirs we may send something to. */
  mayReach: (address: string, port: number) => boolean
}

interface Found {
  media: Media
  codec: ChosenCodec
}

/** Browsers, and phones that speak as they do: encryption by DTLS, the way by ICE. A gateway does both; to the stream it is a plain neighbour. */
export class WebRtcMediaSession implements MediaSession {
  holding = false
  readonly broken: Promise<void>
  readonly #options: WebRtcMediaSessionOptions
  #break: () => void = () => {}
  #leg: WebRtcLeg | undefined
  #accept: ((answer: string) => Promise<void>) | undefined
  #closed = false

  constructor(options: WebRtcMediaSessionOptions) {
    this.#options = options
    this.broken = new Promise((resolve) => {
      this.#break = resolve
    })
  }

  likes(offer: string): boolean {
    return this.#find(offer) !== undefined
  }

  async offer(port: number): Promise<string> {
    const direction = this.holding ? 'sendonly' : 'sendrecv'
    if (this.#leg) return this.#leg.describeAgain(direction)
    const formats = offeredPayloads(this.#options.codecs).map(formatOf)
    const leg = await this.#options.gateway.offer({ formats, direction, streamPort: port })
    this.#accept = (answer) => leg.accept(answer)
    this.#keep(leg)
    return leg.offer
  }

  async answer(offer: string, port: number): Promise<Answered | undefined> {
    const found = this.#find(offer)
    if (!found) return undefined
    const direction = directionOf(this.#wishes(found.media))
    try {
      const sdp = this.#leg ? this.#leg.describeAgain(direction, offer) : await this.#begin(offer, found, { direction, port })
      return { sdp, agreed: this.#agree(found) }
    } catch {
      return undefined // the gateway refused it, or is not there
    }
  }

  confirm(answer: string): Agreed | undefined {
    const found = this.#find(answer)
    if (!found || !this.#leg) return undefined
    this.#accept?.(withoutCandidates(answer, this.#options.mayReach)).catch(() => this.#break())
    this.#accept = undefined
    return this.#agree(found)
  }

  close(): void {
    this.#closed = true
    this.#leg?.close()
  }

  async #begin(offer: string, { codec }: Found, how: { direction: ReturnType<typeof directionOf>; port: number }): Promise<string> {
    const formats = agreedPayloads(codec).map(formatOf)
    const leg = await this.#options.gateway.answer(withoutCandidates(offer, this.#options.mayReach), {
      formats,
      direction: how.direction,
      streamPort: how.port,
    })
    this.#keep(leg)
    return leg.answer
  }

  #keep(leg: WebRtcLeg): void {
    this.#leg = leg
    if (this.#closed) leg.close()
    void leg.ended.then(() => {
      if (!this.#closed) this.#break()
    })
  }

  #find(text: string): Found | undefined {
    for (const media of readSdp(text)?.media ?? []) {
      const browserLike = media.fingerprints.length > 0 && media.ice !== undefined && media.protocol.toUpperCase().startsWith('UDP/TLS/')
      const codec =
        browserLike && media.kind === 'audio' && media.port !== 0 ? chooseCodec(media.payloads, this.#options.codecs) : undefined
      if (codec) return { media, codec }
    }
    return undefined
  }

  #wishes({ direction }: Media): Pick<StreamSettings, 'send' | 'receive'> {
    return { send: hears(direction), receive: speaks(direction) && !this.holding }
  }

  #agree({ media, codec }: Found): Agreed {
    const wishes = this.#wishes(media)
    const settings: StreamSettings = {
      remote: this.#leg?.relay ?? { address: '', port: 0 },
      alsoFrom: [],
      codec: codec.name,
      payloadType: codec.payload.type,
      dtmfPayloadType: codec.keys?.type,
      ptimeMs: ptimeOf(media),
      srtp: undefined,
      ...wishes,
    }
    return { settings, heldByPeer: !wishes.send }
  }
}

const formatOf = ({ type, encoding, clockRate, channels, fmtp }: Payload): RtpFormat => ({
  payloadType: type,
  encoding: `${encoding}/${clockRate}${channels === 1 ? '' : `/${channels}`}`,
  ...(fmtp !== undefined && { parameters: fmtp }),
})
