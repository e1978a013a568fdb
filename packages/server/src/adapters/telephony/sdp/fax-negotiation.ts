import type { CodecName } from '#media/engine.ts'
import type { FaxAudioSettings, FaxT38Settings } from '#media/fax/engine.ts'
import { makeMedia } from '@offhook/sip/sdp/format-sdp.ts'
import type { Direction, Media } from '@offhook/sip/sdp/sdp.ts'
import { readT38, t38Attributes, type T38Terms } from './fax-attributes.ts'
import { agreedPayloads, barePayloads, chooseCodec, type ChosenCodec } from './sdp-codecs.ts'
import { hears, speaks } from './sdp-direction.ts'
import { isUnspecified, remoteMediaOf, type FarEnd, type RemoteMedia } from './remote-media.ts'
import { refused, SdpWriter } from './sdp-writer.ts'
import { readSdp } from './media-session.ts'

/** The only codecs that modems survive. */
const faxCodecs = ['PCMA', 'PCMU'] as const satisfies CodecName[]
type FaxCodec = (typeof faxCodecs)[number]

/** How a fax is carried. */
export type FaxWay = ({ by: 'audio' } & FaxAudioSettings) | ({ by: 't38' } & FaxT38Settings)

/** A line of theirs that we can take. */
type Fit = { by: 'audio'; codec: ChosenCodec & { name: FaxCodec } } | { by: 't38'; terms: T38Terms }

interface Found {
  fit: Fit
  media: Media
  index: number
}

/** Of the last exchange, for the next one. */
interface Last {
  /** All lines of the description: their number stays the same for ever (RFC 3264 §8). */
  lines: readonly Media[]
  index: number
  fit: Fit
  way: FaxWay
}

export interface FaxNegotiationOptions {
  /** Where the far end finds our streams. */
  address: string
  /** Whether packets of ours can get to such an address. */
  reaches?: (address: string) => boolean
  /** What it is known to speak, best first. */
  codecs: readonly CodecName[]
  farEnd?: FarEnd | undefined
}

/**
 * Offers and answers of a fax call (RFC 3264). There is one stream, which is audio or T.38, and may change from one to the other in its line
 * of the description (§8.3.3); everything else is refused line by line.
 */
export class FaxNegotiation {
  readonly #codecs: readonly FaxCodec[]
  readonly #writer: SdpWriter
  readonly #farEnd: FarEnd | undefined
  readonly #reaches: (address: string) => boolean
  #last: Last | undefined

  constructor({ address, codecs, farEnd, reaches = () => true }: FaxNegotiationOptions) {
    this.#farEnd = farEnd
    this.#reaches = reaches
    const usable = codecs.flatMap((name) => faxCodecs.filter((one) => one === name))
    this.#codecs = usable.length > 0 ? usable : faxCodecs
    this.#writer = new SdpWriter(address)
  }

  /** Undefined before anything was agreed. */
  get way(): FaxWay | undefined {
    return this.#last?.way
  }

  offer(by: FaxWay['by'], port: number): string {
    const last = this.#last
    return this.#write(by === 'audio' ? this.#audioOffer(port) : image(port, undefined), last?.index ?? 0, last?.lines ?? [])
  }

  /** Whether `answer` will find something. */
  likes(offer: string): boolean {
    return this.#find(readSdp(offer)?.media ?? []) !== undefined
  }

  /** Undefined when their offer has nothing for us; then everything stays as it is. `only`: it is too late for the other kind. */
  answer(offer: string, port: number, from: string | undefined, only?: FaxWay['by']): { sdp: string; way: FaxWay } | undefined {
    const lines = readSdp(offer)?.media ?? []
    const found = this.#find(lines, only)
    const way = found && this.#agree(found, lines, from)
    if (!way) return undefined
    const { fit, media, index } = found
    const ours = fit.by === 't38' ? image(port, fit.terms) : audio(port, agreedPayloads(fit.codec), answering(media))
    return { sdp: this.#write({ ...ours, protocol: media.protocol }, index, lines), way }
  }

  /** Their answer to our last offer; undefined when it refuses it. Whichever of both it takes is believed. */
  confirm(answer: string, from: string | undefined): FaxWay | undefined {
    const lines = readSdp(answer)?.media ?? []
    const found = this.#find(lines)
    return found && this.#agree(found, this.#last?.lines ?? lines, from)
  }

  #audioOffer(port: number): Media {
    const last = this.#last?.fit
    return audio(port, last?.by === 'audio' ? agreedPayloads(last.codec) : barePayloads(this.#codecs), 'sendrecv')
  }

  /** T.38 first: it survives what audio does not. */
  #find(lines: readonly Media[], only?: FaxWay['by']): Found | undefined {
    const found = lines.flatMap((media, index) => {
      const fit = this.#fits(media)
      return fit && (only ?? fit.by) === fit.by ? [{ fit, media, index }] : []
    })
    return found.find(({ fit }) => fit.by === 't38') ?? found[0]
  }

  #fits(media: Media): Fit | undefined {
    const { connection } = media
    if (media.port === 0 || !connection || !(isUnspecified(connection) || this.#reaches(connection.address))) return undefined
    const protocol = media.protocol.toLowerCase()
    if (media.kind === 'image' && protocol === 'udptl' && media.formats.some((format) => format.toLowerCase() === 't38'))
      return { by: 't38', terms: readT38(media) }
    if (media.kind !== 'audio' || (protocol !== 'rtp/avp' && protocol !== 'rtp/avpf')) return undefined
    const codec = chooseCodec(media.payloads, this.#codecs)
    const name = faxCodecs.find((one) => one === codec?.name)
    return codec && name && { by: 'audio', codec: { ...codec, name, keys: undefined } }
  }

  /** A fax that is put on hold before it began has nowhere to send to. */
  #agree({ fit, media, index }: Found, lines: readonly Media[], from: string | undefined): FaxWay | undefined {
    const place = isUnspecified(media.connection) ? this.#last && placeOf(this.#last.way) : remoteMediaOf(media, from, this.#farEnd)
    if (!place) return undefined
    const way: FaxWay =
      fit.by === 't38'
        ? { by: 't38', ...place, ...fit.terms }
        : { by: 'audio', ...place, codec: fit.codec.name, payloadType: fit.codec.payload.type }
    this.#last = { lines, index, fit, way }
    return way
  }

  #write(ours: Media, index: number, lines: readonly Media[]): string {
    const all = lines.length === 0 ? [ours] : lines.map((line, at) => (at === index ? ours : refused(line)))
    return this.#writer.write(all)
  }
}

const placeOf = ({ remote, alsoFrom }: FaxWay): RemoteMedia => ({ remote, alsoFrom })

/** They may pause as they like. */
const answering = ({ direction, connection }: Media): Direction => {
  const theyHear = hears(direction) && !isUnspecified(connection)
  if (theyHear) return speaks(direction) ? 'sendrecv' : 'sendonly'
  return speaks(direction) ? 'recvonly' : 'inactive'
}

const image = (port: number, theirs: T38Terms | undefined): Media =>
  makeMedia({ kind: 'image', port, protocol: 'udptl', formats: ['t38'], attributes: t38Attributes(theirs) })

/** Gateways that leave out silence (RFC 3108 §5.6.2.5) would cut the modems off. */
const audio = (port: number, payloads: Media['payloads'], direction: Direction): Media =>
  makeMedia({
    kind: 'audio',
    port,
    protocol: 'RTP/AVP',
    payloads,
    direction,
    ptime: 20,
    attributes: [{ name: 'silenceSupp', value: 'off - - - -' }],
  })
