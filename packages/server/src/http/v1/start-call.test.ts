import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { connected, customer, euro, holds, landline, mobile, pay, register } from '#test/world/test-orders.ts'
import { databases, type Person, type World } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: validates caller, callee and device of an originated call`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    const bob = await world.newUser(ada.accountId)
    const eve = await customer(world)
    const [phoneline] = await world.running.deps.store.read.phonelines.list(ada.accountId, ada.userId)
    const bobs = await world.write((tables) => register(world, bob, tables))
    const external = await world.write((tables) =>
      tables.devices.insert(ada.accountId, { owner: ada.userId, alias: 'Home', type: 'EXTERNAL', number: mobile, at: 0 }),
    )
    await world.write((tables) =>
      tables.numbers.insert(ada.accountId, {
        id: randomUUID(),
        short: '44',
        type: 'QUICKDIAL',
        state: 'ACTIVE',
        endpointId: phoneline!.id,
        createdAt: 0,
      }),
    )
    const spent = async (person: Person, input: { caller: string; callee: string; deviceId?: string; callerId?: string }) => {
      await world.clock.advance(1000)
      const before = (await holds(world, ada.accountId)).reserved ?? 0
      const { sessionId } = await person.api.startCall({}, input)
      assert.equal(orders.calls.at(-1)?.sessionId, sessionId)
      return ((await holds(world, ada.accountId)).reserved ?? 0) - before
    }
    assert.equal(await spent(ada, { caller: ada.device, callee: landline }), 190)
    assert.deepEqual(orders.calls.at(-1)?.callee, { kind: 'number', e164: landline })
    assert.equal(await spent(ada, { caller: phoneline!.id, callee: '0211 63554444' }), 190, 'a national number from a phone line')
    assert.equal(await spent(ada, { caller: bobs, callee: landline }), 190, 'an administrator uses any device')
    assert.equal(await spent(ada, { caller: ada.device, callee: '44*' }), 0)
    assert.deepEqual(orders.calls.at(-1)?.callee, { kind: 'extension', id: phoneline!.id })
    assert.equal(await spent(ada, { caller: ada.device, callee: bobs }), 0)
    assert.equal(await spent(ada, { caller: ada.device, callee: ada.number }), 0, 'an own number')
    assert.equal(await spent(ada, { caller: ada.device, callee: eve.number }), 0, 'the number of another account is on the same net')
    assert.equal(await spent(ada, { caller: external, callee: landline }), 990 + 190, 'both legs leave the account')
    assert.equal(await spent(ada, { caller: ada.device, callee: external }), 990)
    assert.equal(await spent(ada, { caller: mobile, callee: landline, deviceId: ada.device }), 990 + 190)
    assert.equal(await spent(ada, { caller: ada.device, callee: landline, callerId: ada.number.replace('+49', '0') }), 190)
    assert.equal(orders.calls.at(-1)?.callerId, ada.number)
    assert.equal(await spent(bob, { caller: bobs, callee: '0800 1234567' }), 0)
    assert.equal(await spent(bob, { caller: bobs, callee: ' 50000 ' }), 0, 'the own messages')
    assert.deepEqual(orders.calls.at(-1)?.callee, { kind: 'messages' })

    const { length } = orders.calls
    const code = (person: Person, input: { caller: string; callee: string; deviceId?: string; callerId?: string }, names?: string) =>
      person.api.startCall({}, input).then(
        () => 'accepted',
        ({ status, body }: { status: number; body: { code: string; message: string } }) => {
          if (names !== undefined) assert.match(body.message, new RegExp(`\\b${names}\\b`))
          return `${status} ${body.code}`
        },
      )
    assert.equal(await code(ada, { caller: ada.device, callee: 'nobody' }, 'callee'), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: '+49211' }, 'callee'), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: '77' }, 'callee'), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: 'e99' }, 'callee'), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: ada.device }, 'callee'), '400 callee_invalid', 'nobody calls himself')
    assert.equal(await code(ada, { caller: mobile, callee: mobile, deviceId: ada.device }, 'callee'), '400 callee_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: 'f0' }, 'callee'), '400 callee_invalid')
    assert.equal(await code(ada, { caller: 'e99', callee: landline }, 'caller'), '400 caller_invalid')
    assert.equal(await code(ada, { caller: 'p99', callee: landline }, 'caller'), '400 caller_invalid')
    assert.equal(await code(ada, { caller: 'me', callee: landline }, 'caller'), '400 caller_invalid')
    assert.equal(await code(ada, { caller: mobile, callee: landline }, 'deviceId'), '400 device_id_missing')
    assert.equal(
      await code(ada, { caller: mobile, callee: 'nobody', deviceId: 'e99' }),
      '400 callee_invalid',
      'what is wrong comes before what is missing',
    )
    assert.equal(await code(ada, { caller: mobile, callee: landline, deviceId: 'e99' }, 'deviceId'), '404 device_not_found')
    assert.equal(await code(bob, { caller: ada.device, callee: landline }, 'caller or deviceId'), '403 call_not_allowed')
    assert.equal(await code(bob, { caller: phoneline!.id, callee: landline }, 'caller or deviceId'), '403 call_not_allowed')
    assert.equal(await code(bob, { caller: mobile, callee: landline, deviceId: ada.device }, 'caller or deviceId'), '403 call_not_allowed')
    assert.equal(await code(ada, { caller: ada.device, callee: landline, callerId: 'x' }, 'callerId'), '400 number_invalid')
    assert.equal(await code(ada, { caller: ada.device, callee: landline, callerId: eve.number }, 'callerId'), '403 caller_id_not_owned')
    for (const callerId of ['+49 211 555;ext=1', 'anonymous', 'sip:+492115550001@example.com', '٠٢١١٥٥٥', ada.device])
      assert.equal(await code(ada, { caller: ada.device, callee: landline, callerId }, 'callerId'), '400 number_invalid')
    assert.equal(await code(ada, { caller: mobile, callee: '50000', deviceId: ada.device }, 'caller'), '403 call_not_allowed')
    assert.equal(await code(ada, { caller: ada.device, callee: '0900 1234567' }, 'callee'), '403 destination_blocked')
    assert.equal(await code(ada, { caller: '+499001234567', callee: landline, deviceId: ada.device }, 'caller'), '403 destination_blocked')
    assert.equal(await code(ada, { caller: ada.device, callee: '+88213300000' }, 'callee'), '403 destination_blocked')
    assert.equal(orders.calls.length, length, 'the line was never asked')
    assert.deepEqual(orders.calls[0]?.paidLegs, ['callee'])
    assert.deepEqual(orders.calls.find(({ caller }) => caller.kind === 'number')?.paidLegs, ['caller', 'callee'])
  })

  test(`${database}: checks the balance and emergency numbers of a call`, async (t) => {
    const { world, orders } = await connected(t, database)
    const poor = await customer(world, 189)
    await assert.rejects(poor.api.startCall({}, { caller: poor.device, callee: landline }), { status: 402 })
    assert.deepEqual(await holds(world, poor.accountId), { amount: 189, reserved: 0 })
    await world.write((tables) => pay(world, poor.accountId, 1, tables))
    const bothLegs = { caller: landline, callee: '+4921163554445', deviceId: poor.device }
    await assert.rejects(poor.api.startCall({}, bothLegs), { status: 402 }, 'enough for one of two')
    await poor.api.startCall({}, { caller: poor.device, callee: landline })
    assert.deepEqual(await poor.api.getBalance(), { amount: 0, currency: 'EUR' })
    await assert.rejects(poor.api.startCall({}, { caller: poor.device, callee: landline }), { status: 402 })

    const broke = await customer(world, 0)
    await broke.api.startCall({}, { caller: broke.device, callee: '110' })
    await broke.api.startCall({}, { caller: broke.device, callee: '+49112' })
    assert.deepEqual(orders.calls.at(-1)?.callee, { kind: 'emergency', dialled: '+49112' })
    await broke.api.startCall({}, { caller: broke.device, callee: '112', callerId: 'not a number' })
    assert.equal(orders.calls.at(-1)?.callerId, undefined, 'what the rescue services see is not chosen')
    await world.clock.advance(1000)
    await broke.api.startCall({}, { caller: broke.device, callee: poor.number })
    await broke.api.startCall({}, { caller: broke.device, callee: broke.number })
    await world.clock.advance(1000)
    await broke.api.startCall({}, { caller: broke.device, callee: '116 117' })
    assert.deepEqual([orders.calls.at(-1)?.callee, orders.calls.at(-1)?.paidLegs], [{ kind: 'short', digits: '116117' }, ['callee']])
    await assert.rejects(broke.api.startCall({}, { caller: broke.device, callee: '115' }), { status: 403 }, 'it has no price')
    const disguise = { caller: mobile, callee: '112', deviceId: broke.device }
    await assert.rejects(broke.api.startCall({}, disguise), { status: 403 }, 'no free call to another number in the name of an emergency')
  })

  test(`${database}: originates once per Idempotency-Key`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    const input = { caller: ada.device, callee: landline }
    const first = await ada.api.startCall({}, input, { idempotencyKey: 'k1' })
    const again = await ada.api.startCall({}, input, { idempotencyKey: 'k1' })
    assert.deepEqual(again, first)
    assert.equal(orders.calls.length, 1)
    assert.equal((await holds(world, ada.accountId)).reserved, 190)
    await assert.rejects(ada.api.startCall({}, { ...input, callee: mobile }, { idempotencyKey: 'k1' }), { status: 422 })
    const other = await ada.api.startCall({}, input, { idempotencyKey: 'k2' })
    await assert.rejects(ada.api.startCall({}, input, { idempotencyKey: 'k3' }), { status: 429 }, 'two per second')
    assert.notEqual(other.sessionId, first.sessionId)
    await world.clock.jump(24 * 60 * 60 * 1000 - 1)
    assert.deepEqual(await ada.api.startCall({}, input, { idempotencyKey: 'k1' }), first)
    await world.clock.advance(1)
    const fresh = await ada.api.startCall({}, input, { idempotencyKey: 'k1' })
    assert.notEqual(fresh.sessionId, first.sessionId, 'after a day the key is free')
    assert.equal(orders.calls.length, 3)

    await world.clock.advance(1000)
    const racing = await Promise.allSettled(Array.from({ length: 10 }, () => ada.api.startCall({}, input, { idempotencyKey: 'race' })))
    const sessions = racing.flatMap((one) => (one.status === 'fulfilled' ? one.value.sessionId : []))
    assert.deepEqual([new Set(sessions).size, orders.calls.length], [1, 4])
    for (const one of racing) if (one.status === 'rejected') assert.equal((one.reason as { status: number }).status, 409)

    const [arrived, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    orders.startCall = () => (arrived.resolve(), resume.promise)
    await world.clock.advance(1000)
    const running = ada.api.startCall({}, input, { idempotencyKey: 'k4' })
    await arrived.promise
    await assert.rejects(ada.api.startCall({}, input, { idempotencyKey: 'k4' }), { status: 409 })
    resume.resolve()
    await running
  })

  test(`${database}: rejects users who may not start calls`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    const token = await world.write((tables) =>
      issueToken(tables, world.clock, { kind: 'session', holder: ada, subject: ada.userId, scopes: ['devices:read'] }),
    )
    const refused = (client: ReturnType<World['client']>, status: number) =>
      assert.rejects(client.startCall({}, { caller: ada.device, callee: landline }), { status })
    await refused(world.client(), 401)
    await refused(world.client(token), 403)
    assert.deepEqual(orders.calls, [])
  })

  test(`${database}: releases the reservation of a session that never ends`, async (t) => {
    const { world } = await connected(t, database)
    const ada = await customer(world)
    await ada.api.startCall({}, { caller: ada.device, callee: landline })
    assert.equal((await holds(world, ada.accountId)).reserved, 190)
    await world.clock.advance(4 * 60_000)
    assert.equal((await holds(world, ada.accountId)).reserved, 190)
    await world.clock.advance(2 * 60_000)
    assert.deepEqual(await holds(world, ada.accountId), { amount: 5 * euro, reserved: 0 })
  })
}
