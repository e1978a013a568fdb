import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushExchange } from '#core/kernel/ports/store/push.ts'
import { RisingIds } from '#core/kernel/work/rising-ids.ts'
import { WriteBehind } from '#core/kernel/work/write-behind.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'

const maxResponseLength = 16 * 1024

interface ExchangeLogDeps {
  store: Store
  clock: Clock
  onError: (error: unknown) => void
}

/** Log of requests and replies for accounts that enable it; written in the background, never blocks the call. */
export class ExchangeLog {
  readonly #clock: Clock
  readonly #ids: RisingIds
  readonly #entries: WriteBehind<PushExchange>

  constructor({ store, clock, onError }: ExchangeLogDeps) {
    this.#clock = clock
    this.#ids = new RisingIds(clock)
    const write = (batch: readonly PushExchange[]) => store.write(({ pushExchanges }) => pushExchanges.insert(batch))
    this.#entries = new WriteBehind({ clock, write, onError })
  }

  record(exchange: Omit<PushExchange, 'id' | 'at'>): void {
    const { url } = withoutCredentials(exchange.url)
    // Databases reject U+0000 in text.
    const response = exchange.response.slice(0, maxResponseLength).replaceAll('\0', '\uFFFD')
    this.#entries.put({ ...exchange, id: this.#ids.next(), at: this.#clock.now(), url, response })
  }

  /** Resolves when all entries so far are written or have failed. */
  flush(): Promise<void> {
    return this.#entries.flush()
  }

  close(): Promise<void> {
    return this.#entries.close()
  }
}

const hour = 60 * 60 * 1000
const retentionMs = 7 * 24 * hour
/** Maximum per account. */
const keptExchanges = 200

export const exchangeSweep: Recurring = {
  kind: 'push.sweep',
  intervalMs: hour,
  run: ({ pushExchanges }, now) => pushExchanges.sweep(now - retentionMs, keptExchanges),
}

/** Moves credentials from the URL to an HTTP Basic header: they must not appear in logs, and the outbound client rejects them. */
export const withoutCredentials = (address: string): { url: string; headers: Record<string, string> } => {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url: address, headers: {} }
  url.username = ''
  url.password = ''
  const plain = `${decoded(username)}:${decoded(password)}`
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(plain).toString('base64')}` } }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % is literal
  }
}
