import { isEmergency } from '#core/account/numbers/emergency.ts'
import type { Trunk } from '#core/kernel/ports/store/operate.ts'
import type { IncomingCall } from '#core/kernel/ports/telephony.ts'
import type { Replaces } from '@offhook/sip/grammar/headers.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import type { SipRejection } from '@offhook/sip/user-agent/request-checks.ts'
import type { IncomingInvite } from '@offhook/sip/user-agent/user-agent-options.ts'
import type { DeviceAuthenticator, ProvenDevice, Edge } from './guard/authenticate.ts'
import { later, reasonOf } from './leg/causes.ts'
import { deviceCaller, dialledOver, dialledUser, diversionsOf, hopsOf, trunkCaller, readNumber } from './identity/identity.ts'
import type { IncomingSide, LegMaker, RemoteDialogs, OurLegs } from './leg/leg-maker.ts'
import { wayBack } from './phone/binding.ts'
import { deviceCodecs } from './sdp/media-session.ts'
import type { SipLeg } from './leg/sip-leg.ts'
import { trunkOf, type Trunks } from './trunk/trunks.ts'

export interface IncomingCallsOptions {
  authenticator: DeviceAuthenticator
  edge: Edge
  trunks: Trunks
  legs: OurLegs
  maker: LegMaker
  country: string
  /** Whether enough RTP ports are free for a carrier's call, so that some are left for phones; default: always. */
  hasMediaForTrunks?: () => boolean
  /** Decides about newcomers while the machine is overloaded; default: admits them. */
  admission?: NewcomerGate
  /** A call got 503 because the trunk exceeds its agreed calls, or because of the ports. */
  onTrunkRejected?: (trunk: Trunk) => void
  elsewhere: () => RemoteDialogs | undefined
  onError: (error: unknown) => void
}

interface NewcomerGate {
  /** Seconds after which a rejected newcomer may try again; undefined admits it. */
  rejects(what: 'call' | 'request', options: { isEmergency: () => boolean; isFinal: boolean }): number | undefined
}

/** Identifies the trunk or device of an INVITE and passes it on as a call. All unauthenticated requests get the same answer. */
export class IncomingCalls {
  readonly #options: IncomingCallsOptions
  #take: (call: IncomingCall) => void = ({ leg }) => void leg.hangUp('overloaded')

  constructor(options: IncomingCallsOptions) {
    this.#options = options
  }

  onIncoming(take: (call: IncomingCall) => void): void {
    this.#take = take
  }

  /**
   * Rejection of a request outside of dialogs before any state is kept: neither a transaction nor a port. Undefined admits it. All but
   * trunks have to authenticate, and trunks do not register.
   */
  admit(request: Request, from: Flow): SipRejection | undefined {
    const { authenticator, edge, trunks } = this.#options
    const { method } = request
    if (method === 'OPTIONS') return undefined
    const trunk = method === 'REGISTER' ? undefined : trunkOf(trunks, edge, { request, from })
    const shed = this.#shed(request, trunk !== undefined)
    if (shed) return shed
    if (!trunk) return authenticator.admit(request, from)
    return method === 'INVITE' ? this.#rejectionOf(trunk) : undefined
  }

