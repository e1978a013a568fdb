import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookAtMachine } from './machine.ts'

test('hides optional features with OFFHOOK_PORTABLE', async () => {
  const { system, ...portable } = await lookAtMachine({ OFFHOOK_PORTABLE: true, OFFHOOK_MEDIA_UDP: 'auto' })
  assert.deepEqual(portable, {
    audio: 'dgram',
    paper: 'pdf.js',
    withoutFax: 'OFFHOOK_PORTABLE is on',
    withoutModels: undefined,
    watching: 'ps',
  })
  assert.notEqual(system, '')
})

test('sends audio by dgram when configured, whatever else exists', async () => {
  const asked = await lookAtMachine({ OFFHOOK_PORTABLE: false, OFFHOOK_MEDIA_UDP: 'dgram' })
  const free = await lookAtMachine({ OFFHOOK_PORTABLE: false, OFFHOOK_MEDIA_UDP: 'auto' })
  assert.equal(asked.audio, 'dgram')
  assert.deepEqual({ ...free, audio: 'dgram' }, asked)
})

test('sends audio by system calls on Linux', { skip: process.platform !== 'linux' }, async () => {
  assert.equal((await lookAtMachine({ OFFHOOK_PORTABLE: false, OFFHOOK_MEDIA_UDP: 'auto' })).audio, 'koffi')
})
