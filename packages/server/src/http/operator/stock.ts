import type { operatorStockOperations } from '@offhook/contract/operator/stock.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { addToStock, type Refused } from '#core/account/numbers/number-stock.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { StockNumber } from '#core/kernel/ports/store/number.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorStockHandlers = ({
  store,
  clock,
  installation,
}: Pick<HandlerDeps, 'store' | 'clock' | 'installation'>): Handlers<typeof operatorStockOperations> => ({
  readStock: async ({ query: { after = '', limit = 50, ...which } }) => {
    const now = clock.now()
    const found = await store.read.numberStock.page({ after, limit, ...which })
    return { items: found.map((number) => toElement(number, now)) }
  },

  addStock: async ({ caller, body: { numbers, price = 0 }, effectId }) => {
    const note = ({ added }: { added: number }) => ({ chain: 'operator', action: 'stock.add', target: effectId, detail: { added, price } })
    return auditedWrite(store, clock, caller, note, async (tables) => {
      const refused: Refused[] = []
      for (const [at, written] of numbers.entries()) {
        const reason = await addToStock(tables, clock, installation.country, { id: `${effectId}-${at}`, written, price })
        if (reason) refused.push({ number: written, reason })
      }
      return { added: numbers.length - refused.length, refused }
    })
  },

  removeStock: async ({ caller, params: { stockId } }) => {
    await auditedWrite(store, clock, caller, { chain: 'operator', action: 'stock.remove', target: stockId }, async (tables) => {
      if (!(await tables.numberStock.remove(stockId))) throw new Problem('number_not_found')
    })
  },
})

const toElement = ({ id, e164, country, area, price, numberId, freeFrom }: StockNumber, now: number) => ({
  id,
  number: e164,
  country,
  area,
  price,
  ...(numberId !== undefined && { numberId }),
  ...(numberId === undefined && freeFrom > now && { restsUntil: new Date(freeFrom).toISOString() }),
})
