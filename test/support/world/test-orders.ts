import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import type { CallOrder, FaxOrder, Orders, SmsOrder } from '#core/kernel/ports/calls.ts'
import { startWorld, type Database, type Person, type World } from './world.ts'

export const landline = '+4921163554444'
export const mobile = '+4915112345678'
export const euro = 10_000

/** Account that may call: tariff, money; with a device and a number. */
export interface Customer extends Person {
  device: string
  number: string
}

let numbers = 0

export const customer = async (world: World, amount = 5 * euro): Promise<Customer> => {
  const person = await world.newAccount()
  const number = `+492115550${String(++numbers).padStart(4, '0')}`
  const device = await world.write(async (tables) => {
    const tariffId = await openTariff(tables, world.clock, { currency: 'EUR' })
    await tables.accounts.update(person.accountId, { tariffId })
    await pay(world, person.accountId, amount, tables)
    await tables.numbers.insert(person.accountId, { id: randomUUID(), e164: number, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 })
    return register(world, person, tables)
  })
  return { ...person, device, number }
}

type Tables = Parameters<Parameters<World['write']>[0]>[0]

export const pay = async (world: World, accountId: string, amount: number, tables: Tables): Promise<void> => {
  if (amount > 0) await topUp(tables, world.clock, { accountId, amount, reason: 'cash', idempotencyKey: randomUUID(), actor: 'test' })
}

export const register = (world: World, { accountId, userId }: Person, tables: Tables): Promise<string> =>
  tables.devices.insert(accountId, { owner: userId, alias: 'Desk', type: 'REGISTER', at: world.clock.now() })

/** Stands in for the telephone network: accepts and keeps every order. */
export class TestOrders implements Orders {
  readonly calls: CallOrder[] = []
  readonly faxes: FaxOrder[] = []
  readonly messages: SmsOrder[] = []
  async startCall(order: CallOrder): Promise<void> {
    this.calls.push(order)
  }
  async sendFax(order: FaxOrder): Promise<void> {
    this.faxes.push(order)
  }
  async sendSms(order: SmsOrder): Promise<void> {
    this.messages.push(order)
  }
}

export const connected = async (t: TestContext, database: Database): Promise<{ world: World; orders: TestOrders }> => {
  const world = await startWorld(t, { database })
  const orders = new TestOrders()
  world.running.deps.orders = orders
  return { world, orders }
}

export const holds = async (world: World, accountId: string) => {
  const balance = await world.running.deps.store.read.balances.find(accountId)
  return { amount: balance?.amount, reserved: balance?.reserved }
}

let mobiles = 0

/** Gives the user a mobile number and returns it. */
export const routeMobile = async (world: World, person: Person): Promise<string> => {
  const [phoneline] = await world.running.deps.store.read.phonelines.list(person.accountId, person.userId)
  const e164 = `+49157900${String(++mobiles).padStart(5, '0')}`
  await world.write((tables) =>
    tables.numbers.insert(person.accountId, {
      id: randomUUID(),
      e164,
      type: 'MOBILE',
      state: 'ACTIVE',
      endpointId: phoneline!.id,
      createdAt: 0,
    }),
  )
  return e164
}
