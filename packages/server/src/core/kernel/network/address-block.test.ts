import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBlock } from './address-block.ts'

test('counts an IPv6 /64 as one and each IPv4 address separately', () => {
  assert.equal(addressBlock('2001:db8:1:2::1'), addressBlock('2001:db8:1:2:ffff:1:2:3'))
  assert.notEqual(addressBlock('2001:db8:1:2::1'), addressBlock('2001:db8:1:3::1'))
  assert.equal(addressBlock('192.0.2.1'), '192.0.2.1')
  assert.equal(addressBlock('::ffff:192.0.2.1'), '192.0.2.1', 'the same address, whichever way it came')
  assert.equal(addressBlock('fe80::1%eth0'), addressBlock('fe80::2%eth0'))
  for (const odd of ['', 'unknown', 'a:b']) assert.equal(addressBlock(odd), odd)
})
