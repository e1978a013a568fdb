import { randomUUID } from 'node:crypto'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'

/** Account with money, a user with a phone, a mobile number for messages, and a flow that may call. */
export const openRichAccount = async (tables: Tables, clock: VirtualClock) => {
  const tariffId = await openTariff(tables, clock, { currency: 'EUR' })
  const accountId = await createAccount(tables, clock, { company: 'Rich', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
  const input = { email: 'a@example.com', passwordHash: '', firstname: 'A', lastname: 'B', admin: true, locale: 'en_US' } as const
  const userId = await createUser(tables, clock, accountId, input)
  await topUp(tables, clock, { accountId, amount: 100_000_000, reason: 'cash', idempotencyKey: '1', actor: 'test' })
  const [phoneline] = await tables.phonelines.list(accountId, userId)
  const number = {
    id: randomUUID(),
    e164: '+4915790000001',
    type: 'MOBILE',
    state: 'ACTIVE',
    endpointId: phoneline!.id,
    createdAt: 0,
  } as const
  await tables.numbers.insert(accountId, number)
  await tables.accounts.bookFeature(accountId, 'SMS', 0)
  const flowId = randomUUID()
  await tables.flows.insert(accountId, { id: flowId, name: 'Shop', settings: { phoneNumber: '4915790000001' } }, 0)
  const [line] = await tables.smsLines.list(accountId, userId)
  const device = await tables.devices.insert(accountId, { owner: userId, alias: '', type: 'REGISTER', at: 0 })
  const user: UserCaller = { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: 'token-agent1' }
  return { user, device, flowId, smsId: line!.id }
}
