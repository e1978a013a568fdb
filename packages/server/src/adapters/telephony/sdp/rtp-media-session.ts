import type { Vault } from '#core/kernel/ports/platform.ts'
import type { CodecName, StreamSettings } from '#media/engine.ts'
import { makeMedia, type Media } from '@offhook/sip/sdp/sdp.ts'
import {
  agreedPayloads,
  chooseCodec,
  offeredPayloads,
  renewedPayloads,
  type ChosenCodec,
  isUnspecified,
  remoteMediaOf,
  type FarEnd,
  type RemoteMedia,
  type SameHost,
  type SavedRtp,
  readSdp,
  type Agreed,
  type Answered,
  type OfferOptions,
  type MediaSession,
} from './media-session.ts'
import { directionOf, hears, ptimeOf, speaks, SdpKeys, type AgreedKeys, refused, SdpWriter } from './sdp-writer.ts'

export interface RtpMediaSessionOptions {
  /** Best first. */
  codecs: readonly CodecName[]
  /** Our media address for the far end. */
  address: string
  /** See MediaSession. */
  boundAddress?: string | undefined
  /** See SavedRtp. */
  towards?: string
  /** Whether our packets can reach such an address. */
  reaches?: (address: string) => boolean
  sameHost?: SameHost
  /** Our first offer has keys (RFC 4568); their offers are accepted with or without. */
  encrypted?: boolean
  farEnd?: FarEnd | undefined
  /** Agreement of another node. Throws when its key was sealed with another vault. */
  resumed?: SavedRtp | undefined
  /** Without it encrypted audio cannot be resumed on another node. */
  vault?: Pick<Vault, 'seal' | 'open'>
}

/** Audio line of the last exchange, for the next one. */
interface Last {
  codec: ChosenCodec
  keys: AgreedKeys | undefined
  protocol: string
  index: number
  /** All lines of the description: their number and order never change (RFC 3264 §8). */
  lines: readonly Media[]
  settings: StreamSettings
}

/** The accepted line of their description. */
type Found = Omit<Last, 'settings' | 'protocol'> & { media: Media }

const plainProtocols = ['RTP/AVP', 'RTP/AVPF']
const secureProtocols = ['RTP/SAVP', 'RTP/SAVPF']
const defaultPtime = 20

/** Offer/answer of one leg (RFC 3264): one audio stream; all other lines are rejected. */
export class RtpMediaSession implements MediaSession {
  holding = false
  readonly boundAddress: string | undefined
  readonly #options: RtpMediaSessionOptions
  readonly #keys = new SdpKeys()
  readonly #writer: SdpWriter
  #last: Last | undefined
  #safe: { key: string; sealed: string } | undefined
  /** Our last offer had keys. */
  #offersKeys = false
  /** An offer is checked when it arrives and answered later; it is parsed once. */
  #considered: { offer: string; found: Found | undefined } | undefined

  constructor(options: RtpMediaSessionOptions) {
    this.#options = options
    const { address, boundAddress, resumed } = options
    this.boundAddress = boundAddress
    this.#writer = new SdpWriter(address, resumed?.origin)
    if (resumed) this.#last = this.#resume(resumed)
  }

