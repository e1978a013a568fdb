import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { sipp, sippSucceeds, startSipp, type Sipp } from '#test/peers/sipp.ts'
import { startExchange } from '#test/service/exchange.ts'
import { bothDatabases, freshPostgres } from '#test/store/databases.ts'

const carrier = '127.0.0.2'

const invited = async (phone: Sipp): Promise<number> => (await phone.messages()).match(/^INVITE /gm)?.length ?? 0

for (const database of bothDatabases)
  test(`${database}: routes a call by a change made immediately before it`, async (t) => {
    if (!(await needs(t, 'sipp'))) return
    const exchange = await startExchange(t, database === 'postgres' ? { DATABASE_URL: await freshPostgres() } : {})
    await exchange.newTrunk(carrier)
    const phones = [await startSipp(t, { scenario: 'uas' }), await startSipp(t, { scenario: 'uas' })] as const
    const { admin, userId } = exchange
    const lines: { phonelineId: string; deviceId: string }[] = []
    const numbers: string[] = []
    for (const phone of phones) {
      numbers.push(await exchange.numberOf(t, phone))
      const phonelineId = (await admin.listPhonelines({ userId })).items.at(-1)?.id ?? assert.fail()
      const deviceId = (await admin.listPhonelineDevices({ userId, phonelineId })).items[0]?.id ?? assert.fail()
      lines.push({ phonelineId, deviceId })
    }
    const [service = ''] = numbers
    const [first, second] = lines as [(typeof lines)[0], (typeof lines)[0]]
    const call = { scenario: 'uac', target: exchange.sip, service, address: carrier }
    const rings = async (...expected: [number, number]): Promise<void> => {
      await sippSucceeds(t, call)
      assert.deepEqual(await Promise.all(phones.map(invited)), expected)
    }
    await rings(1, 0)
    const line = { userId, phonelineId: first.phonelineId }
    await admin.replaceForwardings(line, { forwardings: [{ destination: second.phonelineId, timeout: 0, active: true }] })
    await rings(1, 1)
    await admin.replaceForwardings(line, { forwardings: [] })
    await admin.removePhonelineDevice({ ...line, deviceId: first.deviceId })
    assert.equal((await sipp(t, call)).failed, 1, 'nothing rings')
  })
