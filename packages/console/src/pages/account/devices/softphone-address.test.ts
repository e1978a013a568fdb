import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressForPhones, isLoopbackOnly } from './softphone-address.ts'

test("sends a phone to the browser's host, unless that is a loopback name", () => {
  const given = 'http://127.0.0.1:8080/softphone/e0/x?account=1&signature=a'
  assert.equal(addressForPhones(given, new URL('http://localhost:8080')), given)
  assert.equal(addressForPhones(given, new URL('http://192.168.1.5:8080')), 'http://192.168.1.5:8080/softphone/e0/x?account=1&signature=a')
  assert.equal(
    addressForPhones(given, new URL('https://phone.example.com')),
    'https://phone.example.com/softphone/e0/x?account=1&signature=a',
  )
})

test('recognizes names of a single machine', () => {
  for (const server of ['localhost', '127.0.0.1:5060', '0.0.0.0:5060', '::1', '[::1]:5060', '::']) assert.ok(isLoopbackOnly(server), server)
  for (const server of ['192.168.1.5', '10.0.0.1:5060', 'sip.example.com', '2001:db8::1', 'localhost.example.com'])
    assert.ok(!isLoopbackOnly(server), server)
})
