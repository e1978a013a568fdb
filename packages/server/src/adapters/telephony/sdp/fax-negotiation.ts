import type { CodecName } from '#media/engine.ts'
import type { FaxAudioSettings, FaxT38Settings } from '#media/fax/engine.ts'
import { makeMedia, type Direction, type Media, type Attribute } from '@offhook/sip/sdp/sdp.ts'
import {
  agreedPayloads,
  barePayloads,
  chooseCodec,
  type ChosenCodec,
  isUnspecified,
  remoteMediaOf,
  type FarEnd,
  type RemoteMedia,
  type SameHost,
  readSdp,
} from './media-session.ts'
import { hears, speaks, refused, SdpWriter } from './sdp-writer.ts'

/** The only modem-safe codecs. */
const faxCodecs = ['PCMA', 'PCMU'] as const satisfies CodecName[]
type FaxCodec = (typeof faxCodecs)[number]

/** Transport of a fax. */
export type FaxWay = ({ by: 'audio' } & FaxAudioSettings) | ({ by: 't38' } & FaxT38Settings)

/** A line of their description that we can accept. */
type Fit = { by: 'audio'; codec: ChosenCodec & { name: FaxCodec } } | { by: 't38'; terms: T38Terms }

interface Found {
  fit: Fit
  media: Media
  index: number
}

/** Last exchange, for the next one. */
interface Last {
  /** All lines of the description: their number never changes (RFC 3264 §8). */
  lines: readonly Media[]
  index: number
  fit: Fit
  way: FaxWay
}

interface FaxNegotiationOptions {
  /** Our media address for the far end. */
  address: string
  /** See MediaSession. */
  boundAddress?: string | undefined
  /** Whether our packets can reach such an address. */
  reaches?: (address: string) => boolean
  sameHost?: SameHost
  /** Codecs that it is known to support, best first. */
  codecs: readonly CodecName[]
  farEnd?: FarEnd | undefined
}

/**
 * Offer/answer of a fax call (RFC 3264) with one stream, audio or T.38, which may switch in its line of the description (§8.3.3); all other
 * lines are rejected.
 */
export class FaxNegotiation {
  readonly boundAddress: string | undefined
  readonly #codecs: readonly FaxCodec[]
  readonly #writer: SdpWriter
  readonly #farEnd: FarEnd | undefined
  readonly #reaches: (address: string) => boolean
  readonly #sameHost: SameHost | undefined
  #last: Last | undefined

  constructor({ address, boundAddress, codecs, farEnd, reaches = () => true, sameHost }: FaxNegotiationOptions) {
    this.boundAddress = boundAddress
    this.#farEnd = farEnd
    this.#reaches = reaches
    this.#sameHost = sameHost
    const usable = codecs.flatMap((name) => faxCodecs.filter((one) => one === name))
    this.#codecs = usable.length > 0 ? usable : faxCodecs
    this.#writer = new SdpWriter(address)
  }

  /** Undefined before the first agreement. */
  get way(): FaxWay | undefined {
    return this.#last?.way
  }

  offer(by: FaxWay['by'], port: number): string {
    const last = this.#last
    return this.#write(by === 'audio' ? this.#audioOffer(port) : image(port, undefined), last?.index ?? 0, last?.lines ?? [])
  }

  /** Whether `answer` would accept it. */
  likes(offer: string): boolean {
    return this.#find(readSdp(offer)?.media ?? []) !== undefined
  }

