import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Trunk } from '#core/kernel/ports/store/operate.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type {
  Bridge,
  Dial,
  DialTarget,
  IncomingCall,
  Leg,
  OtherPhones,
  Resumed,
  ResumeOptions,
  SavedDialog,
  Telephony,
  TrunkHealth,
  FaxLeg,
} from '#core/kernel/ports/telephony.ts'
import type { TrunkCallEnd, TrunkHolding, TrunkState, TrunkStates } from '#core/kernel/ports/calls.ts'
import type { BrowserFarEnd, BrowserLegs, PageCall, WebCaller, WebFarEnd, WebLegs, WebLegRequest } from '#core/kernel/ports/browser.ts'
import type { Media } from '#media/engine.ts'
import type { FaxEngine } from '#media/fax/engine.ts'
import type { DigestAlgorithm } from '@offhook/sip/digest/digest.ts'
import type { WebRtcGateway } from '#media/webrtc/webrtc-gateway.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import { DeviceAuthenticator, Edge } from './guard/authenticate.ts'
import { RoomBridge } from './leg/bridge.ts'
import { reasonOf } from './leg/causes.ts'
import type { SourceFilter, DropReason, Expected } from './guard/source-filter.ts'
import { IncomingCalls, type IncomingCallsOptions } from './incoming-calls.ts'
import { BrowserLeg } from './browser/browser-leg.ts'
import { LegAudio, type AudioParts, type RecordingStore } from './leg/leg-audio.ts'
import { allowEvents, SipBlf } from './phone/blf.ts'
import { type DialogName, type RemoteDialogs, OurLegs, LegMaker, type BringLeg } from './leg/leg-maker.ts'
import { networks, type OwnHost } from './transport/networks.ts'
import { OutgoingCalls } from './outgoing-calls.ts'
import { SipPhoneMessages } from './message/phone-messages.ts'
import { Bindings } from './phone/binding.ts'
import { ResumedCalls } from './resumed-calls.ts'
import { Registrar } from './phone/registrar.ts'
import type { Resolver } from './transport/resolver.ts'
import type { SavedLeg } from './leg/saved-leg.ts'
import { openSockets, proxiesOf, type Sockets, type SocketsOptions } from './sockets.ts'
import { Sounds } from './leg/sounds.ts'
import type { ResponseCounts, Transports } from './transport/transports.ts'
import type { TakenUpgrade } from './transport/ws.ts'
import { TrunkMessages } from './message/trunk-messages.ts'
import { trunkOf, Trunks } from './trunk/trunks.ts'
import type { SharedTrunkCalls } from './trunk/trunk-calls.ts'
import { deviceCodecs } from './sdp/media-session.ts'
import { WebRtcMediaSession } from './sdp/webrtc-media-session.ts'
import { WebLeg } from './web/web-leg.ts'

export interface SipTelephonyOptions
  extends SocketsOptions, Pick<IncomingCallsOptions, 'hasMediaForTrunks' | 'onTrunkRejected' | 'admission'> {
  /** For times in the store or in messages; the other clock is never set. */
  wallClock: Clock
  store: Store
  vault: Vault
  media: Media
  webrtc: WebRtcGateway
  fax: FaxEngine
  /** Address at which phones reach this node, also after a restart; unique within the installation. */
  place: string
  /** Milliseconds that refreshes wait for each other to be written together; default 0. */
  refreshWindowMs?: number
  recordings: RecordingStore
  /** The public IP address, for audio, once it is known. */
  publicIp?: () => string | undefined
  /** Our addresses for audio; default: that of SIP. */
  rtpAddresses?: readonly string[]
  /** Whether a customer may make us send packets there. */
  mayReach: (address: string, port: number) => boolean
  /** Our domain for phones, if it is not the address of this node: sip.example.org. */
  domain?: string | undefined
  /** Algorithms of challenges to phones. */
  digest: readonly DigestAlgorithm[]
  /** Country for carriers' national numbers. */
  country: string
  /** Interval of reading the trunks' table, in case another node changed it. */
  readTrunksIntervalMs?: number
  /** It could not take a call now: proxies that send OPTIONS choose another node. */
  isUnwell?: () => boolean
  /** Counted together with the other nodes. */
  sharedTrunkCalls?: SharedTrunkCalls
  /** Decides which node registers with carriers; default: this one. */
  trunkHolding?: TrunkHolding
  onTrunkChanged?: (trunk: Trunk, state: TrunkState) => void
  onTrunkCall?: (call: TrunkCallEnd) => void
}

