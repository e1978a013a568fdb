import { randomInt } from 'node:crypto'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { SimOrder, SimOrderState } from '#core/kernel/ports/store/number.ts'
import { moveOrder } from '#core/account/sims/move-order.ts'
import type { SimOrderEvent } from '#core/account/sims/move-order.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'

interface WarehouseDeps {
  store: Store
  clock: Clock
  vault: Vault
}

const hour = 3_600_000
const day = 24 * hour
const concurrency = 100

/** Next step of an order in this state, and its delay. */
const steps: readonly { state: SimOrderState; event: SimOrderEvent; afterMs: number }[] = [
  { state: 'SHIPPED', event: 'deliver', afterMs: 2 * day },
  { state: 'PICKED', event: 'ship', afterMs: day },
  { state: 'ORDERED', event: 'pick', afterMs: day },
]

/** Advances SIM orders in a sandbox automatically until delivery. */
export const simWarehouse = (deps: WarehouseDeps): RecurringWork => ({
  kind: 'sandbox.sims',
  intervalMs: 6 * hour,
  work: async () => {
    const { store, clock } = deps
    for (const { state, event, afterMs } of steps) {
      const orders = await store.read.sims.listAllOrders({ limit: concurrency, state })
      for (const { id, updatedAt } of orders)
        if (updatedAt + afterMs <= clock.now()) await store.write((tables) => carryOn(tables, deps, id, { state, event }))
    }
  },
})

const carryOn = async (
  tables: Tables,
  { clock, vault }: WarehouseDeps,
  id: string,
  { state, event }: Pick<(typeof steps)[number], 'state' | 'event'>,
): Promise<void> => {
  const order = await tables.sims.lockOrder(id)
  if (order?.state !== state) return
  const card = event === 'pick' ? { iccid: await freeCard(tables, vault) } : {}
  const moved = await moveOrder(tables, clock, order, { event, ...card })
  await note(tables, clock, order, moved)
}

const note = (tables: Tables, clock: Clock, { accountId, id, state: from }: SimOrder, { state: to }: SimOrder): Promise<void> =>
  tables.audit.append(accountId, { at: clock.now(), actor: 'sandbox', action: 'sim_order.move', target: id, detail: { from, to } })

/** Card from the stock, or a fictitious one. */
const freeCard = async ({ sims }: Tables, vault: Vault): Promise<string> => {
  const [free] = (await sims.listCards({ after: '', limit: concurrency, state: 'STOCK' })).filter(({ holder }) => !holder)
  if (free) return free.iccid
  const iccid = `8949${digits(15)}`
  await sims.addCard({ iccid, imsi: undefined, puk1Sealed: vault.seal(digits(8)), puk2Sealed: vault.seal(digits(8)), holder: undefined })
  return iccid
}

const digits = (count: number): string => Array.from({ length: count }, () => randomInt(10)).join('')
