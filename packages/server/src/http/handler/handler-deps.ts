import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { ClusterCalls } from '#core/telephone/call/cluster/cluster-calls.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import type { FaxLinks } from '#core/messages/fax/papers/fax-links.ts'
import type { SoftphoneLinks } from '#core/account/devices/softphone-links.ts'
import type { RetentionLimits } from '#core/account/retention/retention.ts'
import type { Authenticator } from '#core/account/identity/tokens/authenticate.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import type { StorageWatch } from '#core/operate/nodes/storage-watch.ts'
import type { Presence } from '#core/operate/nodes/presence.ts'
import type { CleanUps, ExportArchives, PasskeyProofs, Passwords, PersonalData } from '#core/kernel/ports/account.ts'
import type { Agent, EndpointTrials } from '#core/kernel/ports/assistant.ts'
import type { CertificateExpiry } from '#core/kernel/network/certificate.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { FaxFiles, SmsRouteView } from '#core/kernel/ports/messages.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { Orders, TrunkStates } from '#core/kernel/ports/calls.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { TestRunner } from '#core/assistant/test-runs/test-runner.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { SignOn } from '#core/kernel/ports/sign-on.ts'
import type { PushKey } from '#core/telephone/push/push-key.ts'
import type { PhonePages } from '#core/kernel/ports/browser.ts'
import type { BrowserPhones } from '#core/telephone/phones/browser-phones.ts'
import type { CallNotices } from '#core/telephone/phones/call-notices.ts'
import type { PhoneTickets } from '#core/telephone/phones/phone-tickets.ts'
import type { RecordingLinks } from '#core/telephone/recordings/recording-links.ts'
import type { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import type { GatewayCallbacks } from '#core/messages/sms/receiving/gateway-callbacks.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import type { Log } from '#log/log-events.ts'
import type { Talks } from '#core/telephone/talks/talks.ts'

/** Dependencies of all handlers; each takes what it needs. Built once in `wiring/rest-deps.ts`. */
export interface HandlerDeps {
  log: Log
  store: Store
  storage: StorageWatch
  clock: Clock
  /** Real time, for phones: never shifted in a sandbox. */
  wallClock: Clock
  /** Undefined unless this installation is a sandbox. */
  sandbox: Sandbox | undefined
  /** Clean-up of a removed line, user or account. */
  cleanups: CleanUps
  vault: Vault
  /** Exports and erases everything stored about a person or account. */
  personalData: PersonalData
  passwords: Passwords
  passkeyProofs: PasskeyProofs
  /** Logins at the identity providers of accounts. */
  signOn: SignOn
  outbound: OutboundHttp
  authenticator: Authenticator
  orders: Orders
  /** Running calls of this node and of peer nodes. */
  calls: ClusterCalls
  /** Timelines of running calls. */
  timelines: LiveTimelines
  /** This node in the cluster. */
  presence: Presence
  /** Undefined if tracing is off. */
  tracer: Tracer | undefined
  /** Metrics of this node. */
  measurements: Measurements
  metrics: MetricSources
  /** Expiry dates of this node's certificates. */
  certificates: { expiries: () => CertificateExpiry[] }
  /** Developers' machines that receive the events of flows instead of their endpoints. */
  listeners: Listeners
  /** Sends sample events to endpoints, outside of any call. */
  trials: EndpointTrials
  /** Runs test conversations with endpoints. */
  testRunner: TestRunner
  /** Passages of a flow's documents for a question: up to the limit, best first. */
  lookUp: (flow: { accountId: string; flowId: string }, question: string, limit: number) => Promise<Passage[]>
  /** Runs the built-in assistants. */
  agent: Agent
  /** Calls from browsers and programs. */
  talks: Talks
  /** Open pages of browser phones. */
  phonePages: PhonePages
  /** Opens and holds browser phones. */
  phones: BrowserPhones
  phoneTickets: PhoneTickets
  callNotices: CallNotices
  /** Providers of speech recognition and synthesis that flows can choose. */
  speech: Speech
  trunkStates: TrunkStates
  /** Its public key proves to customers that a notification is ours. */
  pushKey: PushKey
  recordingFiles: RecordingFiles
  recordingLinks: RecordingLinks
  faxFiles: FaxFiles
  faxLinks: FaxLinks
  softphoneLinks: SoftphoneLinks
  exportArchives: ExportArchives
  /** Sends verification codes. */
  sms: Pick<SmsParts, 'routes' | 'serviceSender'>
  /** State of the routes to other networks. */
  smsRoutes: () => SmsRouteView[]
  /** Receipts and messages from the HTTP gateway, if configured. */
  smsGateway: GatewayCallbacks | undefined
  /** Wakes the workers after an outbox message or job was queued. Without it they find it later. */
  wake: () => void
  installation: Installation
}

/** For logging a person in with a password and a second factor. */
export type LoginDeps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'passkeyProofs' | 'signOn' | 'installation'>

/** Settings of the whole installation. */
export interface Installation {
  /** Without a trailing slash; known once the service listens. */
  publicUrl: () => string
  /** SIP settings for phones. */
  sip: { host: string; port: number; webSocketUrl: () => string }
  /** Addresses for customers' programs, for example smpp://sms.example:2775; empty if OFFHOOK_SMPP is not set. */
  smppAddresses: () => string[]
  carrierCode: string
  country: string
  currency: string
  passwordGrant: boolean
  /** Whether mails are sent; without a mail server they become files. */
  mail: boolean
  /** Maximum retention of data. */
  retention: RetentionLimits
}
