import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Trunk } from '#core/kernel/ports/store/operate/trunks.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
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
import type { TrunkCallEnd } from '#core/kernel/ports/trunk-states.ts'
import type { TrunkHolding, TrunkState, TrunkStates } from '#core/kernel/ports/trunk-states.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { BrowserFarEnd, BrowserLegs, PageCall } from '#core/kernel/ports/browser/browser-legs.ts'
import type { WebCaller, WebFarEnd, WebLegs, WebLegRequest } from '#core/kernel/ports/web-legs.ts'
import type { Media } from '#media/engine.ts'
import type { FaxEngine } from '#media/fax/engine.ts'
import type { DigestAlgorithm } from '@offhook/sip/digest/digest.ts'
import type { WebRtcGateway } from '#media/webrtc/webrtc-gateway.ts'
import type { Flow, TransportKind } from '@offhook/sip/transport/transport.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import { DeviceAuthenticator } from './guard/authenticate.ts'
import { Edge } from './guard/edge.ts'
import { RoomBridge } from './leg/bridge.ts'
import { reasonOf } from './leg/causes.ts'
import type { SourceFilter, Expected } from './guard/source-filter.ts'
import { IncomingCalls } from './incoming-calls.ts'
import { BrowserLeg } from './browser/browser-leg.ts'
import { LegAudio, type AudioParts } from './leg/leg-audio.ts'
import { allowEvents } from './phone/lamp-packages.ts'
import { SipBlf } from './phone/lamps.ts'
import type { DialogName, RemoteDialogs } from './leg/dialogs-elsewhere.ts'
import { LegMaker, type BringLeg } from './leg/leg-maker.ts'
import { networks } from './transport/networks.ts'
import { OurLegs } from './leg/our-legs.ts'
import { OutgoingCalls } from './outgoing-calls.ts'
import { SipPhoneMessages } from './message/phone-messages.ts'
import { Bindings } from './phone/bindings.ts'
import { ResumedCalls } from './resumed-calls.ts'
import { Registrar } from './phone/registrar.ts'
import type { Resolver } from './transport/resolver.ts'
import type { RecordingStore } from './leg/record-into.ts'
import type { SavedLeg } from './leg/saved-leg.ts'
import { openSockets, proxiesOf, type Sockets, type SocketsOptions } from './sockets.ts'
import { Sounds } from './leg/sounds.ts'
import type { ResponseCounts } from './transport/response-counts.ts'
import type { Transports } from './transport/transports.ts'
import type { TakenUpgrade } from './transport/ws.ts'
import { TrunkMessages } from './message/trunk-messages.ts'
import { trunkOf } from './trunk/trunk-of.ts'
import type { SharedTrunkCalls } from './trunk/trunk-calls.ts'
import { Trunks } from './trunk/trunks.ts'
import { deviceCodecs } from './sdp/sdp-codecs.ts'
import { WebRtcMediaSession } from './sdp/webrtc-media-session.ts'
import { WebLeg } from './web/web-leg.ts'

export interface SipTelephonyOptions extends SocketsOptions {
  /** For what is in the store or told to others; the other one is never set. */
  wallClock: Clock
  store: Store
  vault: Vault
  media: Media
  webrtc: WebRtcGateway
  fax: FaxEngine
  /** Where phones find this process, also after a restart; no other process of the installation has the same. */
  place: string
  /** How long phones that say again where they are wait for each other to be written at once; 0 by default. */
  refreshWindowMs?: number
  recordings: RecordingStore
  /** The public address as an IP address, for audio, as soon as it is known. */
  publicIp?: () => string | undefined
  /** Whether a customer may make us send something there. */
  mayReach: (address: string, port: number) => boolean
  /** What phones know us by, when that is not the address of this process: sip.example.org. */
  domain?: string | undefined
  /** What phones are challenged with. */
  digest: readonly DigestAlgorithm[]
  /** How carriers' national numbers are read and written. */
  country: string
  /** How often the trunks' table is looked at, in case another process changed it. */
  readTrunksIntervalMs?: number
  /** It could not take a call now: proxies that ask with OPTIONS look for another process. */
  isUnwell?: () => boolean
  /** Counted together with the other processes. */
  sharedTrunkCalls?: SharedTrunkCalls
  /** Which process registers with carriers; this one unless given. */
  trunkHolding?: TrunkHolding
  onTrunkChanged?: (trunk: Trunk, state: TrunkState) => void
  onTrunkCall?: (call: TrunkCallEnd) => void
}

/** What devices log in to; it never changes, because phones keep digests of it. */
const realm = 'offhook'
/** Says nothing about versions. */
const product = 'Offhook'
/** How long peers are waited for that were told goodbye. */
const goodbyeMs = 2_000

