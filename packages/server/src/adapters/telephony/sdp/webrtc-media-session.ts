import type { CodecName, StreamSettings } from '#media/engine.ts'
import { inTermsOf, midOf, termsOf, withoutCandidates } from '#media/webrtc/webrtc-protocol.ts'
import type { RtpFormat, WebRtcGateway, WebRtcLeg } from '#media/webrtc/webrtc-gateway.ts'
import type { Media, Payload } from '@offhook/sip/sdp/sdp.ts'
import {
  agreedPayloads,
  chooseCodec,
  offeredPayloads,
  type ChosenCodec,
  type SavedWebRtc,
  readSdp,
  type Agreed,
  type Answered,
  type MediaSession,
} from './media-session.ts'
import { unseenVersions, type SavedOrigin, directionOf, hears, ptimeOf, speaks } from './sdp-writer.ts'

interface WebRtcMediaSessionOptions {
  gateway: WebRtcGateway
  /** Best first. */
  codecs: readonly CodecName[]
  /** Whether we may send packets to one of their candidates. */
  mayReach: (address: string, port: number) => boolean
  /** Agreement of another node. */
  resumed?: SavedWebRtc | undefined
}

interface Found {
  media: Media
  codec: ChosenCodec
}

/** Browsers and compatible phones: DTLS encryption and ICE. A gateway handles both; the stream talks plain RTP to it. */
export class WebRtcMediaSession implements MediaSession {
  holding = false
  readonly broken: Promise<void>
  readonly #options: WebRtcMediaSessionOptions
  #break: () => void = () => {}
  #leg: WebRtcLeg | undefined
  #accept: ((answer: string) => Promise<void>) | undefined
  #closed = false
  /** Their last description, without connection-specific parts. */
  #theirs: { terms: string; codec: ChosenCodec; settings: StreamSettings } | undefined
  /** The o= line to continue with. */
  #origin: SavedOrigin | undefined
  #sent = ''

  constructor(options: WebRtcMediaSessionOptions) {
    this.#options = options
    if (options.resumed) this.#origin = { ...options.resumed.origin, version: options.resumed.origin.version + unseenVersions }
    this.broken = new Promise((resolve) => {
      this.#break = resolve
    })
  }

  likes(offer: string): boolean {
    return this.#find(offer) !== undefined
  }

  async offer(port: number): Promise<string> {
    const direction = this.holding ? 'sendonly' : 'sendrecv'
    if (this.#leg) return this.#signed(this.#leg.describeAgain(direction))
    const { resumed, codecs, gateway } = this.#options
    const formats = (resumed ? agreedPayloads(resumed.codec) : offeredPayloads(codecs)).map(formatOf)
    const leg = await gateway.offer({ formats, direction, streamPort: port, ...(resumed && { mid: midOf(resumed.terms) }) })
    this.#accept = (answer) => leg.accept(answer)
    this.#keep(leg)
    return this.#signed(resumed ? inTermsOf(leg.offer, resumed.terms) : leg.offer)
  }

  saved(): SavedWebRtc | undefined {
    const [, sessionId = '', version] = /^o=\S+ (\S+) (\d+)/m.exec(this.#sent) ?? []
    if (!this.#theirs || version === undefined) return undefined
    const { terms, codec, settings } = this.#theirs
    const { srtp: _none, ...rest } = settings
    return { kind: 'webrtc', origin: { sessionId, version: Number(version) }, codecs: this.#options.codecs, codec, terms, settings: rest }
  }

  /** The far end sees one session, whichever node describes it. */
  #signed(sdp: string): string {
    const { sessionId, version } = this.#origin ?? {}
    if (this.#origin) this.#origin.version++
    return (this.#sent = version === undefined ? sdp : sdp.replace(/^o=(\S+) \S+ \d+/m, `o=$1 ${sessionId} ${version}`))
  }

  async answer(offer: string, port: number): Promise<Answered | undefined> {
    const found = this.#find(offer)
    if (!found) return undefined
    const direction = directionOf(this.#requests(found.media))
    try {
      const sdp = this.#leg ? this.#leg.describeAgain(direction, offer) : await this.#begin(offer, found, { direction, port })
      return { sdp: this.#signed(sdp), agreed: this.#agree(found, offer) }
    } catch {
      return undefined // the gateway rejected it, or is unavailable
    }
  }

  confirm(answer: string): Agreed | undefined {
    const found = this.#find(answer)
    if (!found || !this.#leg) return undefined
    this.#accept?.(withoutCandidates(answer, this.#options.mayReach)).catch(() => this.#break())
    this.#accept = undefined
    return this.#agree(found, answer)
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

  #requests({ direction }: Media): Pick<StreamSettings, 'send' | 'receive'> {
    return { send: hears(direction), receive: speaks(direction) && !this.holding }
  }

  #agree({ media, codec }: Found, theirs: string): Agreed {
    const inputs = this.#requests(media)
    const settings: StreamSettings = {
      remote: this.#leg?.relay ?? { address: '', port: 0 },
      alsoFrom: [],
      codec: codec.name,
      payloadType: codec.payload.type,
      dtmfPayloadType: codec.keys?.type,
      ptimeMs: ptimeOf(media),
      srtp: undefined,
      ...inputs,
    }
    this.#theirs = { terms: termsOf(theirs), codec, settings }
    return { settings, heldByPeer: !inputs.send }
  }
}

const formatOf = ({ type, encoding, clockRate, channels, fmtp }: Payload): RtpFormat => ({
  payloadType: type,
  encoding: `${encoding}/${clockRate}${channels === 1 ? '' : `/${channels}`}`,
  ...(fmtp !== undefined && { parameters: fmtp }),
})
