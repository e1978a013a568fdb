import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const number = (id: string, e164: string, endpointId?: string) => ({
  id,
  e164,
  type: 'LANDLINE' as const,
  state: 'ACTIVE' as const,
  createdAt: 0,
  ...(endpointId !== undefined && { endpointId }),
})
const to = (destination: string, active = true) => ({ destination, timeout: 15, active })

for (const database of databases) {
  test(`${database}: replaces the list of forwardings as a whole, in canonical form`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const mine = { userId: 'w1', phonelineId: 'p1' }
    assert.deepEqual(await bob.api.listForwardings(mine), { items: [] })
    const list = [
      { destination: '0211 123 45 678', timeout: 20, active: true },
      { destination: 'p0', timeout: 0, active: false },
      { destination: 'voicemail', timeout: 120, active: true },
      { destination: 'v0', timeout: 1, active: true },
    ]
    await bob.api.replaceForwardings(mine, { forwardings: list })
    const kept = [{ ...list[0], destination: '+4921112345678' }, ...list.slice(1)]
    assert.deepEqual((await bob.api.listForwardings(mine)).items, kept)
    await assert.rejects(bob.api.replaceForwardings({ userId: 'w0', phonelineId: 'p0' }, { forwardings: [] }), { status: 403 })
    await assert.rejects(ada.api.replaceForwardings({ userId: 'w0', phonelineId: 'p1' }, { forwardings: [] }), { status: 404 })

    const eleven = Array.from({ length: 11 }, () => to('voicemail'))
    await assert.rejects(bob.api.replaceForwardings(mine, { forwardings: eleven }), withCode('parameter_invalid', 'forwardings'))
    await assert.rejects(
      bob.api.replaceForwardings(mine, { forwardings: [{ ...to('p0'), timeout: 121 }] }),
      withCode('parameter_invalid', 'forwardings/0/timeout'),
    )
    await assert.rejects(bob.api.replaceForwardings(mine, { forwardings: [{ ...to('p0'), timeout: -1 }] }), { status: 400 })
    assert.deepEqual((await bob.api.listForwardings(mine)).items, kept, 'a refused list changes nothing')
    await bob.api.replaceForwardings(mine, { forwardings: eleven.slice(1) })
    assert.equal((await bob.api.listForwardings(mine)).items.length, 10)
    const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 10 })
    assert.deepEqual(audit.map(({ actor, action, target }) => [actor, action, target])[0], ['user:w1', 'phoneline.forward', 'p1'])
  })

  test(`${database}: rejects forbidden forwarding destinations`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    await world.newUser(eve.accountId)
    const mine = { userId: 'w0', phonelineId: 'p0' }
    const refused: [string, ErrorCode][] = [
      ['112', 'number_invalid'],
      ['110', 'number_invalid'],
      ['+49 112', 'number_invalid'],
      ['09001234567', 'number_invalid'],
      ['p0', 'forwarding_loop'],
      ['p1', 'parameter_invalid'],
      ['e0', 'parameter_invalid'],
      ['w0', 'parameter_invalid'],
      ['g0', 'parameter_invalid'],
      ['p00', 'parameter_invalid'],
      ['p999999999999999999999', 'parameter_invalid'],
      ['Voicemail', 'number_invalid'],
      ['sip:a@example.com', 'number_invalid'],
      ['12', 'number_invalid'],
    ]
    for (const [destination, code] of refused) {
      const error = withCode(code, 'forwardings/1/destination')
      await assert.rejects(ada.api.replaceForwardings(mine, { forwardings: [to('voicemail'), to(destination)] }), error, destination)
    }
    await assert.rejects(
      ada.api.createParallelForwarding(mine, { alias: 'a', destination: 'voicemail' }),
      withCode('number_invalid', 'destination'),
    )
    await assert.rejects(
      ada.api.createParallelForwarding(mine, { alias: 'a', destination: 'v0' }),
      withCode('parameter_invalid', 'destination'),
    )
    await assert.rejects(
      ada.api.createParallelForwarding(mine, { alias: 'a', destination: '112' }),
      withCode('number_invalid', 'destination'),
    )
  })

  test(`${database}: rejects forwarding loops`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId } = ada
    await world.newUser(accountId)
    await world.newUser(accountId)
    const [p0, p1, p2] = ['0', '1', '2'].map((n) => ({ userId: `w${n}`, phonelineId: `p${n}` })) as [Line, Line, Line]
    await world.write((tables) => tables.numbers.insert(accountId, number('n0', '+4921112345678', 'p0')))
    const set = (line: Line, ...forwardings: ReturnType<typeof to>[]) => ada.api.replaceForwardings(line, { forwardings })

    await assert.rejects(set(p0, to('0211 12345678')), withCode('forwarding_loop', 'forwardings/0/destination'), 'by its own number')
    await assert.rejects(set(p0, to('p0', false)), withCode('forwarding_loop', 'forwardings/0/destination'), 'even switched off')
    await set(p0, to('p1'))
    await set(p1, to('p2'))
    await assert.rejects(set(p2, to('p0')), withCode('forwarding_loop', 'forwardings/0/destination'))
    await assert.rejects(set(p2, to('+4921112345678')), withCode('forwarding_loop', 'forwardings/0/destination'), 'by way of a number')
    await assert.rejects(
      ada.api.createParallelForwarding(p2, { alias: 'a', destination: 'p1' }),
      withCode('forwarding_loop', 'destination'),
    )

    await set(p2, to('p0', false))
    await set(p1, to('p2', false))
    await set(p2, to('p0'))
    await assert.rejects(
      set(p1, to('p2')),
      withCode('forwarding_loop', 'forwardings/0/destination'),
      'switching on is a change like any other',
    )
    await set(p2)
    const { id } = await ada.api.createParallelForwarding(p2, { alias: 'a', destination: 'p0', active: false })
    await set(p1, to('p2'))
    await assert.rejects(
      ada.api.changeParallelForwarding({ ...p2, parallelForwardingId: id }, { active: true }),
      withCode('forwarding_loop', 'destination'),
    )
    assert.equal((await ada.api.getParallelForwarding({ ...p2, parallelForwardingId: id })).active, false)
  })

  test(`${database}: manages parallel forwardings of a line`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const mine = { userId: 'w1', phonelineId: 'p1' }
    const made = await bob.api.createParallelForwarding(mine, { alias: 'Mobile', destination: '0151 12345678' })
    assert.deepEqual(made, { id: made.id, alias: 'Mobile', destination: '+4915112345678', active: true })
    const one = { ...mine, parallelForwardingId: made.id }
    await bob.api.changeParallelForwarding(one, { active: false })
    await bob.api.changeParallelForwarding(one, { alias: 'Cell' })
    assert.deepEqual(await bob.api.getParallelForwarding(one), { ...made, alias: 'Cell', active: false })
    await assert.rejects(ada.api.getParallelForwarding({ userId: 'w0', phonelineId: 'p0', parallelForwardingId: made.id }), { status: 404 })
    await assert.rejects(eve.api.deleteParallelForwarding({ userId: 'w0', phonelineId: 'p0', parallelForwardingId: made.id }), {
      status: 404,
    })
    for (const parallelForwardingId of ['0', 'x', '-1', '1e3', '99999999999999999999'])
      await assert.rejects(bob.api.changeParallelForwarding({ ...mine, parallelForwardingId }, {}), { status: 404 }, parallelForwardingId)
    for (let count = 1; count < 10; count++) await bob.api.createParallelForwarding(mine, { alias: `${count}`, destination: 'p0' })
    await assert.rejects(bob.api.createParallelForwarding(mine, { alias: 'more', destination: 'p0' }), withCode('conflict', '10'))
    await bob.api.deleteParallelForwarding(one)
    await assert.rejects(bob.api.deleteParallelForwarding(one), { status: 404 })
    assert.equal((await bob.api.listParallelForwardings(mine)).items.length, 9)
  })
}

interface Line {
  userId: string
  phonelineId: string
}
