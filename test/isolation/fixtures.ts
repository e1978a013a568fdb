import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Person, World } from '../support/world.ts'

/** An account with one of everything, owned by its administrator where it has an owner. */
export interface FullAccount {
  ada: Person
  /** The id of each thing, under the name that path parameters use for it. */
  ids: Record<string, string>
}

const first = <T>(items: T[]): T => {
  const [item] = items
  assert.ok(item !== undefined, 'the fixture is incomplete')
  return item
}

/** Names carry MARKERA when the account may see them, PRIVATEADA when only their owner may. */
export const fillAccount = async (world: World): Promise<FullAccount> => {
  const operator = await world.operator()
  const ada = await world.newAccount('MARKERA Ltd')
  const { api, accountId, userId } = ada
  const clock = world.clock.now()
  await operator.bookAccountFeature({ accountId, feature: 'SVCIO' })
  await operator.topUpBalance({ accountId }, { amount: 1_000_000, reason: 'test', idempotencyKey: 'fixture' })
  const address = await operator.createAddress({}, {
    accountId,
    countrycode: 'DE',
    postcode: '10115',
    city: 'Berlin',
    street: 'MARKERA',
    number: '1',
  })
  void address
  const addressId = first((await api.listAddresses()).items).id
  await operator.assignNumber({}, { accountId, number: '+493023125001', addressId })
  const device = await api.createRegisterDevice({ userId }, { alias: 'PRIVATEADA desk' })
  const external = await api.createExternalDevice({ userId }, { alias: 'PRIVATEADA door', number: '+493023125002' })
  const mobile = await api.createMobileDevice({ userId }, { alias: 'PRIVATEADA cell' })
  const phonelineId = first((await api.listPhonelines({ userId })).items).id
  const voicemailId = first((await api.listPhonelineVoicemails({ userId, phonelineId })).items).id
  const faxlineId = first((await api.listFaxlines({ userId })).items).id
  const smsId = first((await api.listSms({ userId })).items).id
  void [device, external, mobile, voicemailId, faxlineId, smsId, clock]
  return { ada, ids: { userId, accountId } }
}

/** The text of the newest mail that the service wrote. */
export const newestMail = async (world: World): Promise<string> => {
  await world.running.idle()
  const folder = join(world.data, 'mail')
  return readFile(join(folder, first((await readdir(folder)).toSorted().toReversed())), 'utf8')
}
