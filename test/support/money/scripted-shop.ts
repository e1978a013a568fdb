import { randomUUID } from 'node:crypto'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { charge } from '#core/money/charge.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import { reserveCall, reserveFax, reserveSms, settleCall, settleFax, settleSms, type SpentBy } from '#core/money/reservations.ts'

/** Customer who pays and spends. */
export const openShop = async (store: Store, clock: Clock, known?: string) => {
  const tariffId = await store.write((tables) => openTariff(tables, clock, { currency: 'EUR' }))
  const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId } as const
  const accountId = known ?? (await store.write((tables) => createAccount(tables, clock, input)))
  const payer = { id: accountId, tariffId, country: 'DE' }
  await store.write(async (tables) => {
    await tables.accounts.update(accountId, { tariffId })
    await tables.limits.set(accountId, { perDay: 10_000_000 })
  })
  return {
    accountId,
    pay: (amount: number) =>
      store.write((tables) => topUp(tables, clock, { accountId, amount, reason: 'cash', idempotencyKey: randomUUID(), actor: 'test' })),
    call: (e164: string, seconds: number, by: SpentBy = {}) =>
      store.write(async (tables) => {
        const sessionId = randomUUID()
        await reserveCall(tables, clock, { payer, sessionId, purpose: 'CALL', destinations: [e164], by })
        await settleCall(tables, clock, { accountId, sessionId, seconds: [seconds] })
      }),
    sms: (e164: string, segments: number, by: SpentBy = {}) =>
      store.write(async (tables) => {
        const sessionId = randomUUID()
        await reserveSms(tables, clock, { payer, sessionId, destination: e164, segments, sendAt: clock.now(), by })
        await settleSms(tables, clock, accountId, sessionId)
      }),
    fax: (e164: string, pages: number) =>
      store.write(async (tables) => {
        const sessionId = randomUUID()
        await reserveFax(tables, clock, { payer, sessionId, destination: e164, pages })
        await settleFax(tables, clock, { accountId, sessionId, seconds: 30 * pages, pages })
      }),
    sim: () =>
      store.write((tables) => charge(tables, clock, { accountId, service: 'SIM', units: 1, sessionId: randomUUID(), reason: 'SIM order' })),
  }
}
