import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audioAddresses } from './audio-addresses.ts'

test('accepts the addresses of this machine, and names one that it does not have', async () => {
  assert.deepEqual(await audioAddresses({ OFFHOOK_RTP_ADDRESS: ['127.0.0.2', '127.0.0.3'] }), ['127.0.0.2', '127.0.0.3'])
  await assert.rejects(audioAddresses({ OFFHOOK_RTP_ADDRESS: ['127.0.0.2', '192.0.2.1'] }), {
    name: 'CannotStart',
    message: 'OFFHOOK_RTP_ADDRESS names 192.0.2.1, which is no address of this machine. Set only addresses that `ip addr` lists.',
  })
})
