import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { blame, CannotStart } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import { deliverNotification } from '#core/telephone/push/deliver-notification.ts'
import { ExchangeLog } from '#core/telephone/push/exchange-log.ts'
import { PushClient, type PushClientDeps } from '#core/telephone/push/push-client.ts'
import { PushKey } from '#core/telephone/push/push-key.ts'
import { webhookGuide } from '#core/telephone/push/webhook-guide.ts'
import { secondsBounds } from '#core/operate/metrics/families/table.ts'
import { Histogram, Tally } from '#core/operate/metrics/families/distribution.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { CallGuide } from '#core/kernel/ports/calls.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'

interface PushDeps {
  store: Store
  /** Store for lookups during calls; default: `store`. */
  callStore?: Store
  clock: Clock
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  signing?: PushSigning
  metrics?: MetricSources
  onError: (error: unknown, callId?: string) => void
}

/** Compatibility with receivers that were written for another service. */
export interface PushSigning {
  header: string | undefined
  key: KeyObject | undefined
}

const minModulus = 2_048

export const readPushSigning = async ({
  OFFHOOK_PUSH_SIGNATURE_HEADER: header,
  OFFHOOK_PUSH_KEY: file,
}: Settings): Promise<PushSigning> => {
  if (file === undefined) return { header, key: undefined }
  const pem = await readFile(file, 'utf8').catch(blame(`OFFHOOK_PUSH_KEY (${file})`))
  const key = readKey(pem)
  if (key?.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < minModulus)
    throw new CannotStart(
      `OFFHOOK_PUSH_KEY (${file}) is no private RSA key of at least ${minModulus} bits in PEM, without a passphrase.`,
      undefined,
    )
  return { header, key }
}

const readKey = (pem: string): KeyObject | undefined => {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** Webhooks about calls: notifications to accounts' software, and requests for decisions. */
export interface Push {
  guide: CallGuide
  key: PushKey
  /** For the outbox. */
  deliver: Task
  /** Resolves when every exchange is written to the log. */
  flush(): Promise<void>
  /** Stops deliveries; those in progress are repeated after the next start. */
  stop(): Promise<void>
  close(): Promise<void>
}

export const openPush = ({
  store: direct,
  callStore: store = direct,
  clock,
  wallClock,
  vault,
  outbound,
  signing,
  metrics,
  onError,
}: PushDeps): Push => {
  const key = new PushKey({ store, clock, vault, own: signing?.key })
  const [times, outcomes] = [new Histogram(secondsBounds), new Tally()]
  metrics?.add(() => [
    { name: 'offhook_notification_seconds', value: times },
    ...outcomes.entries.map(([outcome, value]): Sample => ({ name: 'offhook_notification_attempts_total', labels: { outcome }, value })),
  ])
  const onPosted: PushClientDeps['onPosted'] = ({ ms, outcome }) => {
    times.add(ms / 1000)
    outcomes.add(outcome)
  }
  const client = new PushClient({ store, clock, wallClock, vault, outbound, key, signatureHeader: signing?.header, onPosted })
  const log = new ExchangeLog({ store, clock, onError })
  const stop = new AbortController()
  return {
    guide: webhookGuide({ store, client, log, onError }),
    key,
    deliver: deliverNotification({ store, clock, client, log, stopped: stop.signal }),
    flush: () => log.flush(),
    stop: () => Promise.resolve(stop.abort()),
    close: () => log.close(),
  }
}
