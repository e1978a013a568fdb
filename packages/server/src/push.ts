import { deliverNotice } from './core/push/deliver-notice.ts'
import { ExchangeLog } from './core/push/exchange-log.ts'
import { PushDoor } from './core/push/push-door.ts'
import { PushKey } from './core/push/push-key.ts'
import { webhookGuide } from './core/push/webhook-guide.ts'
import type { CallGuide } from './core/ports/call-guide.ts'
import type { Clock } from './core/ports/clock.ts'
import type { OutboundHttp } from './core/ports/outbound-http.ts'
import type { Store } from './core/ports/store/index.ts'
import type { Vault } from './core/ports/vault.ts'
import type { Task } from './core/work/worker.ts'

export interface PushParts {
  store: Store
  clock: Clock
  wallClock: Clock
  vault: Vault
  outbound: OutboundHttp
  onError: (error: unknown) => void
}

/** What accounts' own software is told about calls, and asked. */
export interface Push {
  guide: CallGuide
  key: PushKey
  /** For the outbox. */
  deliver: Task
  /** What was asked until now stands in the log. */
  flush(): Promise<void>
  /** Nobody is told anything any more; what was under way is told again after the next start. */
  stop(): Promise<void>
  close(): Promise<void>
}

export const openPush = ({ store, clock, wallClock, vault, outbound, onError }: PushParts): Push => {
  const key = new PushKey({ store, clock, vault })
  const door = new PushDoor({ store, clock, wallClock, vault, outbound, key })
  const log = new ExchangeLog({ store, clock, onError })
  const stop = new AbortController()
  return {
    guide: webhookGuide({ store, door, log, onError }),
    key,
    deliver: deliverNotice({ store, clock, door, log, stopped: stop.signal }),
    flush: () => log.flush(),
    stop: () => Promise.resolve(stop.abort()),
    close: () => log.close(),
  }
}