/** Realm for devices; it never changes, because phones store digests of it. */
const realm = 'offhook'
/** Without a version, on purpose. */
const product = 'Offhook'
/** Milliseconds to wait for peers that were sent BYE. */
const goodbyeMs = 2_000

const expectedBy = (agent: UserAgent, authenticator: DeviceAuthenticator): Expected => ({
  message: ({ isResponse, branch = '', callId = '', toTag = '' }) => (isResponse ? agent.awaits(branch) : agent.hasDialog(callId, toTag)),
  nonce: (nonce, from) => authenticator.challenged(nonce, from),
})

/** Telephony over SIP and RTP. */
export class SipTelephony implements Telephony, WebLegs, BrowserLegs {
  /** Text messages to and from phones. */
  readonly messages: SipPhoneMessages
  /** Text messages from carriers. */
  readonly trunkMessages: TrunkMessages
  /** BLF and MWI of phones. */
  readonly lamps: SipBlf
  readonly #audio: AudioParts
  readonly #options: SipTelephonyOptions
  readonly #legs = new OurLegs()
  readonly #sourceFilter: SourceFilter
  readonly #resolver: Resolver
  readonly #transports: Transports
  readonly #agent: UserAgent
  readonly #edge: Edge
  readonly #trunks: Trunks
  readonly #incoming: IncomingCalls
  readonly #outgoing: OutgoingCalls
  readonly #resumed: ResumedCalls
  #others: OtherPhones | undefined
  #draining = false
  #elsewhere: RemoteDialogs | undefined
  #hesitates: () => Promise<unknown> | undefined = () => undefined

  private constructor(options: SipTelephonyOptions, { transports, sourceFilter, host, resolver }: Sockets) {
    const { clock, wallClock, store, vault, media, recordings, country, onError } = options
    this.#sourceFilter = sourceFilter
    this.#transports = transports
    this.#resolver = resolver
    this.#options = options
    this.#audio = { media, recordings, sounds: new Sounds() }
    const edge = new Edge(networks(options.edge ?? []))
    const { digest: algorithms, domain, refreshWindowMs = 0 } = options
    const authenticator = new DeviceAuthenticator({ clock: wallClock, store, vault, sourceFilter, edge, realm, algorithms, onError })
    const isProxy = networks(proxiesOf(options))
    const registrar = new Registrar({ clock: wallClock, store, authenticator, edge, isProxy, refreshWindowMs, onError })
    const agent = new UserAgent({
      clock,
      product,
      transport: transports,
      resolve: (uri) => resolver.locate(uri),
      isProxy,
      methods: ['OPTIONS', 'REGISTER', 'MESSAGE', 'SUBSCRIBE'],
      extensions: ['path'],
      admit: (request, from) => this.#incoming.admit(request, from),
      onInvite: (invite) => this.#incoming.receive(invite),
      asksElsewhere: true,
      onRequest: (incoming) => this.#answer(incoming, registrar),
      onBroken: (from) => sourceFilter.malformed(from),
      onFault: onError,
      hesitates: () => this.#hesitates(),
    })
    sourceFilter.expect(expectedBy(agent, authenticator))
    const trunks = new Trunks({
      clock,
      store,
      vault,
      resolver,
      onError,
      ua: agent,
      ...(options.trunkHolding && { holding: options.trunkHolding }),
      ...(options.sharedTrunkCalls && { shared: options.sharedTrunkCalls }),
      ...(options.readTrunksIntervalMs !== undefined && { readIntervalMs: options.readTrunksIntervalMs }),
      onStateChanged: (trunk, state) => options.onTrunkChanged?.(trunk, state),
      ...(options.onTrunkCall && { onCallEnded: options.onTrunkCall }),
    })
    const maker = this.#legMaker(host)
    const elsewhere = (): RemoteDialogs | undefined => this.#elsewhere
    this.#agent = agent
    this.#edge = edge
    this.#trunks = trunks
    this.#incoming = new IncomingCalls({ ...options, authenticator, edge, trunks, legs: this.#legs, maker, elsewhere })
    const bindings = new Bindings({ clock: wallClock, store, transport: transports })
    this.#outgoing = new OutgoingCalls({ agent, transport: transports, bindings, maker, trunks, domain, country })
    this.#resumed = new ResumedCalls({ clock, agent, maker, trunks, onError })
    this.messages = new SipPhoneMessages({ clock, agent, transport: transports, bindings, authenticator, domain, onError })
    this.lamps = new SipBlf({ clock, store, agent, authenticator, place: options.place, onError })
    this.trunkMessages = new TrunkMessages({ clock, country, onError })
  }

