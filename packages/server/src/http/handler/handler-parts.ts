import type { Calls } from '#core/telephone/call/state/calls.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import type { FaxLinks } from '#core/messages/fax/papers/fax-links.ts'
import type { SoftphoneLinks } from '#core/account/devices/softphone-links.ts'
import type { Authenticator } from '#core/account/identity/tokens/authenticate.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import type { MemoryWatch } from '#core/operate/metrics/memory-watch.ts'
import type { StorageWatch } from '#core/operate/nodes/storage-watch.ts'
import type { Presence } from '#core/operate/nodes/presence.ts'
import type { CleanUps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { EndpointTrials } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { Line } from '#core/kernel/ports/orders.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { PasskeyProofs } from '#core/kernel/ports/identity/passkey-proofs.ts'
import type { Passwords } from '#core/kernel/ports/identity/passwords.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { SmsRouteView } from '#core/kernel/ports/sms-route-states.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushKey } from '#core/telephone/push/push-key.ts'
import type { TrunkStates } from '#core/kernel/ports/trunk-states.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { RecordingLinks } from '#core/telephone/recordings/recording-links.ts'
import type { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import type { GatewayDoor } from '#core/messages/sms/arriving/gateway-door.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import type { Log } from '#log/log-events.ts'
import type { Talks } from '#core/telephone/talks/talks.ts'

/** All that handlers work with; each takes what it needs of it. Built once in `wiring/rest-parts.ts`. */
export interface HandlerParts {
  log: Log
  store: Store
  storage: StorageWatch
  clock: Clock
  /** What phones go by: never put forward. */
  wallClock: Clock
  /** Undefined unless this installation is one. */
  sandbox: Sandbox | undefined
  /** What else goes when a line, a user or an account does. */
  cleanUps: CleanUps
  vault: Vault
  passwords: Passwords
  passkeyProofs: PasskeyProofs
  outbound: OutboundHttp
  authenticator: Authenticator
  line: Line
  calls: Calls
  /** What happens in them. */
  timelines: LiveTimelines
  /** This process among those of the installation … */
  presence: Presence
  /** … and what it does, counted. */
  measurements: Measurements
  memory: MemoryWatch
  /** Who takes the events of flows instead of their endpoints. */
  listeners: Listeners
  /** Asks endpoints outside of any call. */
  trials: EndpointTrials
  /** Calls from browsers and programs. */
  talks: Talks
  /** What flows could speak and hear with. */
  speech: Speech
  trunkStates: TrunkStates
  /** Its public half proves to customers that a notification is ours. */
  pushKey: PushKey
  recordingFiles: RecordingFiles
  recordingLinks: RecordingLinks
  faxFiles: FaxFiles
  faxLinks: FaxLinks
  softphoneLinks: SoftphoneLinks
  /** With what codes are sent. */
  sms: Pick<SmsParts, 'routes' | 'serviceSender'>
  /** What carries SMS to other networks. */
  smsRoutes: () => SmsRouteView[]
  /** If there is an HTTP gateway: what it tells us. */
  smsGateway: GatewayDoor | undefined
  /** Look at the outbox and the jobs now, because something was just put there. Only makes it sooner, never makes it happen. */
  wake: () => void
  installation: Installation
}

/** To log a person in, with a password and a second factor. */
export type LoginParts = Pick<HandlerParts, 'store' | 'clock' | 'vault' | 'passwords' | 'passkeyProofs' | 'installation'>

/** What is true for the whole installation. */
export interface Installation {
  /** Without a slash at the end; known once the service listens. */
  publicUrl: () => string
  /** What phones are told. */
  sip: { host: string; port: number; webSocketUrl: () => string }
  /** Where customers' programs bind, for example smpp://sms.example:2775; none where there is no such door. */
  smppAddresses: () => string[]
  carrierCode: string
  country: string
  currency: string
  passwordGrant: boolean
}