  saved(): SavedRtp | undefined {
    const last = this.#last
    const { codecs, farEnd, towards, vault } = this.#options
    if (!last || (last.keys && !vault)) return undefined
    const { codec, keys, protocol, index, lines, settings } = last
    const { srtp: _secret, ...rest } = settings
    return {
      kind: 'rtp',
      origin: this.#writer.saved,
      codecs,
      ...(farEnd && { farEnd }),
      ...(towards !== undefined && { towards }),
      codec,
      protocol,
      index,
      lines: lines.map(refused).map((line) => ({ kind: line.kind, protocol: line.protocol, formats: line.formats })),
      ...(keys && { encrypted: { suite: keys.srtp.suite, tag: keys.crypto.tag, key: this.#sealed(keys.crypto.key) } }),
      settings: rest,
    }
  }

  /** The same result for the same key, so that changes can be detected. */
  #sealed(key: string): string {
    if (this.#safe?.key !== key) this.#safe = { key, sealed: this.#options.vault?.seal(key) ?? '' }
    return this.#safe.sealed
  }

  #resume({ codec, protocol, index, lines, encrypted, settings }: SavedRtp): Last {
    return {
      codec,
      protocol,
      index,
      lines: lines.map((line) => makeMedia({ ...line, port: 0 })),
      keys: encrypted && this.#keys.resume(encrypted.suite, encrypted.tag, this.#options.vault?.open(encrypted.key) ?? ''),
      settings: { ...settings, srtp: undefined },
    }
  }

  offer(port: number, { everything = false }: OfferOptions = {}): string {
    const last = this.#last
    const direction = this.holding ? 'sendonly' : 'sendrecv'
    this.#offersKeys = last ? last.keys !== undefined : this.#options.encrypted === true
    if (!last) {
      const payloads = offeredPayloads(this.#options.codecs)
      const protection = this.#options.encrypted ? { protocol: 'RTP/SAVP', crypto: this.#keys.offered() } : { protocol: 'RTP/AVP' }
      return this.#writer.write([this.#audio({ port, direction, payloads, ...protection })])
    }
    const { codec, keys, protocol } = last
    const crypto = keys ? [keys.crypto] : []
    const payloads = everything ? renewedPayloads(codec, this.#options.codecs) : agreedPayloads(codec)
    const audio = this.#audio({ port, direction, protocol, payloads, crypto, ptime: last.settings.ptimeMs })
    return this.#writer.write(last.lines.map((line, index) => (index === last.index ? audio : refused(line))))
  }

  likes(offer: string): boolean {
    return this.#consider(offer) !== undefined
  }

  answer(offer: string, port: number, from: string | undefined): Answered | undefined {
    const found = this.#consider(offer)
    this.#considered = undefined
    if (!found) return undefined
    const { index, media, lines } = found
    const agreed = this.#agree(found, from)
    const { settings } = agreed
    const crypto = found.keys ? [found.keys.crypto] : []
    const payloads = agreedPayloads(found.codec)
    const direction = directionOf(settings)
    const audio = this.#audio({ port, direction, protocol: media.protocol, payloads, crypto, ptime: settings.ptimeMs })
    return { sdp: this.#writer.write(lines.map((each, at) => (at === index ? audio : refused(each)))), agreed }
  }

  confirm(text: string, from: string | undefined): Agreed | undefined {
    const answer = readSdp(text)
    const index = this.#last?.index ?? 0
    const media = answer?.media[index]
    const found = media && this.#fits(media, this.#offersKeys)
    return found && this.#agree({ ...found, media, index, lines: this.#last?.lines ?? answer.media }, from)
  }

  #consider(offer: string): Found | undefined {
    if (this.#considered?.offer !== offer) this.#considered = { offer, found: this.#find(readSdp(offer)?.media ?? []) }
    return this.#considered.found
  }

  #find(lines: readonly Media[]): Found | undefined {
    for (const [index, media] of lines.entries()) {
      const found = this.#fits(media, true)
      if (found) return { index, media, lines, ...found }
    }
    return undefined
  }

  /** Phones with optional encryption put keys into a plain line (`mayEncrypt`: we may choose). */
  #fits(media: Media, mayEncrypt: boolean): { codec: ChosenCodec; keys: AgreedKeys | undefined } | undefined {
    if (media.kind !== 'audio' || media.port === 0 || !this.#reaches(media)) return undefined
    const protocol = media.protocol.toUpperCase()
    const secure = secureProtocols.includes(protocol)
    if (!secure && !plainProtocols.includes(protocol)) return undefined
    const keys = secure || mayEncrypt ? this.#keys.agree(media.crypto) : undefined
    const codec = chooseCodec(media.payloads, this.#options.codecs)
    return codec && (keys !== undefined || !secure) ? { codec, keys } : undefined
  }

  #reaches({ connection }: Media): boolean {
    return connection !== undefined && (isUnspecified(connection) || (this.#options.reaches?.(connection.address) ?? true))
  }

  #agree({ media, codec, keys, index, lines }: Found, from: string | undefined): Agreed {
    const { farEnd, sameHost } = this.#options
    const unspecified = isUnspecified(media.connection)
    const theyHear = hears(media.direction) && !unspecified
    const settings: StreamSettings = {
      ...(unspecified && this.#last ? remoteOf(this.#last.settings) : remoteMediaOf(media, from, { ...farEnd, sameHost })),
      codec: codec.name,
      payloadType: codec.payload.type,
      dtmfPayloadType: codec.keys?.type,
      ptimeMs: ptimeOf(media),
      send: theyHear,
      receive: speaks(media.direction) && !this.holding,
      srtp: keys && { ...keys.srtp, joined: this.#options.resumed !== undefined },
    }
    this.#last = { codec, keys, protocol: media.protocol, index, lines, settings }
    return { settings, heldByPeer: !theyHear }
  }

  #audio(parts: Partial<Media> & { port: number; protocol: string }): Media {
    return makeMedia({ kind: 'audio', ptime: defaultPtime, ...parts })
  }
}

const remoteOf = ({ remote, alsoFrom }: StreamSettings): RemoteMedia => ({ remote, alsoFrom })
