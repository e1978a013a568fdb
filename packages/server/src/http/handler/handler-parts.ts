import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { ClusterCalls } from '#core/telephone/call/cluster/calls-anywhere.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import type { FaxLinks } from '#core/messages/fax/papers/fax-links.ts'
import type { SoftphoneLinks } from '#core/account/devices/softphone-links.ts'
import type { Authenticator } from '#core/account/identity/tokens/authenticate.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import type { StorageWatch } from '#core/operate/nodes/storage-watch.ts'
import type { Presence } from '#core/operate/nodes/presence.ts'
import type { CleanUps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Agent } from '#core/kernel/ports/assistant/agent.ts'
import type { CertificateExpiry } from '#core/kernel/network/certificate.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { EndpointTrials } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { Orders } from '#core/kernel/ports/orders.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { PasskeyProofs } from '#core/kernel/ports/identity/passkey-proofs.ts'
import type { Passwords } from '#core/kernel/ports/identity/passwords.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { SmsRouteView } from '#core/kernel/ports/sms-route-states.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { TestRunner } from '#core/assistant/test-runs/test-runner.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushKey } from '#core/telephone/push/push-key.ts'
import type { PhonePages } from '#core/kernel/ports/browser/phone-pages.ts'
import type { BrowserPhones } from '#core/telephone/phones/browser-phones.ts'
import type { CallNotices } from '#core/telephone/phones/call-notices.ts'
import type { PhoneTickets } from '#core/telephone/phones/phone-tickets.ts'
import type { TrunkStates } from '#core/kernel/ports/trunk-states.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { RecordingLinks } from '#core/telephone/recordings/recording-links.ts'
import type { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import type { GatewayCallbacks } from '#core/messages/sms/receiving/gateway-callbacks.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import type { Log } from '#log/log-events.ts'
import type { Talks } from '#core/telephone/talks/talks.ts'

/** All that handlers work with; each takes what it needs of it. Built once in `wiring/rest-parts.ts`. */
export interface HandlerDeps {
  log: Log
  store: Store
  storage: StorageWatch
  clock: Clock
  /** The real time, for phones: never put forward in a sandbox. */
  wallClock: Clock
  /** Undefined unless this installation is a sandbox. */
  sandbox: Sandbox | undefined
  /** What is removed with a line, a user or an account. */
  cleanUps: CleanUps
  vault: Vault
  passwords: Passwords
  passkeyProofs: PasskeyProofs
  outbound: OutboundHttp
  authenticator: Authenticator
  orders: Orders
  /** Running calls, of this process and of others. */
  calls: ClusterCalls
  /** What happens in calls. */
  timelines: LiveTimelines
  /** This process among those of the installation. */
  presence: Presence
  /** Undefined: no traces are wanted. */
  tracer: Tracer | undefined
  /** Metrics of this process. */
  measurements: Measurements
  metrics: MetricSources
  /** Until when the certificates of this process are good. */
  certificates: { expiries: () => CertificateExpiry[] }
  /** Developers' machines that take the events of flows instead of their endpoints. */
  listeners: Listeners
  /** Sends sample events to endpoints, outside of any call. */
  trials: EndpointTrials
  /** Holds conversations with endpoints to test them. */
  testRunner: TestRunner
  /** What the documents of a flow say about a question: at most so many passages, the best first. */
  lookUp: (flow: { accountId: string; flowId: string }, question: string, limit: number) => Promise<Passage[]>
  /** Runs the assistants that are written here. */
  agent: Agent
  /** Calls from browsers and programs. */
  talks: Talks
  /** Phones in browsers: where they are open, */
  phonePages: PhonePages
  /** and what opens and holds them. */
  phones: BrowserPhones
  phoneTickets: PhoneTickets
  callNotices: CallNotices
  /** The providers of speech recognition and synthesis that flows can choose. */
  speech: Speech
  trunkStates: TrunkStates
  /** Its public half proves to customers that a notification is ours. */
  pushKey: PushKey
  recordingFiles: RecordingFiles
  recordingLinks: RecordingLinks
  faxFiles: FaxFiles
  faxLinks: FaxLinks
  softphoneLinks: SoftphoneLinks
  /** Sends verification codes. */
  sms: Pick<SmsParts, 'routes' | 'serviceSender'>
  /** The state of the routes to other networks. */
  smsRoutes: () => SmsRouteView[]
  /** Receipts and messages from the HTTP gateway, if there is one. */
  smsGateway: GatewayCallbacks | undefined
  /** Wakes the workers, because something was put into the outbox or the jobs. They would find it anyway, only later. */
  wake: () => void
  installation: Installation
}

/** To log a person in, with a password and a second factor. */
export type LoginDeps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'passkeyProofs' | 'installation'>

/** What is true for the whole installation. */
export interface Installation {
  /** Without a slash at the end; known once the service listens. */
  publicUrl: () => string
  /** What phones are told. */
  sip: { host: string; port: number; webSocketUrl: () => string }
  /** Where customers' programs bind, for example smpp://sms.example:2775; none where OFFHOOK_SMPP is not set. */
  smppAddresses: () => string[]
  carrierCode: string
  country: string
  currency: string
  passwordGrant: boolean
  /** Whether mails leave; without a mail server they become files. */
  mail: boolean
}