  /** Listens when it resolves. No callback is called before `start`. */
  static async open(options: SipTelephonyOptions): Promise<SipTelephony> {
    let telephony: SipTelephony | undefined
    const sockets = await openSockets(options, {
      isTrunk: (address) => telephony !== undefined && telephony.#trunks.holds(address),
      receive: (message, from) => telephony && telephony.#agent.receive(message, from),
      closed: (connection, flow) => telephony && telephony.#connectionClosed(connection, flow),
    })
    telephony = new SipTelephony(options, sockets)
    return telephony
  }

  /** Loads registrations and trunks, and registers with carriers. */
  async start(): Promise<void> {
    const { store, clock } = this.#options
    for (const flow of await store.read.devices.registeredFlows(clock.now())) this.#sourceFilter.phoneIsAt(flow)
    await this.#trunks.start()
  }

  get trunkStates(): TrunkStates {
    return this.#trunks
  }

  /** SIP responses by class. */
  get responses(): ResponseCounts {
    return this.#transports.responses
  }

  /** Dropped SIP messages by reason. */
  get dropped(): Readonly<Record<DropReason, number>> {
    return this.#sourceFilter.dropped
  }

  /** Another node banned it. */
  ban(source: string): void {
    this.#sourceFilter.ban(source)
  }

  readTrunks(): void {
    this.#trunks.changed()
  }

  /** Port of each transport; undefined for those without one. */
  port(kind: TransportKind): number | undefined {
    return this.#transports.port(kind)
  }

  /** A browser phone connected over the web server. */
  takeUpgrade(upgrade: TakenUpgrade): void {
    this.#transports.takeUpgrade(upgrade)
  }

