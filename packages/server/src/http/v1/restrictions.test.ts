import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, restrictions, type Operation, type Restriction } from '@offhook/contract'
import { permissions } from '#core/account/identity/caller/permissions.ts'
import { databases, startWorld, type Person } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const refusals = ['forbidden', 'feature_not_booked', 'outbound_not_enabled']

const withPermission = Object.values<Operation>(operations).filter((operation) => operation.permission !== undefined)

for (const database of databases) {
  test(`${database}: returns the caller's permissions by name`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const outsideNumber = await world.newAccount()
    const all = await bob.api.listRestrictions()
    assert.deepEqual(
      all.items.map(({ restriction }) => restriction),
      restrictions,
    )
    assert.ok(all.items.every(({ target }) => target === bob.userId))
    const two = await bob.api.listRestrictions({ userId: ada.userId, restriction: ['CAN_GET_ACCOUNT', 'CAN_GET_DEVICES'] })
    assert.deepEqual(two.items, [
      { restriction: 'CAN_GET_ACCOUNT', value: true, target: ada.userId },
      { restriction: 'CAN_GET_DEVICES', value: false, target: ada.userId },
    ])
    const one = await ada.api.listRestrictions({ userId: bob.userId, restriction: ['CAN_GET_DEVICES'] })
    assert.deepEqual(one.items, [{ restriction: 'CAN_GET_DEVICES', value: true, target: bob.userId }])

    const unknown = await ada.api.listRestrictions({ restriction: ['CAN_GET_ACCOUNT', 'CAN_FLY'] })
    assert.deepEqual(
      unknown.items.map(({ value }) => value),
      [true, false],
      'what we do not have, nobody may do',
    )
    const sms = await ada.api.listRestrictions({ restriction: ['CAN_SEND_SMS', 'CAN_ACCOUNT_SEND_WEB_SMS'] })
    await world.write((tables) => tables.accounts.bookFeature(ada.accountId, 'SMS', world.clock.now()))
    const booked = await ada.api.listRestrictions({ restriction: ['CAN_SEND_SMS', 'CAN_ACCOUNT_SEND_WEB_SMS'] })
    assert.equal(booked.items[0]?.value, true)
    for (const { items } of [sms, booked]) {
      assert.equal(items[0]?.restriction, 'CAN_SEND_SMS')
      assert.equal(items[0]?.value, items[1]?.value, 'an older name of the same')
    }
    await assert.rejects(
      ada.api.listRestrictions({ restriction: ['account,balance'] }),
      withCode('parameter_invalid', 'restriction', 'account'),
    )
    await assert.rejects(ada.api.listRestrictions({ userId: 'w99' }), { status: 404 })
    await assert.rejects(outsideNumber.api.listRestrictions({ userId: bob.userId }), { status: 404 })
    await assert.rejects(world.client().listRestrictions(), { status: 401 })

    const svcio = async () => (await ada.api.listRestrictions({ restriction: ['CAN_USE_PUSH_API'] })).items[0]?.value
    assert.equal(await svcio(), false)
    await world.write((tables) => tables.accounts.bookFeature(ada.accountId, 'SVCIO', world.clock.now()))
    assert.equal(await svcio(), true)
  })
}

test('reads lists of names however clients write them', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const [one, two] = ['CAN_GET_ACCOUNT', 'CAN_GET_DEVICES']
  const queries = [
    `restriction=${one}&restriction=${two}`,
    `restriction[]=${one}&restriction[]=${two}`,
    `restriction%5B0%5D=${one}&restriction%5B1%5D=${two}`,
    `restriction=${one},${two}`,
    `restriction=${one}&restriction[]=${two}`,
  ]
  for (const query of queries) {
    const reply = await fetch(`${world.url}/v1/restrictions?${query}`, { headers: { authorization: `Bearer ${ada.token}` } })
    const { items } = (await reply.json()) as { items: { restriction: string }[] }
    const names = items.map(({ restriction }) => restriction)
    assert.deepEqual(names, [one, two], query)
  }
})

test('agrees with the actual answer of every operation: administrator, self, sibling; all features and none', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const carol = await world.newUser(ada.accountId)
  const { accountId } = ada
  assert.ok(withPermission.length > 20)

  const agree = async (operation: Operation, caller: Person, target: Person): Promise<void> => {
    const restriction = operation.permission as Restriction
    const { items } = await caller.api.listRestrictions({ userId: target.userId, restriction: [restriction] })
    const path = operation.path.replace('{userId}', target.userId).replaceAll(/\{\w+\}/g, 'nonsense')
    const harmless = operation.id === 'deactivateUser' ? '?numbersTo=w99' : '' // an invalid heir, because a deactivated user could not continue
    const reply = await fetch(world.url + path + harmless, {
      method: operation.method,
      headers: { authorization: `Bearer ${caller.token}` },
    })
    const code = reply.status === 403 ? ((await reply.json()) as { code: string }).code : ''
    const allowed = !refusals.includes(code)
    assert.equal(items[0]?.value, allowed, `${operation.id} as ${caller.userId} for ${target.userId}: ${reply.status} ${code}`)
    assert.notEqual(reply.status, 401, operation.id)
  }

  const round = async (): Promise<void> => {
    for (const operation of withPermission) {
      const pairs = operation.path.includes('{userId}')
        ? ([
            [ada, bob],
            [bob, bob],
            [bob, carol],
          ] as const)
        : ([
            [ada, ada],
            [bob, bob],
          ] as const)
      for (const [caller, target] of pairs) await agree(operation, caller, target)
    }
  }

  const features = [...new Set(Object.values(permissions).flatMap(({ feature }) => feature ?? []))]
  await world.write(async ({ accounts }) => {
    for (const feature of features) await accounts.cancelFeature(accountId, feature)
  })
  await round()
  await world.write(async ({ accounts }) => {
    for (const feature of features) await accounts.bookFeature(accountId, feature, 0)
    await accounts.reviewOutbound(accountId, { enabled: true, reviewer: 'x', reason: 'y', at: 0 })
  })
  await round()
})
