import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { from, openOffice, Phone } from '#test/phones/sip-office.ts'
import { createDevice } from '#core/account/devices/create-device.ts'

for (const database of databases) {
  test(`${database}: forty phones of one office register together, and are known as phones after a restart`, async (t) => {
    const { clock, store, vault, accountId, registrar, bans } = await openOffice(t, database)
    const logins = await store.write(async (tables) => {
      const made: { username: string; password: string }[] = []
      for (let n = 0; n < 40; n++) {
        const input = { accountId, userId: 'w0', type: 'REGISTER', alias: `Desk ${n}`, actor: 'w0' } as const
        const sip = (await tables.devices.find(accountId, await createDevice(tables, clock, vault, input)))?.sip
        made.push({ username: sip?.username ?? '', password: vault.open(sip?.passwordSealed ?? '') })
      }
      return made
    })
    const answers = await Promise.all(
      logins.map(({ username, password }, n) =>
        new Phone(registrar, username, password).register({
          contacts: [`<sip:${username}@10.0.0.1:5060>`],
          callId: `c${n}`,
          from: { ...from, port: 6_000 + n },
        }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.deepEqual(bans, [])
    const known = await store.read.devices.registeredFlows(clock.now())
    assert.deepEqual(
      known.map(({ kind, address, port }) => `${kind} ${address} ${port}`).toSorted(),
      logins.map((_, n) => `udp ${from.address} ${6_000 + n}`),
    )
    assert.deepEqual(await store.read.devices.registeredFlows(clock.now() + 3_600_000), [])
  })
}

test('a nonce sent to one address is invalid from another; no device is looked up or counted for it', async (t) => {
  const { phone, registrar, password, bans } = await openOffice(t)
  const forger = new Phone(registrar, phone.username, 'guess')
  assert.equal(forger.digest.challenged(await forger.say({ from: { ...from, address: '203.0.113.9' } })), true)
  for (let n = 0; n < 200; n++) {
    const { status, header } = await forger.say().then((answer) => ({ status: answer.status, header: answer.header('www-authenticate') }))
    assert.equal(status, 401)
    assert.match(header ?? '', /stale=true/)
  }
  assert.deepEqual(bans, [])
  assert.equal((await new Phone(registrar, phone.username, password).register()).status, 200)
})