  openWebLeg(caller: WebCaller, input: WebLegRequest): WebFarEnd {
    return new WebLeg({ audio: this.#audio, caller, ...input, onFailure: this.#options.onError })
  }

  openBrowserLeg(notified: PageCall, offer?: string): BrowserFarEnd {
    const { clock, webrtc: gateway, mayReach, onError: onFailure } = this.#options
    const session = new WebRtcMediaSession({ gateway, codecs: deviceCodecs, mayReach })
    return new BrowserLeg({ clock, audio: new LegAudio(this.#audio, session), told: notified, offer, onFailure })
  }

  expectBrowsers(): void {
    this.#options.webrtc.start()
  }

  #legMaker(host: OwnHost): LegMaker {
    const parts = { transport: this.#transports, host, audio: this.#audio, legs: this.#legs, bring: () => this.#bring }
    return new LegMaker({ publicIp: () => undefined, ...this.#options, ...parts })
  }

  get #bring(): BringLeg | undefined {
    const elsewhere = this.#elsewhere
    return elsewhere && (async (dialog) => ((await elsewhere.bring(dialog)) ? this.legOf(dialog) : undefined))
  }

  onIncoming(take: (call: IncomingCall) => void): void {
    this.#incoming.onIncoming(take)
  }

  /** Phones may name dialogs of other nodes in Replaces and Refer-To. */
  join(elsewhere: RemoteDialogs): void {
    this.#elsewhere = elsewhere
  }

  /** The leg of this dialog. */
  legOf({ callId, toTag, fromTag }: DialogName): Leg | undefined {
    return this.#legs.of(this.#agent.session(callId, toTag, fromTag))
  }

  async dial(target: DialTarget, dial: Dial): Promise<Leg[]> {
    const legs = await this.#outgoing.dial(target, dial)
    return legs.length > 0 || target.kind !== 'device' ? legs : ((await this.#others?.dial(target, dial)) ?? legs)
  }

  /** Also rings these for devices without a registration. */
  alsoRing(others: OtherPhones): void {
    this.#others = others
  }

  get faxMissing(): string | undefined {
    return this.#options.fax.missing
  }

  dialFax(target: DialTarget, dial: Dial): Promise<FaxLeg[]> {
    return this.#outgoing.dialFax(target, dial)
  }

  async reaches(accountId: string, deviceId: string): Promise<boolean> {
    return (await this.#outgoing.reaches(accountId, deviceId)) || ((await this.#others?.reaches(accountId, deviceId)) ?? false)
  }

  bridge(): Bridge {
    return new RoomBridge(this.#audio)
  }

  resume(saved: readonly SavedDialog[], options?: ResumeOptions): Promise<Resumed[]> {
    return this.#resumed.resume(saved, options)
  }

  async sayBye(saved: SavedDialog): Promise<void> {
    const { trunkId, ...trace } = saved as unknown as SavedLeg
    const digest = trunkId === undefined ? undefined : this.#trunks.get(trunkId)?.digest
    await this.#agent.endLost(trace, { digest, headers: [['Reason', reasonOf('failed')]] })
  }

  trunkHealth(trunkId: string): TrunkHealth {
    return this.#trunks.health(trunkId)
  }

  /** While `doubt` is pending, this node does not know which calls it still owns: it sends no messages to phones. */
  hesitate(doubt: () => Promise<unknown> | undefined): void {
    this.#hesitates = doubt
  }

  /** No audio is sent later than `ms` from now, until the next call. */
  permit(ms: number): void {
    this.#audio.media.permit(ms)
  }

  /** Tells proxies whether we take new calls; another part decides whether one that comes nevertheless is accepted. */
  drain(value = true): void {
    this.#draining = value
  }

  /** Ends the remaining calls, deregisters at carriers and closes all sockets. */
  async close(): Promise<void> {
    this.#draining = true
    await this.#trunks.close()
    await this.#agent.close(AbortSignal.timeout(goodbyeMs))
    await this.lamps.idle()
    this.#resolver.close()
    await this.#transports.close()
  }

  #connectionClosed(connection: number, flow: Flow): void {
    this.#agent.connectionClosed(connection)
    this.#trunks.connectionClosed(flow)
  }

  #answer(incoming: IncomingRequest, registrar: Registrar): void {
    const { method } = incoming.request
    if (method === 'REGISTER') void registrar.answer(incoming)
    else if (method === 'MESSAGE') void this.#answerMessage(incoming)
    else if (method === 'SUBSCRIBE') void this.lamps.answer(incoming)
    else this.#answerOptions(incoming)
  }

  #answerMessage(incoming: IncomingRequest): Promise<void> {
    const trunk = trunkOf(this.#trunks, this.#edge, incoming)
    return trunk ? this.trunkMessages.answer(incoming, trunk) : this.messages.answer(incoming)
  }

  #answerOptions(incoming: IncomingRequest): void {
    const wait = this.#draining ? '60' : this.#options.isUnwell?.() ? '5' : undefined
    if (wait !== undefined) incoming.respond(503, { headers: [['Retry-After', wait]] })
    else incoming.respond(200, { headers: [allowEvents] })
  }
}
