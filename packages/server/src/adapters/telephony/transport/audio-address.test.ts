import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestAddress, needsPublicAddress } from './audio-address.ts'
import { networks } from './networks.ts'

const interfaces = [
  { address: '10.0.0.11', holds: networks(['10.0.0.0/24']) },
  { address: '10.9.0.11', holds: networks(['10.9.0.0/24']) },
  { address: '203.0.113.11', holds: networks(['203.0.113.0/24']) },
]
const ours = ['10.0.0.11', '10.9.0.11', '203.0.113.11', '2001:db8::11']
const towards = (farEnd: string): string | undefined => nearestAddress(ours, interfaces, farEnd)

test('chooses the address in the network of the far end', () => {
  assert.equal(towards('10.9.0.5'), '10.9.0.11')
  assert.equal(towards('203.0.113.99'), '203.0.113.11')
})

test('chooses a private address for other private networks and a public one for the internet', () => {
  assert.equal(towards('192.168.1.5'), '10.0.0.11')
  assert.equal(towards('198.51.100.7'), '203.0.113.11')
})

test('chooses an address of the same family', () => {
  assert.equal(towards('2001:db8:1::5'), '2001:db8::11')
  assert.equal(nearestAddress(['10.0.0.11'], interfaces, '2001:db8:1::5'), '10.0.0.11')
})

test('chooses the first address for a name, and none without addresses', () => {
  assert.equal(towards('sip.example.org'), '10.0.0.11')
  assert.equal(nearestAddress([], interfaces, '10.0.0.5'), undefined)
})

test('replaces a private address by the public one only towards the internet', () => {
  assert.equal(needsPublicAddress('10.0.0.11', '198.51.100.7'), true)
  assert.equal(needsPublicAddress('10.0.0.11', '192.168.1.5'), false)
  assert.equal(needsPublicAddress('203.0.113.11', '198.51.100.7'), false)
})
