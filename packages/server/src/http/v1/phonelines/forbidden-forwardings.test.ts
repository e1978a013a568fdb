import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const tunisia = '+21671123456'
const blocked = '+4915112345678'
const open = '+493012345678'

for (const database of databases)
  test(`${database}: rejects a forwarding to an unreachable destination`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, accountId, userId } = await world.newAccount()
    const operator = await world.operator()
    await operator.createTariff({}, { id: 'team', name: 'Team', currency: 'EUR' })
    for (const prefix of ['49', '216']) await operator.setRate({ tariffId: 'team' }, { service: 'CALL', prefix, ratePerMinute: 100 })
    await operator.setRate({ tariffId: 'team' }, { service: 'CALL', prefix: '49151', blocked: true })
    await operator.updateAccount({ accountId }, { tariffId: 'team' })
    const line = { userId, phonelineId: 'p0' }
    const forward = (destination: string, active = true) => ({ forwardings: [{ destination, timeout: 10, active }] })
    const { id: scheduleId } = await api.createSchedule({}, { name: 'Office', timeZone: 'UTC', week: {}, days: [] })
    const rule = (to: string) => ({ rules: [{ scheduleId, when: 'CLOSED' as const, action: 'FORWARD' as const, to }], overflow: [] })

    await api.replaceForwardings(line, forward(open))
    for (const [to, code] of [
      [tunisia, 'destination_closed'],
      [blocked, 'destination_blocked'],
      ['+33142278186', 'destination_blocked'],
    ] as const) {
      await assert.rejects(api.replaceForwardings(line, forward(to)), withCode(code, 'forwardings/0/destination'))
      await assert.rejects(api.createParallelForwarding(line, { alias: 'a', destination: to }), withCode(code, 'destination'))
      await assert.rejects(api.setRouting({ target: 'p0' }, rule(to)), withCode(code, 'rules/0/to'))
      const overflow = [{ after: 20, action: 'FORWARD' as const, to }]
      await assert.rejects(api.setRouting({ target: 'p0' }, { rules: [], overflow }), withCode(code, 'overflow/0/to'))
      await assert.rejects(api.createExternalDevice({ userId }, { alias: 'Mobile', number: to }), withCode(code, 'number'))
    }
    assert.deepEqual((await api.listForwardings(line)).items, forward(open).forwardings)
    await api.replaceForwardings(line, forward(tunisia, false))

    await operator.setAccountLimits({ accountId }, { opened: ['TN'] })
    await api.replaceForwardings(line, forward(tunisia))
    await api.setRouting({ target: 'p0' }, rule(tunisia))
    const { id } = await api.createExternalDevice({ userId }, { alias: 'Mobile', number: tunisia })
    const parallel = await api.createParallelForwarding(line, { alias: 'a', destination: tunisia })
    await operator.setAccountLimits({ accountId }, { opened: [] })
    const again = { ...line, parallelForwardingId: parallel.id }
    await assert.rejects(api.setExternalTargetNumber({ deviceId: id }, { number: tunisia }), withCode('destination_closed', 'number'))
    await assert.rejects(api.changeParallelForwarding(again, { alias: 'b' }), withCode('destination_closed', 'destination'))
    await api.changeParallelForwarding(again, { active: false })
  })
