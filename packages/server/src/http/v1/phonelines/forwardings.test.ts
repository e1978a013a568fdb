import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

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
    await assert.rejects(bob.api.replaceForwardings(mine, { forwardings: eleven }), { status: 400, message: /forwardings/ })
    await assert.rejects(bob.api.replaceForwardings(mine, { forwardings: [{ ...to('p0'), timeout: 121 }] }), {
      status: 400,
      message: /timeout/,
    })
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
    const refused: [string, RegExp][] = [
      ['112', /emergency/],
      ['110', /emergency/],
      ['+49 112', /emergency/],
      ['09001234567', /premium/],
      ['p0', /itself/],
      ['p1', /no phone line, group or voicemail/],
      ['e0', /no phone line, group or voicemail/],
      ['w0', /no phone line, group or voicemail/],
      ['g0', /no phone line, group or voicemail/],
      ['p00', /no phone line, group or voicemail/],
      ['p999999999999999999999', /no phone line, group or voicemail/],
      ['Voicemail', /not a valid phone number/],
      ['sip:a@example.com', /not a valid phone number/],
      ['12', /not a valid phone number/],
    ]
    for (const [destination, reason] of refused) {
      const error = { status: 400, message: new RegExp(`^forwardings/1/destination .*${reason.source}`) }
      await assert.rejects(ada.api.replaceForwardings(mine, { forwardings: [to('voicemail'), to(destination)] }), error, destination)
    }
    await assert.rejects(ada.api.createParallelForwarding(mine, { alias: 'a', destination: 'voicemail' }), {
      status: 400,
      message: /^destination/,
    })
    await assert.rejects(ada.api.createParallelForwarding(mine, { alias: 'a', destination: 'v0' }), {
      status: 400,
      message: /^destination/,
    })
    await assert.rejects(ada.api.createParallelForwarding(mine, { alias: 'a', destination: '112' }), { status: 400, message: /emergency/ })
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

    await assert.rejects(set(p0, to('0211 12345678')), { status: 400, message: /leads to this line itself/ }, 'by its own number')
    await assert.rejects(set(p0, to('p0', false)), { status: 400, message: /leads to this line itself/ }, 'even switched off')
    await set(p0, to('p1'))
    await set(p1, to('p2'))
    await assert.rejects(set(p2, to('p0')), { status: 400, message: /leads back to this line/ })
    await assert.rejects(set(p2, to('+4921112345678')), { status: 400, message: /leads back to this line/ }, 'by way of a number')
    await assert.rejects(ada.api.createParallelForwarding(p2, { alias: 'a', destination: 'p1' }), { status: 400, message: /leads back/ })

    await set(p2, to('p0', false))
    await set(p1, to('p2', false))
    await set(p2, to('p0'))
    await assert.rejects(set(p1, to('p2')), { status: 400, message: /leads back/ }, 'switching on is a change like any other')
    await set(p2)
    const { id } = await ada.api.createParallelForwarding(p2, { alias: 'a', destination: 'p0', active: false })
    await set(p1, to('p2'))
    await assert.rejects(ada.api.changeParallelForwarding({ ...p2, parallelForwardingId: id }, { active: true }), {
      status: 400,
      message: /leads back/,
    })
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
    await assert.rejects(bob.api.createParallelForwarding(mine, { alias: 'more', destination: 'p0' }), {
      status: 409,
      message: /at most 10/,
    })
    await bob.api.deleteParallelForwarding(one)
    await assert.rejects(bob.api.deleteParallelForwarding(one), { status: 404 })
    assert.equal((await bob.api.listParallelForwardings(mine)).items.length, 9)
  })
}

interface Line {
  userId: string
  phonelineId: string
}
