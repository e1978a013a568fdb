import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { createGroup } from '#core/account/lines/group.ts'
import type { GroupStrategy } from '#core/kernel/ports/store/line.ts'

interface Team extends Customer {
  group: string
  users: string[]
  devices: string[]
}

/** Three users with a phone each, in the group that has the number. */
const newTeam = async (exchange: Exchange, strategy: GroupStrategy): Promise<Team> => {
  const ada = await exchange.newCustomer()
  return exchange.store.write(async (tables) => {
    const users = [ada.userId]
    const devices = [ada.deviceId]
    for (let more = 0; more < 2; more++) {
      const userId = await exchange.addUser(tables, ada.accountId)
      users.push(userId)
      devices.push(await exchange.addDevice(tables, ada.accountId, userId))
    }
    const group = await createGroup(tables, exchange.clock, ada.accountId, { alias: 'Team', strategy, ringSeconds: 15, members: users })
    const number = await tables.numbers.findByE164(ada.accountId, ada.number)
    await tables.numbers.setRouting(ada.accountId, number?.id ?? '', { endpointId: group })
    return { ...ada, group, users, devices }
  })
}

const deviceOf = ({ target }: ScriptedLeg): string => (target?.kind === 'device' ? target.deviceId : '')

/** Indexes of the team's ringing phones. */
const rings = (exchange: Exchange, { devices }: Team): number[] =>
  exchange.ringing.map((leg) => devices.indexOf(deviceOf(leg))).toSorted((a, b) => a - b)

test('PARALLEL: rings all members concurrently, then the voicemail', async (t) => {
  const exchange = await openExchange(t)
  const team = await newTeam(exchange, 'PARALLEL')
  const caller = await exchange.callIn(team.number)
  assert.deepEqual(rings(exchange, team), [0, 1, 2])
  await exchange.seconds(14.9)
  assert.equal(caller.answered, false)
  await exchange.seconds(0.1)
  assert.ok(caller.answered, 'the voicemail of the group')
  assert.deepEqual(exchange.ringing, [])
  await exchange.seconds(10)
  caller.hangsUp()
  await exchange.rest()
  const entry = await exchange.entry(team)
  assert.deepEqual([entry.type, entry.userId, entry.connectionIds[0]], ['VOICEMAIL', undefined, team.group])
})

test('LINEAR: rings members in order, skips to the next on a rejection, and records the member that answers', async (t) => {
  const exchange = await openExchange(t)
  const team = await newTeam(exchange, 'LINEAR')
  const caller = await exchange.callIn(team.number)
  assert.deepEqual(rings(exchange, team), [0])
  exchange.phone.refuses('busy', 486)
  await exchange.rest()
  assert.deepEqual(rings(exchange, team), [1])
  await exchange.seconds(15)
  assert.deepEqual(rings(exchange, team), [2])
  exchange.phone.answers()
  await exchange.rest()
  caller.hangsUp()
  await exchange.rest()
  const entry = await exchange.entry(team)
  assert.deepEqual([entry.userId, entry.status], [team.users[2], 'PICKUP'])
  assert.deepEqual(
    entry.endpoints.map(({ type, extension, kind }) => [type, extension, kind]),
    [
      ['ROUTED', team.group, 'GROUP'],
      ['PICKUP', team.devices[2], 'REGISTER'],
    ],
  )
})

test('ROUND_ROBIN: starts every call with the next member', async (t) => {
  const exchange = await openExchange(t)
  const team = await newTeam(exchange, 'ROUND_ROBIN')
  const first: number[][] = []
  for (let call = 0; call < 4; call++) {
    const caller = await exchange.callIn(team.number)
    first.push(rings(exchange, team))
    caller.hangsUp()
    await exchange.rest()
  }
  assert.deepEqual(first, [[0], [1], [2], [0]])
})

test('LONGEST_IDLE: rings the member with the longest idle time', async (t) => {
  const exchange = await openExchange(t)
  const team = await newTeam(exchange, 'LONGEST_IDLE')
  const order: number[][] = []
  for (let call = 0; call < 4; call++) {
    const caller = await exchange.callIn(team.number)
    order.push(rings(exchange, team))
    exchange.phone.answers()
    await exchange.seconds(1)
    caller.hangsUp()
    await exchange.seconds(1)
  }
  assert.deepEqual(order, [[0], [1], [2], [0]])
})

test('skips members with DND and busy members with busy-on-busy', async (t) => {
  const exchange = await openExchange(t)
  const team = await newTeam(exchange, 'PARALLEL')
  await exchange.store.write(async (tables) => {
    await tables.users.update(team.accountId, team.users[0] ?? '', { busyOnBusy: true })
    await tables.devices.update(team.accountId, team.devices[1] ?? '', { dnd: true })
  })
  await exchange.callIn(team.number)
  assert.deepEqual(rings(exchange, team), [0, 2])
  exchange.ringing.find((leg) => deviceOf(leg) === team.devices[0])?.answers()
  await exchange.rest()
  await exchange.callIn(team.number)
  assert.deepEqual(rings(exchange, team), [2])
})

test('routes an empty group to its voicemail, and rejects as unavailable without one', async (t) => {
  const exchange = await openExchange(t)
  const team = await newTeam(exchange, 'LINEAR')
  await exchange.store.write((tables) => tables.groups.replaceMembers(team.accountId, team.group, []))
  assert.ok((await exchange.callIn(team.number)).answered)
  await exchange.store.write(async (tables) => {
    const [voicemail] = await tables.voicemails.listByOwner(team.accountId, team.group)
    await tables.voicemails.update(team.accountId, voicemail?.id ?? '', { active: false })
  })
  assert.deepEqual((await exchange.callIn(team.number)).log, ['hangUp unavailable'])
})
