import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'

test('returns the settings of the installation', async (t) => {
  const plain = await startWorld(t, { settings: { OFFHOOK_CARRIER_CODE: 'HERE', OFFHOOK_COUNTRY: 'AT' } })
  assert.deepEqual(await (await plain.operator()).readInstallation(), {
    publicUrl: plain.url,
    carrierCode: 'HERE',
    country: 'AT',
    currency: 'EUR',
    sandbox: false,
  })
  const sandbox = await startWorld(t, { settings: { OFFHOOK_SANDBOX: 'on' } })
  assert.equal((await (await sandbox.operator()).readInstallation()).sandbox, true)
})
