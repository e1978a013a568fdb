import type { Calls } from '../core/call/calls.ts'
import type { Listeners } from '../core/delivery/listeners.ts'
import type { FaxLinks } from '../core/fax/fax-links.ts'
import type { SoftphoneLinks } from '../core/devices/softphone-links.ts'
import type { Authenticator } from '../core/identity/authenticate.ts'
import type { Measurements } from '../core/metrics/measurements.ts'
import type { MemoryWatch } from '../core/metrics/memory-watch.ts'
import type { StorageWatch } from '../core/nodes/storage-watch.ts'
import type { Presence } from '../core/nodes/presence.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { EndpointTrials } from '../core/ports/endpoint-trials.ts'
import type { FaxFiles } from '../core/ports/fax-papers.ts'
import type { Line } from '../core/ports/line.ts'
import type { OutboundHttp } from '../core/ports/outbound-http.ts'
import type { PasskeyProofs } from '../core/ports/passkey-proofs.ts'
import type { Passwords } from '../core/ports/passwords.ts'
import type { RecordingFiles } from '../core/ports/recording-files.ts'
import type { SmsRouteView } from '../core/ports/sms-route-states.ts'
import type { Speech } from '../core/ports/speech.ts'
import type { Store } from '../core/ports/store/index.ts'
import type { PushKey } from '../core/push/push-key.ts'
import type { TrunkStates } from '../core/ports/trunk-states.ts'
import type { Vault } from '../core/ports/vault.ts'
import type { RecordingLinks } from '../core/recordings/recording-links.ts'
import type { Sandbox } from '../core/sandbox/sandbox.ts'
import type { GatewayDoor } from '../core/sms/gateway-door.ts'
import type { LiveTimelines } from '../core/timeline/live-timelines.ts'
import type { SmsParts } from '../core/sms/sms-parts.ts'
import type { Talks } from '../core/talks/talks.ts'

/** What handlers may use. Built once in `main.ts`. */
export interface Parts {
  store: Store
  storage: StorageWatch
  clock: Clock
  /** What phones go by: never put forward. */
  wallClock: Clock
  /** Undefined unless this installation is one. */
  sandbox: Sandbox | undefined
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