const expectedBy = (agent: UserAgent, authenticator: DeviceAuthenticator): Expected => ({
  message: ({ isResponse, branch = '', callId = '', toTag = '' }) => (isResponse ? agent.awaits(branch) : agent.hasDialog(callId, toTag)),
  nonce: (nonce, from) => authenticator.challenged(nonce, from),
})

/** The telephone side over SIP and RTP. */
export class SipTelephony implements Telephony, WebLegs, BrowserLegs {
  /** Texts to and from phones, */
  readonly messages: SipPhoneMessages
  /** and from carriers. */
  readonly trunkMessages: TrunkMessages
  /** What phones show of messages and of each other. */
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

  private constructor(options: SipTelephonyOptions, { transports, sourceFilter, resolver }: Sockets) {
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
      admit: (request, from) => {
        if (request.method === 'OPTIONS') return undefined
        // All but trunks have to authenticate, and trunks do not register.
        const trusted = request.method !== 'REGISTER' && trunkOf(this.#trunks, edge, { request, from })
        return trusted ? undefined : authenticator.admit(request, from)
      },
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
      onSourcesChanged: () => sourceFilter.recheck(),
      onStateChanged: (trunk, state) => options.onTrunkChanged?.(trunk, state),
      ...(options.onTrunkCall && { onCallEnded: options.onTrunkCall }),
    })
    const maker = this.#legMaker()
    const elsewhere = (): RemoteDialogs | undefined => this.#elsewhere
    this.#agent = agent
    this.#edge = edge
    this.#trunks = trunks
    this.#incoming = new IncomingCalls({ authenticator, edge, trunks, legs: this.#legs, maker, country, elsewhere, onError })
    const bindings = new Bindings({ clock: wallClock, store, transport: transports })
    this.#outgoing = new OutgoingCalls({ agent, transport: transports, bindings, maker, trunks, domain, country })
    this.#resumed = new ResumedCalls({ clock, agent, maker, trunks, onError })
    this.messages = new SipPhoneMessages({ clock, agent, transport: transports, bindings, authenticator, domain, onError })
    this.lamps = new SipBlf({ clock, store, agent, authenticator, place: options.place, onError })
    this.trunkMessages = new TrunkMessages({ clock, country, onError })
  }

  /** Listens when it resolves. No callback is made before `start`. */
  static async open(options: SipTelephonyOptions): Promise<SipTelephony> {
    let telephony: SipTelephony | undefined
    const sockets = await openSockets(options, {
      trusts: (address) => telephony !== undefined && telephony.#trunks.holds(address),
      receive: (message, from) => telephony && telephony.#agent.receive(message, from),
      closed: (connection, flow) => telephony && telephony.#connectionClosed(connection, flow),
    })
    telephony = new SipTelephony(options, sockets)
    return telephony
  }

  /** Reads where phones are and the trunks, and registers with carriers. */
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

  /** Another process banned it. */
  ban(source: string): void {
    this.#sourceFilter.ban(source)
  }

  readTrunks(): void {
    this.#trunks.changed()
  }

  /** Where each kind listens; undefined for kinds that do not. */
  port(kind: TransportKind): number | undefined {
    return this.#transports.port(kind)
  }

  /** A phone in a browser came over the web server. */
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

  #legMaker(): LegMaker {
    const parts = { transport: this.#transports, audio: this.#audio, legs: this.#legs, bring: () => this.#bring }
    return new LegMaker({ publicIp: () => undefined, ...this.#options, ...parts })
  }

  get #bring(): BringLeg | undefined {
    const elsewhere = this.#elsewhere
    return elsewhere && (async (dialog) => ((await elsewhere.bring(dialog)) ? this.legOf(dialog) : undefined))
  }

  onIncoming(take: (call: IncomingCall) => void): void {
    this.#incoming.onIncoming(take)
  }

  /** Phones may name dialogs of other processes in Replaces and Refer-To. */
  join(elsewhere: RemoteDialogs): void {
    this.#elsewhere = elsewhere
  }

  /** The leg whose dialog this is. */
  legOf({ callId, toTag, fromTag }: DialogName): Leg | undefined {
    return this.#legs.of(this.#agent.session(callId, toTag, fromTag))
  }

  async dial(target: DialTarget, dial: Dial): Promise<Leg[]> {
    const legs = await this.#outgoing.dial(target, dial)
    return legs.length > 0 || target.kind !== 'device' ? legs : ((await this.#others?.dial(target, dial)) ?? legs)
  }

  /** Devices that are registered nowhere are looked for among these. */
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

  /** While `doubt` is pending, this process does not know which calls are still its own: nothing is said to phones. */
  hesitate(doubt: () => Promise<unknown> | undefined): void {
    this.#hesitates = doubt
    this.#audio.media.hesitate(doubt)
  }

  /** Proxies in front of us are told whether we take new calls; whether one that comes nevertheless is taken is decided elsewhere. */
  drain(value = true): void {
    this.#draining = value
  }

  /** Ends what is left, logs out at carriers and closes all sockets. */
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
