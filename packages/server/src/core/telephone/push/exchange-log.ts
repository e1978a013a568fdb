import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushExchange } from '#core/kernel/ports/store/push/push-exchanges.ts'
import { RisingIds } from '#core/kernel/work/rising-ids.ts'
import { WriteBehind } from '#core/kernel/work/write-behind.ts'
import { withoutCredentials } from './web-credentials.ts'

const maxResponseLength = 16 * 1024

export interface ExchangeLogDeps {
  store: Store
  clock: Clock
  onError: (error: unknown) => void
}

/** For accounts that want to see what was asked and answered; written beside the call and never in its way. */
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
    // No database keeps U+0000 in a text.
    const response = exchange.response.slice(0, maxResponseLength).replaceAll('\0', '\uFFFD')
    this.#entries.put({ ...exchange, id: this.#ids.next(), at: this.#clock.now(), url, response })
  }

  /** Everything until now is written, or could not be. */
  flush(): Promise<void> {
    return this.#entries.flush()
  }

  close(): Promise<void> {
    return this.#entries.close()
  }
}
