import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const always = { name: 'Office', timeZone: 'UTC', week: {}, days: [] }

for (const database of databases)
  test(`${database}: sets rules of lines, groups, numbers and flows, and keeps their targets from deletion`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const { api } = ada
    const { id: scheduleId } = await api.createSchedule({}, always)
    const { id: flowId } = await api.createFlow({}, { name: 'Reception' })
    const { id: line } = await api.createPhoneline({ userId: ada.userId }, { alias: 'Desk' })
    const { id: other } = await api.createPhoneline({ userId: bob.userId }, { alias: 'Other' })
    const closed = (action: 'FLOW' | 'FORWARD' | 'VOICEMAIL' | 'ANNOUNCE' | 'REFUSE' | 'RING', to?: string) => ({
      rules: [{ scheduleId, when: 'CLOSED' as const, action, ...(to !== undefined && { to }) }],
      overflow: [],
    })
    assert.deepEqual(await api.getRouting({ target: line }), { rules: [], overflow: [] })
    const routing = { ...closed('FLOW', flowId), overflow: [{ after: 20, action: 'FLOW' as const, to: flowId }] }
    await api.setRouting({ target: line }, routing)
    assert.deepEqual(await api.getRouting({ target: line }), routing)
    assert.deepEqual((await api.getSchedule({ scheduleId })).usedBy, [line])

    await assert.rejects(api.deleteSchedule({ scheduleId }), withCode('schedule_in_use', 'Desk'))
    await assert.rejects(api.deleteFlow({ aiFlowId: flowId }), withCode('conflict', line))
    await api.setRouting({ target: other }, closed('FORWARD', line))
    await assert.rejects(api.deletePhoneline({ userId: ada.userId, phonelineId: line }), withCode('endpoint_in_use'))
    await assert.rejects(api.setRouting({ target: line }, closed('FORWARD', other)), withCode('routing_loop'))
    await assert.rejects(api.setRouting({ target: flowId }, closed('FLOW', flowId)), withCode('routing_loop'))

    await bob.api.setRouting({ target: other }, closed('VOICEMAIL'))
    for (const target of [line, flowId]) await assert.rejects(bob.api.setRouting({ target }, closed('REFUSE')), { status: 403 })
    await api.deletePhoneline({ userId: ada.userId, phonelineId: line })
    await api.deleteFlow({ aiFlowId: flowId })
    assert.deepEqual((await api.getSchedule({ scheduleId })).usedBy, [other])
    await assert.rejects(bob.api.deleteRouting({ target: 'p99' }), withCode('target_not_found'))
    for (let time = 1; time <= 2; time++) await bob.api.deleteRouting({ target: other })
    assert.deepEqual(await bob.api.getRouting({ target: other }), { rules: [], overflow: [] })
    await api.deleteSchedule({ scheduleId })
  })

test('rejects meaningless rules', async (t) => {
  const world = await startWorld(t)
  const { api, userId } = await world.newAccount()
  const { id: scheduleId } = await api.createSchedule({}, always)
  const { id: flowId } = await api.createFlow({}, { name: 'Reception' })
  const { id: target } = await api.createPhoneline({ userId }, { alias: 'Desk' })
  const rule = { scheduleId, when: 'CLOSED' as const }
  const refused = async (rules: object[], overflow: object[], problem: object, of = target): Promise<void> =>
    assert.rejects(api.setRouting({ target: of }, { rules, overflow } as never), problem)
  await refused([{ ...rule, scheduleId: 'none', action: 'RING' }], [], withCode('schedule_not_found'))
  await refused([{ ...rule, action: 'FLOW', to: 'none' }], [], withCode('flow_not_found'))
  await refused([{ ...rule, action: 'FLOW' }], [], { status: 400 })
  await refused([{ ...rule, action: 'REFUSE', to: 'p0' }], [], { status: 400 })
  await refused([{ ...rule, action: 'VOICEMAIL', to: 'v999' }], [], { status: 400 })
  await refused([{ ...rule, action: 'VOICEMAIL' }], [], { status: 400 }, flowId)
  await refused([{ ...rule, action: 'FORWARD', to: '112' }], [], withCode('number_invalid'))
  await refused([{ ...rule, action: 'FORWARD', to: target }], [], withCode('routing_loop'))
  await refused([], [{ after: 3, action: 'REFUSE' }], { status: 400 })
  await refused([], [{ after: 20, action: 'RING' }], { status: 400 })
  await refused(
    [],
    [20, 30].map((after) => ({ after, action: 'REFUSE' })),
    withCode('parameter_invalid', 'overflow/1/after'),
  )
  await refused([], [{ after: 'BUSY', action: 'REFUSE' }], { status: 400 }, flowId)
  await assert.rejects(api.getRouting({ target: 'p999' }), withCode('target_not_found'))
})
