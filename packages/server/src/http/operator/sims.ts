import type { operatorSimOperations, SimCard as SimCardElement } from '@offhook/contract/operator/sims.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import type { SimCard, SimOrder } from '#core/kernel/ports/store/number.ts'
import { moveOrder } from '#core/account/sims/move-order.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toSimOrderElement } from '../v1/devices/device-sims.ts'

const pageSize = 100

export const operatorSimHandlers = ({
  store,
  clock,
  vault,
}: Pick<HandlerDeps, 'store' | 'clock' | 'vault'>): Handlers<typeof operatorSimOperations> => ({
  listSimCards: async ({ query: { state, after = '', limit = pageSize, offset = 0 } }) => {
    const cards = await store.read.sims.listCards({ after, limit, offset, ...(state !== undefined && { state }) })
    return { items: cards.map(toCardElement) }
  },

  addSimCard: async ({ caller, body: { iccid, imsi, puk1, puk2, accountId } }) => {
    const holder = accountId === undefined ? undefined : { accountId }
    const card = { iccid, imsi, puk1Sealed: vault.seal(puk1), puk2Sealed: vault.seal(puk2), holder }
    const note = { chain: accountId ?? 'operator', action: 'sim.add', target: iccid }
    await auditedWrite(store, clock, caller, note, async (tables) => {
      if (accountId !== undefined && !(await tables.accounts.find(accountId))) throw new Problem('account_not_found')
      if (!(await tables.sims.addCard(card))) throw new Problem('already_exists', 'A SIM card with this iccid or imsi is already known.')
    })
    return toCardElement({ ...card, state: 'STOCK' })
  },

  listAllSimOrders: async ({ query: { limit = pageSize, ...which } }) => {
    const orders = await store.read.sims.listAllOrders({ limit, ...which })
    return { items: orders.map(toOrderElement) }
  },

  moveSimOrder: async ({ caller, params: { orderId }, body }) => {
    const note = ({ order, moved }: { order: SimOrder; moved: SimOrder }) => ({
      chain: order.accountId,
      action: `sim_order.${body.event}`,
      target: orderId,
      detail: { from: order.state, to: moved.state },
    })
    const { moved } = await auditedWrite(store, clock, caller, note, async (tables) => {
      const order = await tables.sims.lockOrder(orderId)
      if (!order) throw new Problem('sim_order_not_found')
      return { order, moved: await moveOrder(tables, clock, order, body) }
    })
    return toOrderElement(moved)
  },
})

const toCardElement = ({ iccid, imsi, state, holder }: SimCard): Static<typeof SimCardElement> => ({
  iccid,
  state,
  ...(imsi !== undefined && { imsi }),
  ...holder,
})

const toOrderElement = (order: SimOrder) => ({ accountId: order.accountId, ...toSimOrderElement(order) })