  /** Undefined when their offer has no usable line; the state then stays the same. `only`: it is too late for the other kind. */
  answer(offer: string, port: number, from: string | undefined, only?: FaxWay['by']): { sdp: string; way: FaxWay } | undefined {
    const lines = readSdp(offer)?.media ?? []
    const found = this.#find(lines, only)
    const way = found && this.#agree(found, lines, from)
    if (!way) return undefined
    const { fit, media, index } = found
    const ours = fit.by === 't38' ? image(port, fit.terms) : audio(port, agreedPayloads(fit.codec), answering(media))
    return { sdp: this.#write({ ...ours, protocol: media.protocol }, index, lines), way }
  }

  /** Their answer to our last offer; undefined if it rejects it. Either transport is accepted. */
  confirm(answer: string, from: string | undefined): FaxWay | undefined {
    const lines = readSdp(answer)?.media ?? []
    const found = this.#find(lines)
    return found && this.#agree(found, this.#last?.lines ?? lines, from)
  }

  #audioOffer(port: number): Media {
    const last = this.#last?.fit
    return audio(port, last?.by === 'audio' ? agreedPayloads(last.codec) : barePayloads(this.#codecs), 'sendrecv')
  }

  /** Prefers T.38: it survives what audio does not. */
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

  /** A fax held before it began has no destination. */
  #agree({ fit, media, index }: Found, lines: readonly Media[], from: string | undefined): FaxWay | undefined {
    const about = { ...this.#farEnd, sameHost: this.#sameHost }
    const place = isUnspecified(media.connection) ? this.#last && placeOf(this.#last.way) : remoteMediaOf(media, from, about)
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

/** They may pause at any time. */
const answering = ({ direction, connection }: Media): Direction => {
  const theyHear = hears(direction) && !isUnspecified(connection)
  if (theyHear) return speaks(direction) ? 'sendrecv' : 'sendonly'
  return speaks(direction) ? 'recvonly' : 'inactive'
}

const image = (port: number, theirs: T38Terms | undefined): Media =>
  makeMedia({ kind: 'image', port, protocol: 'udptl', formats: ['t38'], attributes: t38Attributes(theirs) })

/** Gateways with silence suppression (RFC 3108 §5.6.2.5) would cut the modems off. */
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

/** The far end's T.38 parameters over UDPTL (T.38 annex D) that affect us. */
type T38Terms = Required<Pick<FaxT38Settings, 'maxBitRate' | 'maxDatagram' | 'rateManagement' | 'errorRecovery'>>

const bestBitRate = 14_400
const defaultDatagram = 400
/** Gateways with a smaller value mean the packet inside UDPTL, and accept the usual size. */
const minDatagram = 100
const maxDatagramBytes = 1_400
/** Our maximum. */
const ourDatagram = 512

/** Names and values come in all spellings. */
const readT38 = ({ attributes }: Pick<Media, 'attributes'>): T38Terms => {
  const said = new Map(attributes.map(({ name, value }) => [name.toLowerCase(), value?.trim().toLowerCase()]))
  const number = (name: string): number => Number(said.get(name) ?? NaN)
  const bitRate = number('t38maxbitrate')
  const datagram = number('t38faxmaxdatagram')
  return {
    maxBitRate: bitRate >= 2_400 ? Math.min(bitRate, bestBitRate) : bestBitRate,
    maxDatagram: datagram >= minDatagram ? Math.min(datagram, maxDatagramBytes) : defaultDatagram,
    rateManagement: said.get('t38faxratemanagement') === 'localtcf' ? 'localTCF' : 'transferredTCF',
    errorRecovery: said.get('t38faxudpec') === 't38udpnoec' ? 'none' : 'redundancy',
  }
}

/** Our attributes: in answer to theirs, or in an offer. */
const t38Attributes = (theirs?: T38Terms): Attribute[] => {
  const said = {
    T38FaxVersion: 0,
    T38MaxBitRate: theirs?.maxBitRate ?? bestBitRate,
    T38FaxRateManagement: theirs?.rateManagement ?? 'transferredTCF',
    T38FaxMaxBuffer: 1_800,
    T38FaxMaxDatagram: ourDatagram,
    T38FaxUdpEC: theirs?.errorRecovery === 'none' ? 't38UDPNoEC' : 't38UDPRedundancy',
  }
  return Object.entries(said).map(([name, value]) => ({ name, value: String(value) }))
}
