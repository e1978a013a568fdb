import { isIP } from 'node:net'
import { CapacityExceeded, type CivicAddress, type Dial, type DialTarget, type Leg, type FaxLeg } from '#core/kernel/ports/telephony.ts'
import { MediaFull } from '#media/socket/port-pool.ts'
import { bracketed } from '@offhook/sip/grammar/uri.ts'
import type { InviteDraft, SessionEnd } from '@offhook/sip/session/session.ts'
import type { Transport, TransportKind } from '@offhook/sip/transport/transport.ts'
import type { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import { audioOf, type LegAudio } from './leg/leg-audio.ts'
import { BoundedMap } from '#core/kernel/bounded-map.ts'
import { isBrowser, type AudioWay, type LegMaker, type Partner } from './leg/leg-maker.ts'
import { emergencyMarks, presentCaller, writeNumber } from './identity/identity.ts'
import type { Binding, Bindings } from './phone/binding.ts'
import { deviceCodecs } from './sdp/media-session.ts'
import { SipLeg } from './leg/sip-leg.ts'
import { trunkUri } from './trunk/kept-trunk.ts'
import type { Trunks } from './trunk/trunks.ts'

interface OutgoingCallsOptions {
  agent: UserAgent
  transport: Transport
  bindings: Bindings
  maker: LegMaker
  trunks: Trunks
  /** Our domain for phones; default: the address at which they reach us. */
  domain: string | undefined
  country: string
}

type DeviceTarget = DialTarget & { kind: 'device' }
type TrunkAccess = NonNullable<ReturnType<Trunks['get']>>
type TrunkTarget = DialTarget & { kind: 'trunk' }

/**
 * Phones that require encryption reject an offer without it, and many do not understand one with it: each gets its own order. Browsers make
 * the offer themselves: theirs connect faster than ours.
 */
const waysOver = (kind: TransportKind): AudioWay[] => {
  if (isBrowser({ kind })) return ['theirs']
  return kind === 'tls' ? ['encrypted', 'plain', 'theirs'] : ['plain', 'encrypted', 'theirs']
}

/** Address and properties of a callee. */
interface Callee {
  call: Omit<InviteDraft, 'sdp'>
  /** The same without the caller's location. */
  plainCall?: Omit<InviteDraft, 'sdp'>
  partner: Partner
  trunkId?: string | undefined
}

/** A call that can start immediately. */
interface Prepared {
  audio: LegAudio
  draft: InviteDraft
  /** Another offer, for when this one is rejected. */
  another?: () => Promise<InviteDraft | undefined>
  mayReconnect?: (end: SessionEnd) => boolean
  answered?: () => void
  trunkId?: string | undefined
}

/** A working carrier sends 100 immediately; one that does not within this time is skipped. */
const TRYING_MS = 4_000

const forwardsLeft = ({ near }: Dial): number => (near instanceof SipLeg ? near.forwardsLeft : 70)

/** A binding without media does not prevent calls to the others. */
const thoseReady = async <T>(preparations: readonly Promise<T>[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(preparations)
  const ready = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = outcomes.find((one) => one.status === 'rejected')
  if (ready.length === 0 && failed) throw failed.reason
  return ready
}

/** A carrier must not fail an emergency call because of its location, not even one whose network drops long datagrams. */
const withoutLocation = (draft: InviteDraft): Pick<Prepared, 'another' | 'mayReconnect'> => {
  let left: InviteDraft | undefined = draft
  const another = async (): Promise<InviteDraft | undefined> => {
    const next = left
    left = undefined
    return next
  }
  return { another, mayReconnect: ({ by }) => by !== 'us' }
}

const explained = (error: unknown): never => {
  throw error instanceof MediaFull ? new CapacityExceeded(error) : error
}

/** Places calls: to all registrations of a device, or to a number over a trunk. */
export class OutgoingCalls {
  readonly #options: OutgoingCallsOptions
  /** By contact. */
  readonly #liked = new BoundedMap<string, AudioWay>(10_000)

  constructor(options: OutgoingCallsOptions) {
    this.#options = options
  }

  async dial(target: DialTarget, dial: Dial): Promise<Leg[]> {
    return (target.kind === 'device' ? this.#dialDevice(target, dial) : this.#dialTrunk(target, dial)).catch(explained)
  }

  async reaches(accountId: string, deviceId: string): Promise<boolean> {
    return (await this.#options.bindings.of(accountId, deviceId)).length > 0
  }

  /** Browsers have no modem. */
  async dialFax(target: DialTarget, dial: Dial): Promise<FaxLeg[]> {
    return (target.kind === 'device' ? this.#dialFaxAt(target, dial) : this.#dialFaxOver(target, dial)).catch(explained)
  }

  #dialFaxOver(target: TrunkTarget, dial: Dial): Promise<FaxLeg[]> {
    return this.#overTrunk(target, dial, async (callee) => (await this.#prepareFax(callee))())
  }

  async #dialFaxAt({ accountId, deviceId }: DeviceTarget, dial: Dial): Promise<FaxLeg[]> {
    const bindings = await this.#options.bindings.of(accountId, deviceId)
    const callees = bindings.filter(({ phone }) => !isBrowser(phone)).map((binding) => this.#calleeAt(binding, dial))
    const ready = await thoseReady(callees.map((callee) => this.#prepareFax(callee)))
    return ready.map((call) => call())
  }

  async #dialDevice({ accountId, deviceId }: DeviceTarget, dial: Dial): Promise<Leg[]> {
    const bindings = await this.#options.bindings.of(accountId, deviceId)
    // All are ready before the first one rings, so that none answers while others are still being called.
    const ready = await thoseReady(bindings.map((binding) => this.#prepareDevice(binding, dial)))
    return ready.map((call) => this.#call(call))
  }

  #dialTrunk(target: TrunkTarget, dial: Dial): Promise<Leg[]> {
    return this.#overTrunk(target, dial, async ({ call, plainCall, partner, trunkId }) => {
      const audio = await this.#open(this.#options.maker.audio('plain', partner), dial)
      const sdp = await audio.offer()
      const plain = plainCall && { ...plainCall, sdp }
      return this.#call({ audio, draft: { ...call, sdp }, trunkId, ...(plain && withoutLocation(plain)) })
    })
  }

  async #overTrunk<L extends Pick<Leg, 'ended' | 'answered' | 'quality'>>(
    target: TrunkTarget,
    dial: Dial,
    begin: (callee: Callee) => Promise<L>,
  ): Promise<L[]> {
    const { trunks } = this.#options
    const { trunkId, emergency } = target
    const access = trunks.get(trunkId)
    const ended = access && trunks.calls.begin(trunkId, access.trunk.settings, { direction: 'outgoing', emergency })
    if (!ended) return []
    try {
      const { transport, codecs, mediaAddresses, outboundProxy = '' } = access.trunk.settings
      // Behind a proxy the carrier's messages do not show its address.
      const origin = outboundProxy !== '' && isIP(access.address) !== 0 ? access.address : undefined
      const at = { kind: transport.toLowerCase() as TransportKind, address: access.address }
      const leg = await begin({
        ...this.#trunkCall(access, dial, target),
        partner: { at, codecs, farEnd: { mediaAddresses, origin } },
        trunkId,
      })
      void leg.ended.then(ended)
      void trunks.watch(trunkId, 'outgoing', leg)
      return [leg]
    } catch (error) {
      ended()
      throw error
    }
  }

  /** Offers T.38 to a far end that rejects audio because it only supports T.38. */
  async #prepareFax({ call, partner, trunkId }: Callee): Promise<() => FaxLeg> {
    const { agent, maker } = this.#options
    const media = maker.fax(partner)
    await media.open(true)
    return () =>
      maker.makeFax(media, {
        trunkId,
        connect: (observer) => agent.invite({ ...call, sdp: media.offer('audio') }, observer),
        reconnect: (observer) => agent.invite({ ...call, sdp: media.offer('t38') }, observer),
      })
  }

  #calleeAt({ uri, routes, flow, phone, origin }: Binding, dial: Dial): Callee {
    const host = this.#options.domain ?? bracketed(this.#options.transport.localAddress(flow.kind, flow.address).host)
    const caller = presentCaller(dial, { host, write: (number) => number, trusted: false, emergency: false })
    const partner = { at: phone, codecs: deviceCodecs, farEnd: { origin } }
    return { call: { uri, routes, flow, maxForwards: forwardsLeft(dial), ...caller }, partner }
  }

  #trunkCall(access: TrunkAccess, dial: Dial, to: TrunkTarget): Pick<Callee, 'call' | 'plainCall'> {
    const call = this.#trunkDraft(access, dial, to)
    if (!to.emergency) return { call }
    const { host, emergencyLocation = false } = access.trunk.settings
    const marked = (location: CivicAddress | undefined): Callee['call'] => {
      const { headers, attachments } = emergencyMarks(location, { number: dial.caller.number, host: bracketed(host) })
      return { ...call, headers: [...call.headers, ...headers], attachments }
    }
    const location = emergencyLocation ? to.location : undefined
    return { call: marked(location), ...(location && { plainCall: marked(undefined) }) }
  }

  #trunkDraft({ trunk: { settings }, digest, routes }: TrunkAccess, dial: Dial, to: Pick<TrunkTarget, 'number' | 'emergency'>) {
    const { host, username, numberFormat } = settings
    const write = (e164: string): string => writeNumber(e164, numberFormat, this.#options.country)
    const peer = { host: bracketed(host), write, trusted: true, emergency: to.emergency }
    return {
      uri: trunkUri(settings, write(to.number)),
      routes,
      digest,
      maxForwards: forwardsLeft(dial),
      silenceMs: TRYING_MS,
      ...presentCaller(dial, username === '' ? peer : { ...peer, account: username }),
      ...(username !== '' && { contactUser: username }),
    }
  }

  async #prepareDevice(binding: Binding, dial: Dial): Promise<Prepared> {
    const { maker } = this.#options
    const { uri, phone } = binding
    const [first, ...others] = this.#waysTo(uri, phone.kind)
    let way = first
    const { call, partner } = this.#calleeAt(binding, dial)
    const audio = await this.#open(maker.audio(way, partner), dial)
    try {
      const offering = async (): Promise<InviteDraft> => ({ ...call, sdp: way === 'theirs' ? undefined : await audio.offer() })
      const another = async (): Promise<InviteDraft | undefined> => {
        const next = others.shift()
        if (!next) return undefined
        way = next
        audio.use(maker.mediaSession(way, partner))
        return offering()
      }
      const answered = (): void => this.#liked.set(uri, way)
      return { audio, draft: await offering(), another, answered }
    } catch (error) {
      await audio.close()
      throw error
    }
  }

  /** The caller needs sound as soon as the callee answers: both streams are opened concurrently, so that the answer need not wait. */
  async #open(audio: LegAudio, { near }: Dial): Promise<LegAudio> {
    const beside = near && audioOf(near)
    try {
      await Promise.all([beside?.open(), audio.open(beside)])
      return audio
    } catch (error) {
      await audio.close()
      throw error
    }
  }

  /** Starts with the way that this phone accepted last. */
  #waysTo(uri: string, kind: TransportKind): [AudioWay, ...AudioWay[]] {
    const ways = waysOver(kind)
    const first = ways.find((way) => way === this.#liked.get(uri)) ?? ways[0] ?? 'plain'
    return [first, ...ways.filter((way) => way !== first)]
  }

  #call({ audio, draft, another, mayReconnect, answered, trunkId }: Prepared): SipLeg {
    const { agent, maker } = this.#options
    const leg = maker.make(audio, {
      connect: (observer) => agent.invite(draft, observer),
      ...(trunkId !== undefined && { trunkId }),
      ...(mayReconnect && { mayReconnect }),
      ...(another && {
        reconnect: async (observer) => {
          const next = await another()
          return next && agent.invite(next, observer)
        },
      }),
    })
    if (answered) leg.observe({ answered })
    return leg
  }
}