  /** Before any lookup. A call that replaces another one or one of its legs (RFC 3891) belongs to a running call. */
  #shed(request: Request, isTrunk: boolean): SipRejection | undefined {
    const { admission, country } = this.#options
    const isCall = request.method === 'INVITE'
    if (!admission || (isCall && request.header('replaces') !== undefined)) return undefined
    const seconds = admission.rejects(isCall ? 'call' : 'request', {
      isEmergency: () => isCall && isEmergency(dialledUser(request), country),
      isFinal: isTrunk || hasCredentials(request),
    })
    if (seconds === undefined) return undefined
    return {
      status: 503,
      headers: [
        ['Retry-After', String(seconds)],
        ['Reason', reasonOf('overloaded')],
      ],
    }
  }

  /** A trunk is identified by its address, which can be forged over UDP. */
  #rejectionOf(trunk: Trunk): SipRejection | undefined {
    const { trunks, hasMediaForTrunks, onTrunkRejected } = this.#options
    if (trunks.calls.hasCapacity(trunk.id, trunk.settings) && (hasMediaForTrunks?.() ?? true)) return undefined
    onTrunkRejected?.(trunk)
    return { status: 503, headers: later }
  }

  receive(invite: IncomingInvite): void {
    const trunk = trunkOf(this.#options.trunks, this.#options.edge, invite)
    if (trunk && invite.replacesElsewhere) return invite.session.reject(481)
    if (trunk) return this.#fromTrunk(invite, trunk)
    this.#fromDevice(invite).catch((error: unknown) => {
      this.#options.onError(error)
      invite.session.reject(500)
    })
  }

  #fromTrunk(invite: IncomingInvite, { id, settings }: Trunk): void {
    const { trunks, country } = this.#options
    const ended = trunks.calls.begin(id, settings, { direction: 'incoming' })
    if (!ended) return invite.session.reject(503, later)
    const { request } = invite
    const leg = this.#legOf(invite, { codecs: settings.codecs, farEnd: { mediaAddresses: settings.mediaAddresses }, trunkId: id })
    if (!leg) return ended()
    void leg.ended.then(ended)
    void trunks.watch(id, 'incoming', leg)
    const read = (written: string) => readNumber(written, settings.numberFormat, country)
    this.#hand(invite, leg, {
      origin: { kind: 'trunk', trunkId: id },
      dialled: dialledOver(request, settings, read),
      caller: trunkCaller(request, read),
      diversions: diversionsOf(request, read),
    })
  }

  async #fromDevice(invite: IncomingInvite): Promise<void> {
    const { request, from, session } = invite
    const proof = await this.#options.authenticator.prove(request, from)
    if ('status' in proof) return session.reject(proof.status, proof.headers)
    if (invite.replacesElsewhere) return this.#sendOn(invite, invite.replacesElsewhere)
    session.pin(wayBack(request, from))
    this.#takeFromDevice(invite, proof.device)
  }

  /** Redirects to the node that owns the dialog: the edge forwards the same INVITE there; a phone without an edge calls there itself. */
  async #sendOn({ request, from, session }: IncomingInvite, replaces: Replaces): Promise<void> {
    const { edge, elsewhere } = this.#options
    const owner = await elsewhere()?.whoHas(replaces)
    if (owner === undefined) return session.reject(481)
    const contact: HeaderLines = [['Contact', `<${owner.replace('sip:', `sip:${dialledUser(request)}@`)}>`]]
    session.reject(302, edge.isAt(from) ? [...contact, ['X-Offhook-Owner', owner]] : contact)
  }

  #takeFromDevice(invite: IncomingInvite, { accountId, deviceId }: ProvenDevice): void {
    const leg = this.#legOf(invite, { codecs: deviceCodecs })
    if (!leg) return
    const { request } = invite
    this.#hand(invite, leg, {
      origin: { kind: 'device', accountId, deviceId },
      dialled: dialledUser(request),
      caller: deviceCaller(request),
      diversions: [],
    })
  }

  /** Undefined if it was rejected. */
  #legOf({ request, session, sdp, from }: IncomingInvite, caller: Omit<IncomingSide, 'session' | 'sdp' | 'at'>): SipLeg | undefined {
    const at = this.#options.edge.sourceOf(request, from)
    const leg = this.#options.maker.incoming({ session, sdp, at, ...caller })
    if (!leg) session.reject(488, [['Warning', '305 offhook "Incompatible media format"']])
    else this.#options.legs.add(leg)
    return leg
  }

  #hand(
    { request, from, replaces }: IncomingInvite,
    leg: SipLeg,
    call: Pick<IncomingCall, 'origin' | 'dialled' | 'caller' | 'diversions'>,
  ): void {
    leg.forwardsLeft = Number(request.header('max-forwards') ?? 70) - 1
    const attempt = this.#options.edge.attemptOf(request, from)
    this.#take({ leg, ...call, hops: hopsOf(request), replaces: this.#options.legs.of(replaces), ...(attempt && { attempt }) })
  }
}

const hasCredentials = (request: Request): boolean =>
  request.header('authorization') !== undefined || request.header('proxy-authorization') !== undefined
