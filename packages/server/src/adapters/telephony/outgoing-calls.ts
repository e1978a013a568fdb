import type { Clock } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store/index.ts'
import type { Dial, DialTarget, Leg } from '../../core/ports/telephony.ts'
import { bracketed } from '../../sip/host.ts'
import type { InviteDraft } from '../../sip/session.ts'
import type { Flow, Transport, TransportKind } from '../../sip/transport.ts'
import type { UserAgent } from '../../sip/user-agent.ts'
import type { LegAudio } from './leg-audio.ts'
import type { LegMaker } from './leg-maker.ts'
import { writeNumber } from './number-format.ts'
import { presentCaller } from './outgoing-identity.ts'
import { placeOf, type Place } from './phone-place.ts'
import { deviceCodecs } from './sdp-codecs.ts'
import { SipLeg } from './sip-leg.ts'
import { trunkUri } from './trunk-uri.ts'
import type { Trunks } from './trunks.ts'

export interface OutgoingCallsOptions {
  clock: Clock
  store: Store
  agent: UserAgent
  transport: Transport & { reaches(to: Flow): boolean }
  maker: LegMaker
  trunks: Trunks
  country: string
}

type DeviceTarget = DialTarget & { kind: 'device' }
type TrunkAccess = NonNullable<ReturnType<Trunks['get']>>
type TrunkTarget = DialTarget & { kind: 'trunk' }

interface Offer {
  encrypted: boolean
}

/** Phones that insist on encryption refuse an offer without it, and many do not understand one with it: each is called in its own way. */
const plainFirst: readonly Offer[] = [{ encrypted: false }, { encrypted: true }]
const encryptedFirst: readonly Offer[] = [{ encrypted: true }, { encrypted: false }]
const onlyPlain: readonly Offer[] = [{ encrypted: false }]

/** Places calls: to wherever a device is registered, or to a number over a trunk. */
export class OutgoingCalls {
  readonly #options: OutgoingCallsOptions

  constructor(options: OutgoingCallsOptions) {
    this.#options = options
  }

  async dial(target: DialTarget, dial: Dial): Promise<Leg[]> {
    return target.kind === 'device' ? this.#dialDevice(target, dial) : this.#dialTrunk(target, dial)
  }

  async #dialDevice({ accountId, deviceId }: DeviceTarget, dial: Dial): Promise<Leg[]> {
    const { store, clock, transport } = this.#options
    const found = await store.read.devices.registrations(accountId, [deviceId], clock.now())
    const reaches = (flow: Flow) => transport.reaches(flow)
    const places = (found.get(deviceId) ?? []).flatMap((registration) => placeOf(registration, reaches) ?? [])
    // All are open before the first one rings, so that none answers while others are still being called.
    const ready = await Promise.all(places.map((place) => this.#prepare(place, dial)))
    return ready.flat().map(({ flow, uri, routes, towards, audio }) => {
      const { host } = transport.localAddress(towards.kind, towards.address)
      const { from, headers } = presentCaller(dial, { host, write: (number) => number, trusted: false, emergency: false })
      return this.#call(audio, { uri, routes, from, headers, flow }, towards.kind === 'tls' ? encryptedFirst : plainFirst)
    })
  }

  async #dialTrunk({ trunkId, number, emergency }: TrunkTarget, dial: Dial): Promise<Leg[]> {
    const { trunks } = this.#options
    const access = trunks.get(trunkId)
    const ended = access && trunks.calls.begin(trunkId, access.trunk.settings, { direction: 'outgoing', emergency })
    if (!ended) return []
    try {
      const { settings } = access.trunk
      const towards = { kind: settings.transport.toLowerCase() as TransportKind, address: access.address }
      const audio = await this.#openAudio(towards, dial, settings.codecs)
      const leg = this.#call(audio, this.#trunkDraft(access, dial, { number, emergency }), onlyPlain)
      void leg.ended.then(ended)
      return [leg]
    } catch (error) {
      ended()
      throw error
    }
  }

  #trunkDraft({ trunk: { settings }, digest, serviceRoute }: TrunkAccess, dial: Dial, to: Pick<TrunkTarget, 'number' | 'emergency'>) {
    const { host, username, numberFormat } = settings
    const write = (e164: string): string => writeNumber(e164, numberFormat, this.#options.country)
    const peer = { host: bracketed(host), write, trusted: true, emergency: to.emergency }
    return {
      uri: trunkUri(settings, write(to.number)),
      routes: serviceRoute,
      digest,
      ...presentCaller(dial, username === '' ? peer : { ...peer, account: username }),
      ...(username !== '' && { contactUser: username }),
    }
  }

  /** A place for which no port is left is not called; the others are. */
  #prepare(place: Place, dial: Dial): Promise<(Place & { audio: LegAudio })[]> {
    return this.#openAudio(place.towards, dial).then(
      (audio) => [{ ...place, audio }],
      () => [],
    )
  }

  async #openAudio(towards: Pick<Flow, 'kind' | 'address'>, { near }: Dial, codecs = deviceCodecs): Promise<LegAudio> {
    const audio = this.#options.maker.audioTowards(towards, codecs)
    await audio.open(near instanceof SipLeg ? near.audio : undefined)
    return audio
  }

  #call(audio: LegAudio, draft: Omit<InviteDraft, 'sdp'>, offers: readonly Offer[]): SipLeg {
    const { agent, maker } = this.#options
    return maker.make(audio, {
      connect: (observer, attempt) => {
        const offer = offers[attempt]
        return offer && agent.invite({ ...draft, sdp: audio.offer(offer) }, observer)
      },
    })
  }
}
