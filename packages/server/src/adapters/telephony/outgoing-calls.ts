import type { Clock } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store/index.ts'
import type { Registration } from '../../core/ports/store/registrations.ts'
import type { Trunk } from '../../core/ports/store/trunks.ts'
import type { Dial, DialTarget, Leg } from '../../core/ports/telephony.ts'
import type { DigestClient } from '../../sip/digest-client.ts'
import type { InviteDraft } from '../../sip/session.ts'
import type { Flow, Transport, TransportKind } from '../../sip/transport.ts'
import { parseUri } from '../../sip/uri.ts'
import type { UserAgent } from '../../sip/user-agent.ts'
import type { LegAudio } from './leg-audio.ts'
import type { LegMaker } from './leg-maker.ts'
import { writeNumber } from './number-format.ts'
import { presentCaller } from './outgoing-identity.ts'
import { deviceCodecs } from './sdp-codecs.ts'
import { SipLeg } from './sip-leg.ts'
import type { TrunkCalls } from './trunk-calls.ts'
import { trunkUri } from './trunk-uri.ts'

/** What is needed to call over a trunk. */
export interface TrunkAccess {
  trunk: Trunk
  digest: DigestClient | undefined
  /** Where it was reached lately. */
  address: string
}

export interface OutgoingCallsOptions {
  clock: Clock
  store: Store
  agent: UserAgent
  transport: Transport & { reaches(to: Flow): boolean }
  maker: LegMaker
  trunk(trunkId: string): TrunkAccess | undefined
  trunkCalls: TrunkCalls
  country: string
}

type DeviceTarget = DialTarget & { kind: 'device' }
type TrunkTarget = DialTarget & { kind: 'trunk' }

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
    const { store, clock } = this.#options
    const found = await store.read.devices.registrations(accountId, [deviceId], clock.now())
    const places = (found.get(deviceId) ?? []).flatMap((registration) => this.#placeOf(registration) ?? [])
    // All are open before the first one rings, so that none answers while others are still being called.
    const ready = await Promise.all(places.map(async (place) => ({ ...place, audio: await this.#openAudio(place.flow, dial) })))
    return ready.map(({ flow, uri, routes, audio }) => {
      const { host } = this.#options.transport.localAddress(flow.kind, flow.address)
      const { from, headers } = presentCaller(dial, { host, write: (number) => number, trusted: false, emergency: false })
      return this.#call(audio, { uri, routes, from, headers, flow })
    })
  }

  async #dialTrunk({ trunkId, number, emergency }: TrunkTarget, dial: Dial): Promise<Leg[]> {
    const { country, trunkCalls } = this.#options
    const access = this.#options.trunk(trunkId)
    if (!access) return []
    const { settings } = access.trunk
    const ended = trunkCalls.begin(trunkId, settings, { direction: 'outgoing', emergency })
    if (!ended) return []
    const write = (e164: string): string => writeNumber(e164, settings.numberFormat, country)
    const flow = { kind: settings.transport.toLowerCase() as TransportKind, address: access.address }
    const audio = await this.#openAudio(flow, dial, settings.codecs).catch((error: unknown) => {
      ended()
      throw error
    })
    const account = settings.username === '' ? {} : { account: settings.username }
    const caller = presentCaller(dial, { host: settings.host, write, trusted: true, emergency, ...account })
    const contactUser = settings.username === '' ? {} : { contactUser: settings.username }
    const leg = this.#call(audio, { uri: trunkUri(settings, write(number)), ...caller, ...contactUser, digest: access.digest })
    void leg.ended.then(ended)
    return [leg]
  }

  /** Undefined for a phone whose connection is gone: nobody but itself can open it again. */
  #placeOf({ contact, path, ip, port, transport }: Registration): { flow: Flow; uri: string; routes: string[] } | undefined {
    const flow: Flow = { kind: transport as TransportKind, address: ip, port }
    if (!this.#options.transport.reaches(flow) || !isUri(contact)) return undefined
    return { flow, uri: contact, routes: path === '' ? [] : [path] }
  }

  async #openAudio(towards: Pick<Flow, 'kind' | 'address'>, { near }: Dial, codecs = deviceCodecs): Promise<LegAudio> {
    const audio = this.#options.maker.audioTowards(towards, codecs)
    await audio.open(near instanceof SipLeg ? near.audio : undefined)
    return audio
  }

  #call(audio: LegAudio, draft: Omit<InviteDraft, 'sdp'>): SipLeg {
    const { agent, maker } = this.#options
    return maker.make(audio, { connect: (observer) => agent.invite({ ...draft, sdp: audio.offer() }, observer) })
  }
}

const isUri = (text: string): boolean => {
  try {
    return parseUri(text).scheme !== 'tel'
  } catch {
    return false
  }
}
