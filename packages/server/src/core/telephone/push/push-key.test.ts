import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { test } from 'node:test'
import { openVault } from '#adapters/vault/file-vault.ts'
import { bothDatabases, openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { PushKey } from './push-key.ts'

for (const database of bothDatabases) {
  test(`${database}: agrees on one sealed key when several processes start together`, async (t) => {
    const store = await openTestStore(t, database)
    const vault = await openVault({ file: '', key: Buffer.alloc(32, 7).toString('base64') })
    const parts = { store, clock: new VirtualClock(), vault }
    const [one, other] = [new PushKey(parts), new PushKey(parts)]
    const [signature, publicKey] = await Promise.all([one.sign('Grüße'), other.publicKey()])
    assert.match(publicKey, /^-----BEGIN PUBLIC KEY-----\n/)
    assert.ok(verify('sha256', Buffer.from('Grüße'), publicKey, Buffer.from(signature, 'base64')))
    assert.equal(await one.publicKey(), publicKey)
    const [kept, ...others] = await store.read.signingKeys.list()
    assert.equal(others.length, 0)
    assert.doesNotMatch(kept?.jwkSealed ?? '', /"kty"/)
  })
}

test('retries loading the key after the database was unavailable', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const vault = await openVault({ file: '', key: Buffer.alloc(32, 7).toString('base64') })
  let away = true
  const flaky = {
    ...store,
    write: (work: Parameters<typeof store.write>[0]) => (away ? Promise.reject(new Error('away')) : store.write(work)),
  }
  const key = new PushKey({ store: flaky as typeof store, clock: new VirtualClock(), vault })
  await assert.rejects(key.publicKey(), { message: 'away' })
  away = false
  assert.match(await key.publicKey(), /PUBLIC KEY/)
})
