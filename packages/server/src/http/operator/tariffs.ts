import type { operatorTariffOperations } from '@offhook/contract/operator/tariffs.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { closeRate, readRate, setRate } from '#core/money/set-rate.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Tariff, TariffRate } from '#core/kernel/ports/store/money.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorTariffHandlers = ({
  store,
  clock,
}: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof operatorTariffOperations> => ({
  listTariffs: async () => ({ items: (await store.read.tariffs.list()).map(toTariff) }),

  createTariff: async ({ caller, body }) => {
    const tariff = { ...body, createdAt: clock.now() }
    const note = { chain: 'operator', action: 'tariff.create', target: tariff.id, detail: body }
    await auditedWrite(store, clock, caller, note, async ({ tariffs }) => {
      if (!(await tariffs.insert(tariff))) throw Problem.field('id', 'is taken by another tariff', 'already_exists')
    })
    return toTariff(tariff)
  },

  readTariff: async ({ params }) => toTariff(await findTariff(store.read, params.tariffId)),

  listRates: async ({ params: { tariffId }, query: { after = 0, limit = 1000, offset = 0, service, past = false } }) => {
    await findTariff(store.read, tariffId)
    const filter = { ...(service !== undefined && { service }), ...(!past && { endingAfter: clock.now() }) }
    const rates = await store.read.tariffs.listRates(tariffId, { after, limit, offset, ...filter })
    return { items: rates.map(toRate) }
  },

  setRate: async ({ caller, params: { tariffId }, body }) => {
    const rate = readRate(body, clock.now())
    const note = (id: number) => ({ chain: 'operator', action: 'rate.set', target: `${tariffId}/${id}`, detail: body })
    const id = await auditedWrite(store, clock, caller, note, async (tables) => {
      await lockTariff(tables, tariffId)
      return setRate(tables, tariffId, rate)
    })
    return toRate({ ...rate, id })
  },

  closeRate: async ({ caller, params: { tariffId, rateId } }) => {
    const note = { chain: 'operator', action: 'rate.close', target: `${tariffId}/${rateId}` }
    await auditedWrite(store, clock, caller, note, async (tables) => {
      await lockTariff(tables, tariffId)
      await closeRate(tables, clock, tariffId, rateId)
    })
  },
})

const findTariff = async (tables: Tables, id: string): Promise<Tariff> => {
  const tariff = await tables.tariffs.find(id)
  if (!tariff) throw new Problem('tariff_not_found')
  return tariff
}

/** Two operators who price the same prefix concurrently would both replace the old rate. */
const lockTariff = async (tables: Tables, id: string): Promise<void> => {
  if (!(await tables.tariffs.lock(id))) throw new Problem('tariff_not_found')
}

const iso = (at: number): string => new Date(at).toISOString()

const toTariff = ({ id, name, currency, createdAt }: Tariff) => ({ id, name, currency, createdAt: iso(createdAt) })

const toRate = ({ validFrom, validUntil, ...rate }: TariffRate) => ({
  ...rate,
  validFrom: iso(validFrom),
  ...(validUntil !== undefined && { validUntil: iso(validUntil) }),
})
