import { enforceDeadline } from '../addresses/change-address.ts'
import { openExchange } from '../portings/advance.ts'
import { release } from '../portings/donor.ts'
import { expireConsent } from '../portings/optin.ts'
import type { PortingContext } from '../portings/porting-record.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { endMnpRelease } from './change-number.ts'

interface NumberJobDeps {
  store: Store
  context: PortingContext
  /** Called after a job put messages into the outbox. */
  wake: () => void
}

interface OfNumber {
  accountId: string
  numberId: string
}

interface OfPorting {
  portingId: number
}

/** All scheduled jobs about numbers. */
export const numberJobs = ({ store, context, wake }: NumberJobDeps): Record<string, Task> => {
  const ofNumber =
    (work: (tables: Tables, clock: PortingContext['clock'], accountId: string, numberId: string) => Promise<void>): Task =>
    (payload) => {
      const { accountId, numberId } = payload as OfNumber
      return store.write((tables) => work(tables, context.clock, accountId, numberId))
    }
  const ofPorting =
    (work: (tables: Tables, context: PortingContext, portingId: number) => Promise<void>): Task =>
    async (payload) => {
      const { portingId } = payload as OfPorting
      await store.write((tables) => work(tables, context, portingId))
      wake()
    }
  return {
    address_deadline: ofNumber(enforceDeadline),
    mnp_release_end: ofNumber(endMnpRelease),
    porting_optin_expiry: ofPorting(expireConsent),
    porting_exchange: ofPorting(openExchange),
    porting_switch: ofPorting(release),
  }
}
